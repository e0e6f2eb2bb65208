import { type EntityKey, FieldPath, type JsonObject, kindOf } from '#graph/model';
import { fittingKey } from '../../document/fitting-key.ts';
import { isImageFile } from '../../image/bill-image.ts';
import type { Bill, Facts } from '../bill-builder.ts';
import type { Placed } from '../bill-values.ts';
import { listed } from '../component-name.ts';
import { versionOfParts } from '../source-package.ts';
import type { Rating, Statement } from '../vulnerabilities.ts';
import { ScanReport } from './scan-report.ts';
import { scalarText } from '../../document/json-text.ts';

const TOP = new FieldPath();
const SCHEMA_VERSION = 2;
const fields = (text: string): ReadonlySet<string> => new Set(text.split(' '));
/** Other fields are counted, such as findings of other kinds than vulnerabilities. */
const KNOWN = {
  report: fields(
    'SchemaVersion ArtifactName ArtifactType Metadata Results ClusterName Resources Findings Vulnerabilities',
  ),
  result: fields('Target Class Type Packages Vulnerabilities ExperimentalModifiedFindings'),
  package: fields(
    'ID Name Identifier Version Release Epoch SrcName SrcVersion SrcRelease SrcEpoch Licenses DependsOn',
  ),
  vulnerability: fields(
    'VulnerabilityID PkgID PkgName PkgIdentifier InstalledVersion FixedVersion Status DataSource VendorIDs Title ' +
      'Description Severity SeveritySource CVSS',
  ),
};
/** The lists of workloads that a report of a cluster has, of several versions. */
const CLUSTER_LISTS = ['Resources', 'Findings', 'Vulnerabilities'];
/** The types of package URLs for reports that have none, before version 0.48. */
const PURL_TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    bundler: 'gem',
    cargo: 'cargo',
    composer: 'composer',
    gemspec: 'gem',
    gobinary: 'golang',
    gomod: 'golang',
    gradle: 'maven',
    jar: 'maven',
    'node-pkg': 'npm',
    npm: 'npm',
    nuget: 'nuget',
    pip: 'pypi',
    pipenv: 'pypi',
    pnpm: 'npm',
    poetry: 'pypi',
    pom: 'maven',
    'python-pkg': 'pypi',
    rustbinary: 'cargo',
    uv: 'pypi',
    yarn: 'npm',
  }),
);
/** The words of Trivy for findings that VEX documents have changed. */
const VEX_STATES: ReadonlyMap<unknown, string> = new Map([
  ['not_affected', 'not_affected'],
  ['fixed', 'resolved'],
  ['under_investigation', 'in_triage'],
  ['affected', 'exploitable'],
]);

export function isTrivy(document: JsonObject): boolean {
  const isArtifact = 'ArtifactName' in document && 'ArtifactType' in document;
  return isArtifact || ('ClusterName' in document && CLUSTER_LISTS.some((name) => name in document));
}

/**
 * The content of a report of Trivy (JSON, schema 2: image, file system, repository, machine, or `trivy k8s
 * --report all`): the image or project, which CONTAINS the packages, which HAS vulnerabilities with the
 * versions that mend them. Throws INVALID_REQUEST for another schema.
 */
export function readTrivy(document: JsonObject): Bill {
  if (![undefined, 0, SCHEMA_VERSION].includes(document['SchemaVersion'] as number | undefined))
    throw TOP.fault(
      'SchemaVersion',
      `expected ${SCHEMA_VERSION}, got ${scalarText(document['SchemaVersion']) || kindOf(document['SchemaVersion'])}`,
    );
  return new TrivyReader(document).read();
}

class TrivyReader {
  readonly #root: Placed;
  readonly #report = new ScanReport();

  constructor(document: JsonObject) {
    this.#root = { value: document, place: 'report' };
  }

