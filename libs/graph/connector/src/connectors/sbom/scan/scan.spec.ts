import { describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { NodeDisk } from '#platform/disk';
import { connectorMatchers } from '../../../kit/matchers.ts';
import { runConnector } from '../../../kit/run-connector.ts';
import type { Bill } from '../bill-builder.ts';
import { readBill } from '../read-bill.ts';
import { sbomConnector } from '../sbom-connector.ts';

const SAMPLES = join(process.env['PLEXUS_TEST_DATA'] ?? 'no test data', 'estate');
const DIGEST = `sha256:${'a'.repeat(64)}`;
const IMAGE = `docker.io/acme/shop@${DIGEST}`;

const read = (document: object): Promise<Bill> =>
  readBill({ text: JSON.stringify(document), folder: 'shop', beside: () => Promise.resolve(undefined) });
const sentences = ({ relationships }: Pick<Bill, 'relationships'>): readonly string[] =>
  relationships.map(({ from, verb, to }) => `${from.key} ${verb} ${to.key}`).sort();
const facts = (bill: Bill, key: string): unknown =>
  JSON.parse(JSON.stringify(bill.entities.find((each) => each.key === key)?.properties ?? null));
const link = (bill: Bill, sentence: string): unknown => {
  const found = bill.relationships.find(({ from, verb, to }) => `${from.key} ${verb} ${to.key}` === sentence);
  return JSON.parse(JSON.stringify(found?.properties ?? null));
};

const TRIVY = {
  SchemaVersion: 2,
  ArtifactName: 'acme/shop:2.1',
  ArtifactType: 'container_image',
  Metadata: {
    OS: { Family: 'debian', Name: '12.5' },
    ImageID: `sha256:${'b'.repeat(64)}`,
    RepoTags: ['acme/shop:2.1', 'acme/shop:latest'],
    RepoDigests: [`acme/shop@${DIGEST}`],
  },
  Results: [
    {
      Target: 'acme/shop:2.1 (debian 12.5)',
      Class: 'os-pkgs',
      Type: 'debian',
      Packages: [
        {
          ID: 'libssl3@3.0.11-1',
          Name: 'libssl3',
          Identifier: { PURL: 'pkg:deb/debian/libssl3@3.0.11-1?arch=amd64&distro=debian-12.5' },
          Version: '3.0.11',
          Release: '1',
          SrcName: 'openssl',
          SrcVersion: '3.0.11',
          SrcRelease: '2~deb12u1',
          SrcEpoch: 1,
          Licenses: ['Apache-2.0'],
          DependsOn: ['libc6@2.36-9', 'gone@1'],
        },
        {
          ID: 'libc6@2.36-9',
          Name: 'libc6',
          Identifier: { PURL: 'pkg:deb/debian/libc6@2.36-9?arch=amd64&distro=debian-12.5' },
          Version: '2.36',
          Release: '9',
        },
      ],
      Vulnerabilities: [
        {
          VulnerabilityID: 'CVE-2024-0001',
          VendorIDs: ['DSA-5001-1'],
          PkgID: 'libssl3@3.0.11-1',
          PkgName: 'libssl3',
          InstalledVersion: '3.0.11-1',
          FixedVersion: '3.0.13-1, 3.1.5-1',
          Status: 'fixed',
          DataSource: { ID: 'debian' },
          SeveritySource: 'nvd',
          Severity: 'HIGH',
          Title: 'short',
          Description: 'a longer text',
          CVSS: { redhat: { V3Score: 9.9 }, nvd: { V2Score: 4, V3Score: 7.5 } },
        },
      ],
    },
    {
      Target: 'app/package-lock.json',
      Type: 'npm',
      Vulnerabilities: [
        { VulnerabilityID: 'GHSA-xxxx', PkgName: '@acme/x', InstalledVersion: '1.0.0', Severity: 'LOW' },
      ],
      Misconfigurations: [{ ID: 'DS001' }, { ID: 'DS002' }],
    },
  ],
};

const GRYPE = {
  matches: [
    {
      vulnerability: {
        id: 'GHSA-aaaa-bbbb-cccc',
        namespace: 'github:language:javascript',
        severity: 'Critical',
        cvss: [{ version: '3.1', metrics: { baseScore: 9.8 } }],
        fix: { versions: ['4.17.21'], state: 'fixed' },
        epss: [{ cve: 'CVE-2024-0002', epss: 0.7, percentile: 0.98 }],
        knownExploited: [{ cve: 'CVE-2024-0002' }],
      },
      relatedVulnerabilities: [{ id: 'CVE-2024-0002', description: 'described there' }],
      matchDetails: [{ type: 'exact-direct-match', found: { versionConstraint: '<4.17.21 (semantic)' } }],
      artifact: {
        id: 'a1',
        name: 'lodash',
        version: '4.17.20',
        type: 'npm',
        purl: 'pkg:npm/lodash@4.17.20',
        licenses: ['MIT'],
        locations: [{ path: '/app/package-lock.json' }],
      },
    },
  ],
  source: {
    type: 'image',
    target: {
      userInput: 'acme/shop:2.1',
      imageID: 'sha256:x',
      tags: [],
      repoDigests: [`acme/shop@${DIGEST}`],
    },
  },
  descriptor: { name: 'grype', version: '0.90.0' },
};

describe('a report of Trivy', () => {
  it('has an image under all of its names, its packages and their vulnerabilities', async () => {
    const bill = await read(TRIVY);

    expect(sentences(bill)).toEqual(
      [
        `docker.io/acme/shop:2.1 MAPS_TO ${IMAGE}`,
        `docker.io/acme/shop:latest MAPS_TO ${IMAGE}`,
        `${IMAGE} CONTAINS debian/libssl3@3.0.11-1?arch=amd64&distro=debian-12.5`,
        `${IMAGE} CONTAINS debian/libc6@2.36-9?arch=amd64&distro=debian-12.5`,
        `${IMAGE} CONTAINS @acme/x@1.0.0`,
        'debian/libssl3@3.0.11-1?arch=amd64&distro=debian-12.5 DEPENDS_ON debian/libc6@2.36-9?arch=amd64&distro=debian-12.5',
        'debian/libssl3@3.0.11-1?arch=amd64&distro=debian-12.5 HAS CVE-2024-0001',
        'debian/libssl3@3.0.11-1?arch=amd64&distro=debian-12.5 LICENSED_UNDER Apache-2.0',
        '@acme/x@1.0.0 HAS GHSA-xxxx',
      ].sort(),
    );
    expect(facts(bill, IMAGE)).toMatchObject({ digest: DIGEST, os: 'debian 12.5' });
    expect(facts(bill, 'CVE-2024-0001')).toEqual({
      name: 'CVE-2024-0001',
      description: 'a longer text',
      severity: 'high',
      score: 7.5,
      aliases: ['DSA-5001-1'],
    });
    expect(bill.entities.find(({ key }) => key.startsWith('debian/libssl3'))?.properties).toMatchObject({
      source_name: 'openssl',
      source_version: '1:3.0.11-2~deb12u1',
    });
    expect(link(bill, 'debian/libssl3@3.0.11-1?arch=amd64&distro=debian-12.5 HAS CVE-2024-0001')).toEqual({
      fixed_versions: ['3.0.13-1', '3.1.5-1'],
      fix_state: 'fixed',
      source: 'debian',
      match: 'trivy',
    });
    expect([...bill.ignored]).toEqual([
      ['dependencies on packages that are not listed', 1],
      ['Results.Misconfigurations', 2],
    ]);
  });

  it('of a folder has a project', async () => {
    const bill = await read({ ...TRIVY, ArtifactType: 'repository', ArtifactName: 'src' });

    expect(sentences(bill)).toContain('src CONTAINS @acme/x@1.0.0');
    expect(bill.entities.filter(({ type }) => type === 'container_image')).toEqual([]);
  });

  it('of a cluster has the images of its workloads, and keeps what was not scanned', async () => {
    const { Metadata, Results } = TRIVY;
    const bill = await read({
      ClusterName: 'prod',
      Resources: [
        { Namespace: 'shop', Kind: 'DaemonSet', Name: 'web', Metadata: [Metadata], Results },
        { Namespace: 'shop', Kind: 'Pod', Name: 'old', Error: 'no such image' },
      ],
    });

    expect(sentences(bill)).toContain(`prod/shop/web RUNS ${IMAGE}`);
    expect(bill.entities.map(({ type, key }) => `${type} ${key}`)).toContain('kube_daemon_set prod/shop/web');
    expect(bill.unresolved).toEqual([
      {
        owner: { type: 'kube_pod', key: 'prod/shop/old' },
        end: 'from',
        verb: 'CONTAINS',
        reason: 'Resources[1]: prod/shop/old was not scanned: no such image',
      },
    ]);
  });

  it('with a finding that VEX takes back says so', async () => {
    const [result] = TRIVY.Results;
    const modified = {
      Type: 'vulnerability',
      Status: 'not_affected',
      Statement: 'unused',
      Finding: result?.Vulnerabilities[0],
    };
    const Results = [{ ...result, Vulnerabilities: [], ExperimentalModifiedFindings: [modified] }];

    const bill = await read({ ...TRIVY, Results });

    expect(
      link(bill, 'debian/libssl3@3.0.11-1?arch=amd64&distro=debian-12.5 NOT_AFFECTED_BY CVE-2024-0001'),
    ).toMatchObject({ state: 'not_affected', justification: 'unused' });
  });

  it.each([
    [{ ...TRIVY, SchemaVersion: 3 }, 'SchemaVersion: expected 2, got 3'],
    [{ ...TRIVY, Results: {} }, 'Results: expected a list, got an object'],
    [{ ...GRYPE, matches: 'none' }, 'matches: expected a list, got a string'],
  ])('of another form is refused by name: %#', async (document, message) => {
    await expect(read(document)).rejects.toThrow(message);
  });
});

describe('a report of Grype', () => {
  it('of a version before 0.13 has the reasons and scores under other names', async () => {
    const match = {
      vulnerability: {
        id: 'CVE-2020-36221',
        severity: 'Medium',
        cvssV2: { baseScore: 5, vector: 'AV:N/AC:L/Au:N/C:N/I:N/A:P' },
        fixedInVersion: '2.4.47+dfsg-3+deb10u5',
      },
      matchDetails: { matcher: 'dpkg-matcher', matchedOn: { constraint: '< 2.4.47+dfsg-3+deb10u5 (deb)' } },
      artifact: { name: 'libldap', version: '2.4.47', type: 'deb', purl: 'pkg:deb/debian/libldap@2.4.47' },
    };

    const bill = await read({ ...GRYPE, matches: [match] });

    expect(bill.warnings).toEqual([]);
    expect(facts(bill, 'CVE-2020-36221')).toMatchObject({ severity: 'medium', score: 5 });
    expect(link(bill, 'debian/libldap@2.4.47 HAS CVE-2020-36221')).toMatchObject({
      fixed_versions: ['2.4.47+dfsg-3+deb10u5'],
      range: '< 2.4.47+dfsg-3+deb10u5 (deb)',
    });
  });

  it('names a vulnerability by its one CVE and says why the package has it', async () => {
    const bill = await read(GRYPE);

    expect(sentences(bill)).toEqual([
      `${IMAGE} CONTAINS lodash@4.17.20`,
      'lodash@4.17.20 HAS CVE-2024-0002',
      'lodash@4.17.20 LICENSED_UNDER MIT',
    ]);
    expect(facts(bill, 'CVE-2024-0002')).toEqual({
      name: 'CVE-2024-0002',
      description: 'described there',
      severity: 'critical',
      score: 9.8,
      aliases: ['GHSA-aaaa-bbbb-cccc'],
      epss: 0.7,
      epss_percentile: 0.98,
      known_exploited: true,
    });
    expect(link(bill, 'lodash@4.17.20 HAS CVE-2024-0002')).toEqual({
      advisory: 'GHSA-aaaa-bbbb-cccc',
      fixed_versions: ['4.17.21'],
      fix_state: 'fixed',
      source: 'github:language:javascript',
      match: 'exact-direct-match',
      range: '<4.17.21 (semantic)',
    });
  });

  it('leaves out a match without a vulnerability, with a warning that names it', async () => {
    const bill = await read({ ...GRYPE, matches: [{ artifact: {} }, ...GRYPE.matches] });

    expect(bill.warnings).toEqual([
      'matches[0]: it has no artifact or no vulnerability with an id and is left out',
    ]);
    expect(sentences(bill)).toHaveLength(3);
  });
});

describe('a bill of a container', () => {
  it.each([
    [
      {
        name: 'acme/shop:2.1',
        properties: [{ name: 'aquasecurity:trivy:RepoDigest', value: `acme/shop@${DIGEST}` }],
      },
    ],
    [{ name: 'acme/shop', version: DIGEST }],
    [{ name: 'shop', purl: `pkg:oci/shop@${DIGEST}?repository_url=index.docker.io%2Facme%2Fshop` }],
  ])('is about the image that scanners and clusters know: %#', async (subject) => {
    const component = { type: 'container', 'bom-ref': 's', ...subject };
    const bill = await read({ bomFormat: 'CycloneDX', specVersion: '1.6', metadata: { component } });

    const [project] = bill.entities.filter(({ class: name }) => name === 'Project');
    expect(sentences(bill)).toContain(`${IMAGE} MAPS_TO ${project?.key ?? ''}`);
  });
});

interface Pair {
  readonly id: unknown;
  readonly name: unknown;
  readonly version: unknown;
}

/** The pairs of vulnerability and package, by a walk that knows nothing of either format but these fields. */
function pairsIn(value: unknown): readonly Pair[] {
  if (typeof value !== 'object' || value === null) return [];
  const { VulnerabilityID: id, PkgName: name, InstalledVersion: version } = value as Record<string, unknown>;
  if (id !== undefined) return [{ id, name, version }];
  const { vulnerability, artifact } = value as Record<string, Record<string, unknown> | undefined>;
  if (vulnerability !== undefined && artifact !== undefined)
    return [{ id: vulnerability['id'], name: artifact['name'], version: artifact['version'] }];
  return Object.entries(value).flatMap(([field, each]) => (field === 'ignoredMatches' ? [] : pairsIn(each)));
}

/** Those of this repository, and those that a folder of test data has. */
const files = [
  join(import.meta.dirname, '../../../../test/scan'),
  ...['trivy', 'grype'].map((folder) => join(SAMPLES, folder)),
].flatMap((folder) => (existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []));

describe('reports that Trivy and Grype have written', () => {
  const reports = files
    .filter((file) => /(?<!\.sarif)\.json$/.test(file))
    .map((file) => [basename(file), file]);

  it.each(reports)(
    '%s: each vulnerability of each package is there, and every end',
    async (_name, file = '') => {
      const run = await runConnector(sbomConnector(new NodeDisk()), { config: { file } });

      const faults = connectorMatchers.toHaveCompleted(run);
      expect(faults.pass ? 'complete' : faults.message()).toBe('complete');
      expect(run.report.status).toBe('complete');
      const properties = new Map(run.entities.map((each) => [`${each.type} ${each.key}`, each.properties]));
      const found = run.relationships
        .filter(({ verb }) => verb === 'HAS' || verb === 'NOT_AFFECTED_BY')
        .map(({ from, to }) => {
          const { name = '', version } = properties.get(`${from.type} ${from.key}`) ?? {};
          const aliases = properties.get(`${to.type} ${to.key}`)?.['aliases'] ?? [];
          return { names: String(name), version, ids: [to.key, aliases].flat() };
        });
      const counted = pairsIn(JSON.parse(readFileSync(file, 'utf8')));
      // A package URL has the name in lower case, with the group before it.
      const isSame = ({ names, version, ids }: (typeof found)[number], pair: Pair): boolean =>
        ids.includes(String(pair.id)) &&
        withoutEpoch(version) === withoutEpoch(pair.version) &&
        spelled(names).endsWith(spelled(String(pair.name).split(':').at(-1) ?? ''));
      expect(counted.filter((pair) => !found.some((each) => isSame(each, pair)))).toEqual([]);
      expect(found.filter((each) => !counted.some((pair) => isSame(each, pair)))).toEqual([]);
    },
  );
});

function spelled(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}

/** In the package URL of an RPM, the epoch is apart. */
function withoutEpoch(version: unknown): string {
  return String(version).replace(/^\d+:/, '');
}
