import { type EntityKey, isJsonObject, type JsonObject } from '#graph/model';
import type { Bill, Facts } from '../bill-builder.ts';
import type { Placed } from '../bill-values.ts';
import { listed } from '../component-name.ts';
import type { Rating } from '../vulnerabilities.ts';
import { ScanReport } from './scan-report.ts';
import { vulnerabilityNames } from '../vulnerability-names.ts';

const METHODS: ReadonlyMap<string, string> = new Map([
  ['2.0', 'CVSSv2'],
  ['3.0', 'CVSSv3'],
  ['3.1', 'CVSSv31'],
  ['4.0', 'CVSSv4'],
]);

const fields = (text: string): ReadonlySet<string> => new Set(text.split(' '));
/** Other fields are counted. */
const KNOWN = {
  report: fields('matches ignoredMatches source descriptor distro'),
  artifact: fields('id name version type purl locations upstreams licenses'),
  vulnerability: fields(
    'id namespace dataSource severity description cvss cvssV2 cvssV3 fix fixedInVersion epss knownExploited',
  ),
};
const OLD_SCORES = [
  ['cvssV3', 'CVSSv3'],
  ['cvssV2', 'CVSSv2'],
] as const;

export function isGrype({ matches, descriptor }: JsonObject): boolean {
  return matches !== undefined && isJsonObject(descriptor) && descriptor['name'] === 'grype';
}

/**
 * The content of a report of Grype (JSON): the image or folder, which CONTAINS the packages with findings,
 * which HAS vulnerabilities, with the versions that mend them and why each one matches.
 */
export function readGrype(document: JsonObject): Bill {
  return new GrypeReader(document).read();
}

class GrypeReader {
  readonly #root: Placed;
  readonly #report = new ScanReport();

  constructor(document: JsonObject) {
    this.#root = { value: document, place: 'report' };
  }