  read(): Bill {
    const { value: document } = this.#root;
    this.#report.values.ignoreOthers(document, KNOWN.report, '');
    if ('ArtifactName' in document) this.#readArtifact();
    else
      for (const list of CLUSTER_LISTS)
        for (const each of this.#report.values.topList(document, list)) this.#readResource(each);
    return this.#report.finish();
  }

  #readArtifact(): void {
    const { values } = this.#report;
    const metadata = values.object(this.#root, 'Metadata');
    const name = values.text(this.#root, 'ArtifactName');
    const kind = values.text(this.#root, 'ArtifactType');
    const image = kind === 'container_image' ? this.#image(metadata, name) : undefined;
    const artifact = image ?? this.#report.addProject(name, { kind });
    this.#readResults(values.topList(this.#root.value, 'Results'), artifact);
  }

  /** One workload of a cluster: the images that it runs. */
  #readResource(resource: Placed): void {
    const { values, builder } = this.#report;
    const part = (name: string): string => values.text(resource, name) ?? '';
    const kind = part('Kind')
      .replace(/(?<=[a-z])(?=[A-Z])/g, '_')
      .toLowerCase();
    const cluster = values.text(this.#root, 'ClusterName') || 'default';
    const path = [cluster, part('Namespace'), part('Name')].filter((each) => each !== '').join('/');
    const workload = { type: `kube_${kind}`, key: fittingKey(path) };
    const entity = {
      ...workload,
      properties: { name: part('Name'), namespace: part('Namespace') || undefined },
    };
    builder.addEntity(entity);
    const images = values.list(resource, 'Metadata').flatMap((each) => this.#image(each) ?? []);
    for (const image of images) builder.relate(workload, 'RUNS', image);
    const error = values.text(resource, 'Error');
    const [only] = images;
    const artifact = only !== undefined && images.length === 1 ? only : workload;
    if (error !== undefined) {
      const reason = `${resource.place}: ${path} was not scanned: ${error.slice(0, 200)}`;
      builder.addUnresolved({ owner: artifact, end: 'from', verb: 'CONTAINS', reason });
    }
    this.#readResults(values.list(resource, 'Results'), artifact);
  }

  #image(metadata: Placed | undefined, artifactName?: string): EntityKey | undefined {
    const { values } = this.#report;
    const texts = (name: string): readonly string[] => (metadata ? values.properties(metadata, name) : []);
    const names = [...texts('RepoDigests'), ...texts('RepoTags')];
    const id = metadata && values.text(metadata, 'ImageID');
    const os = metadata && values.object(metadata, 'OS');
    const facts = {
      image_id: id,
      os: os && [values.text(os, 'Family'), values.text(os, 'Name')].filter((text) => text).join(' '),
    };
    if (names.length > 0) return this.#report.builder.addImage(names, facts);
    // An archive of an image has the name of its file.
    const isFile = artifactName === undefined || isImageFile(artifactName);
    const known = isFile ? [] : [artifactName];
    return this.#report.builder.addImage(known.length === 0 && id !== undefined ? [id] : known, facts);
  }

  #readResults(results: readonly Placed[], entity: EntityKey): void {
    const { values } = this.#report;
    for (const result of results) {
      const target = values.text(result, 'Target');
      values.ignoreOthers(result.value, KNOWN.result, 'Results.');
      const type = values.text(result, 'Type');
      const packages = values.list(result, 'Packages');
      const at = { entity, target, type, result: result.place };
      const references = packages.map((each) => this.#readPackage(each, at));
      for (const [index, each] of packages.entries())
        this.#readDependencies(each, references[index] ?? '', result.place);
      for (const each of values.list(result, 'Vulnerabilities')) this.#readVulnerability(each, at);
      for (const each of values.list(result, 'ExperimentalModifiedFindings')) this.#readModified(each, at);
    }
  }

  /** Returns the reference of the package. */
  #readPackage(each: Placed, at: ResultPlace): string {
    const { values } = this.#report;
    values.ignoreOthers(each.value, KNOWN.package, 'package.');
    const name = values.text(each, 'Name');
    const version = versionOfParts([
      values.number(each, 'Epoch'),
      values.text(each, 'Version'),
      values.text(each, 'Release'),
    ]);
    const reference = `${at.result} ${values.text(each, 'ID') ?? `${name ?? ''}@${version ?? ''}`}`;
    const found = {
      reference,
      purl: this.#purl(each, 'Identifier') ?? purlOf(at.type, name, version),
      name,
      version,
      facts: {
        source_name: values.text(each, 'SrcName'),
        source_version: versionOfParts([
          values.number(each, 'SrcEpoch'),
          values.text(each, 'SrcVersion'),
          values.text(each, 'SrcRelease'),
        ]),
      },
      licences: values.properties(each, 'Licenses'),
    };
    this.#report.addPackage(found, at, each.place);
    return reference;
  }

  #readDependencies(each: Placed, reference: string, result: string): void {
    const { values, builder } = this.#report;
    const own = builder.entityOf(reference);
    if (own === undefined) return;
    for (const id of values.properties(each, 'DependsOn')) {
      const other = builder.entityOf(`${result} ${id}`);
      if (other === undefined) values.ignore('dependencies on packages that are not listed');
      else if (other.key !== own.key) builder.relate(own, 'DEPENDS_ON', other);
    }
  }

  #readVulnerability(each: Placed, at: ResultPlace, vex: Partial<Statement> = {}): void {
    const { values, vulnerabilities } = this.#report;
    values.ignoreOthers(each.value, KNOWN.vulnerability, 'vulnerability.');
    const name = values.text(each, 'VulnerabilityID');
    if (name === undefined) {
      values.leaveOut(each.place, 'it has no VulnerabilityID and is left out');
      return;
    }
    const reference = this.#affected(each, at);
    const statement = { reference, place: each.place, state: undefined, ...vex, facts: this.#why(each) };
    vulnerabilities.add({
      name,
      description: values.text(each, 'Description') ?? values.text(each, 'Title'),
      ratings: [this.#rating(each)],
      statements: [statement],
      aliases: values.properties(each, 'VendorIDs'),
    });
  }

  /** The reference of the package; without a list of all packages, the affected ones are known from here. */
  #affected(each: Placed, at: ResultPlace): string {
    const { values, builder } = this.#report;
    const listedAs = `${at.result} ${values.text(each, 'PkgID') ?? ''}`;
    if (builder.entityOf(listedAs) !== undefined) return listedAs;
    const name = values.text(each, 'PkgName');
    const version = values.text(each, 'InstalledVersion');
    const purl = this.#purl(each, 'PkgIdentifier') ?? purlOf(at.type, name, version);
    // The ids of archives are not unique.
    const reference = `${at.result} ${purl ?? `${name}@${version}`}`;
    if (builder.entityOf(reference) === undefined)
      this.#report.addPackage({ reference, purl, name, version, facts: {}, licences: [] }, at, each.place);
    return reference;
  }

  #why(each: Placed): Facts {
    const { values } = this.#report;
    const fixed = values.text(each, 'FixedVersion')?.split(/\s*,\s*/) ?? [];
    const source = values.object(each, 'DataSource');
    return {
      fixed_versions: listed(fixed.filter((text) => text !== '')),
      fix_state: values.text(each, 'Status'),
      source: source && values.text(source, 'ID'),
      match: 'trivy',
    };
  }

  /** A finding that a VEX document has taken back. */
  #readModified(each: Placed, at: ResultPlace): void {
    const { values } = this.#report;
    const finding = values.object(each, 'Finding');
    const state = VEX_STATES.get(each.value['Status']);
    if (finding === undefined || state === undefined) values.ignore('Results.ExperimentalModifiedFindings');
    else this.#readVulnerability(finding, at, { state, justification: values.text(each, 'Statement') });
  }

  /** The severity that Trivy has chosen, with the score of the same source, else the highest. */
  #rating(each: Placed): Rating {
    const { values } = this.#report;
    const severity = values.text(each, 'Severity')?.toLowerCase();
    const cvss = values.object(each, 'CVSS');
    const names = Object.keys(cvss?.value ?? {});
    const chosen = values.text(each, 'SeveritySource');
    const ordered = names.toSorted((a, b) => Number(b === chosen) - Number(a === chosen));
    const scores = ordered.flatMap((name) => (cvss && values.object(cvss, name)) ?? []);
    for (const [field, method] of [
      ['V40Score', 'CVSSv4'],
      ['V3Score', 'CVSSv31'],
      ['V2Score', 'CVSSv2'],
    ] as const) {
      const score = scores.map((item) => values.number(item, field)).find((value) => value !== undefined);
      if (score !== undefined) return { method, score, severity };
    }
    return { method: undefined, score: undefined, severity };
  }

  #purl(each: Placed, field: string): string | undefined {
    const identifier = this.#report.values.object(each, field);
    return identifier && this.#report.values.text(identifier, 'PURL');
  }
}

interface ResultPlace {
  readonly entity: EntityKey;
  readonly target: string | undefined;
  /** `npm`, `alpine`, …. */
  readonly type: string | undefined;
  /** The place of the result: ids of packages are those of one result. */
  readonly result: string;
}

function purlOf(type = '', name: string | undefined, version: string | undefined): string | undefined {
  const kind = PURL_TYPES.get(type);
  if (kind === undefined || name === undefined || version === undefined) return undefined;
  const path = kind === 'maven' ? name.replace(':', '/') : name;
  return `pkg:${kind}/${path.split('/').map(encodeURIComponent).join('/')}@${encodeURIComponent(version)}`;
}