  read(): Bill {
    const { values } = this.#report;
    values.ignoreOthers(this.#root.value, KNOWN.report, '');
    const entity = this.#artifact();
    for (const match of values.topList(this.#root.value, 'matches')) this.#readMatch(match, entity);
    values.ignore('ignoredMatches', values.topList(this.#root.value, 'ignoredMatches').length);
    return this.#report.finish();
  }

  #artifact(): EntityKey {
    const { values } = this.#report;
    const source = values.object(this.#root, 'source') ?? { value: {}, place: 'source' };
    const kind = values.text(source, 'type');
    // That of a folder is its path.
    const path = source.value['target'];
    if (typeof path === 'string') return this.#report.addProject(path === '' ? undefined : path, { kind });
    const target = values.object(source, 'target');
    const input = target && values.text(target, 'userInput');
    const image = target && kind === 'image' ? this.#image(target, input) : undefined;
    return image ?? this.#report.addProject(input, { kind });
  }

  #image(target: Placed, input: string | undefined): EntityKey | undefined {
    const { values } = this.#report;
    const id = values.text(target, 'imageID');
    const names = [...values.properties(target, 'repoDigests'), ...values.properties(target, 'tags')];
    const known = names.length === 0 && input !== undefined ? [input] : names;
    return (
      this.#report.builder.addImage(known, { image_id: id }) ?? this.#report.builder.addImage([id ?? ''], {})
    );
  }

  #readMatch(match: Placed, entity: EntityKey): void {
    const { values, vulnerabilities } = this.#report;
    const vulnerability = values.object(match, 'vulnerability');
    const artifact = values.object(match, 'artifact');
    const id = vulnerability && values.text(vulnerability, 'id');
    if (vulnerability === undefined || artifact === undefined || id === undefined) {
      values.leaveOut(match.place, 'it has no artifact or no vulnerability with an id and is left out');
      return;
    }
    values.ignoreOthers(vulnerability.value, KNOWN.vulnerability, 'vulnerability.');
    values.ignoreOthers(artifact.value, KNOWN.artifact, 'artifact.');
    const reference = this.#readArtifact(artifact, entity);
    if (reference === undefined) return;
    const related = values.list(match, 'relatedVulnerabilities');
    const { name, aliases } = vulnerabilityNames(
      id,
      related.map((each) => values.text(each, 'id') ?? id),
    );
    const described = [vulnerability, ...related].map((each) => values.text(each, 'description'));
    vulnerabilities.add({
      name,
      description: described.find((text) => text !== undefined),
      ratings: this.#ratings([vulnerability, ...related]),
      statements: [
        { reference, place: match.place, state: undefined, facts: this.#why(match, vulnerability, id) },
      ],
      aliases,
      facts: this.#exploitation(vulnerability),
    });
  }

  /** The reference of the package; undefined if it has no name. */
  #readArtifact(artifact: Placed, entity: EntityKey): string | undefined {
    const { values } = this.#report;
    const name = values.text(artifact, 'name');
    const version = values.text(artifact, 'version');
    const purl = values.text(artifact, 'purl');
    const reference = values.text(artifact, 'id') ?? purl ?? `${name}@${version}`;
    const [location] = values.list(artifact, 'locations');
    const [upstream] = values.list(artifact, 'upstreams');
    const facts = {
      kind: values.text(artifact, 'type'),
      source_name: upstream && values.text(upstream, 'name'),
      source_version: upstream && values.text(upstream, 'version'),
    };
    const found = {
      reference,
      purl,
      name,
      version,
      facts,
      licences: values.properties(artifact, 'licenses'),
    };
    const target = location && values.text(location, 'path');
    return this.#report.addPackage(found, { entity, target }, artifact.place) && reference;
  }

  #ratings(entries: readonly Placed[]): readonly Rating[] {
    const { values } = this.#report;
    const severities = entries.map((each) => values.text(each, 'severity')?.toLowerCase());
    const severity = severities.find((text) => text !== undefined);
    const scored = entries
      .flatMap((each) => values.list(each, 'cvss'))
      .map((each) => {
        const metrics = values.object(each, 'metrics');
        const score = metrics && values.number(metrics, 'baseScore');
        const method = METHODS.get(values.text(each, 'version') ?? '');
        return { method, severity, score };
      });
    return scored.length === 0 ? [this.#oldRating(entries[0], severity)] : scored;
  }

  #oldRating(vulnerability: Placed | undefined, severity: string | undefined): Rating {
    const { values } = this.#report;
    for (const [field, method] of OLD_SCORES) {
      const cvss = vulnerability && values.object(vulnerability, field);
      const score = cvss && values.number(cvss, 'baseScore');
      if (score !== undefined) return { method, severity, score };
    }
    return { method: undefined, score: undefined, severity };
  }

  /** Before version 0.13 there was one, with other names; so were the versions and the score. */
  #detail(match: Placed): Placed | undefined {
    const { values } = this.#report;
    const isOne = isJsonObject(match.value['matchDetails']);
    return isOne ? values.object(match, 'matchDetails') : values.list(match, 'matchDetails')[0];
  }

  /** Why the package has the vulnerability. */
  #why(match: Placed, vulnerability: Placed, advisory: string): Facts {
    const { values } = this.#report;
    const fix = values.object(vulnerability, 'fix');
    const detail = this.#detail(match);
    const found = detail && (values.object(detail, 'found') ?? values.object(detail, 'matchedOn'));
    return {
      advisory,
      fixed_versions: listed(
        fix === undefined
          ? [values.text(vulnerability, 'fixedInVersion') ?? []].flat()
          : values.properties(fix, 'versions'),
      ),
      fix_state: fix && values.text(fix, 'state'),
      source: values.text(vulnerability, 'namespace') ?? values.text(vulnerability, 'dataSource'),
      match: (detail && values.text(detail, 'type')) ?? 'grype',
      range: found && (values.text(found, 'versionConstraint') ?? values.text(found, 'constraint')),
    };
  }

  #exploitation(vulnerability: Placed): Facts {
    const { values } = this.#report;
    const [score] = values.list(vulnerability, 'epss');
    const number = (name: string): number | undefined => score && values.number(score, name);
    const isKnown = values.list(vulnerability, 'knownExploited').length > 0;
    return {
      epss: number('epss'),
      epss_percentile: number('percentile'),
      known_exploited: isKnown ? true : undefined,
    };
  }
}
