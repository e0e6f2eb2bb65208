import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { NodeDisk } from '#platform/disk';
import { connectorMatchers } from '../../kit/matchers.ts';
import { emittedEntity, runConnector, type TestRun } from '../../kit/run-connector.ts';
import { readCycloneDx } from './cyclonedx.ts';
import { sbomConnector } from './sbom-connector.ts';

const ROOT = join(import.meta.dirname, '../../../../../..');

const document = (more: object) => ({ bomFormat: 'CycloneDX', specVersion: '1.6', ...more });

async function runOn(text: string): Promise<TestRun> {
  const directory = await mkdtemp(join(tmpdir(), 'plexus-sbom-'));
  try {
    const file = join(directory, 'bill.json');
    await writeFile(file, text);
    return await runConnector(sbomConnector(new NodeDisk()), { config: { file } });
  } finally {
    await rm(directory, { recursive: true });
  }
}

describe('readCycloneDx', () => {
  it('names a component by its package URL, else by group and name', () => {
    const { entities } = readCycloneDx(
      document({
        metadata: { component: { name: 'shop', version: '2', purl: 'pkg:npm/%40corp/shop@2' } },
        components: [
          { name: 'x', version: '1.0', purl: 'pkg:npm/%40babel/core@1.0?arch=x64#lib' },
          { name: 'django', version: '5', purl: 'pkg:pypi/django@5' },
          { name: 'tool', group: 'org.acme', version: '3', components: [{ name: 'part' }] },
        ],
      }),
    );

    expect(entities.map(({ type, key }) => `${type} ${key}`).sort()).toEqual([
      'component org.acme/tool@3',
      'component part',
      'npm_package @babel/core@1.0?arch=x64#lib',
      'npm_project @corp/shop',
      'pypi_package django@5',
    ]);
  });

  it('has the package that another one is built from, as Trivy and cdxgen state it', () => {
    const named = (prefix: string, values: Readonly<Record<string, string>>) =>
      Object.entries(values).map(([name, value]) => ({ name: prefix + name, value }));
    const own = [{ name: 'aquasecurity:trivy:PkgID', value: 'libssl3@3.0' }];
    const source = { SrcName: 'openssl', SrcVersion: '3.0.11', SrcRelease: '1~deb12u2', SrcEpoch: '1' };
    const { entities } = readCycloneDx(
      document({
        components: [
          { name: 'a', properties: [...own, ...named('aquasecurity:trivy:', source)] },
          { name: 'b', properties: named('', { SrcName: 'musl', SrcVersion: '1.2.4-r1' }) },
          { name: 'c', properties: own },
        ],
      }),
    );

    expect(
      entities.map(({ properties = {} }) => [properties['source_name'], properties['source_version']]),
    ).toEqual([
      ['openssl', '1:3.0.11-1~deb12u2'],
      ['musl', '1.2.4-r1'],
      [undefined, undefined],
    ]);
  });

  it('relates dependencies, licences and vulnerabilities', () => {
    const { relationships, unresolved } = readCycloneDx(
      document({
        components: [
          { name: 'a', version: '1', 'bom-ref': 'A', licenses: [{ expression: 'MIT OR Apache-2.0' }] },
          { name: 'b', version: '1', 'bom-ref': 'B', licenses: [{ license: { id: 'ISC' } }] },
        ],
        dependencies: [{ ref: 'A', dependsOn: ['B', 'C'] }, { ref: 'B' }],
        vulnerabilities: [
          { id: 'CVE-1', ratings: [{ severity: 'high', score: 8 }], affects: [{ ref: 'B' }] },
        ],
      }),
    );

    expect(relationships.map(({ from, verb, to }) => `${from.key} ${verb} ${to.key}`).sort()).toEqual([
      'a@1 DEPENDS_ON b@1',
      'a@1 LICENSED_UNDER Apache-2.0',
      'a@1 LICENSED_UNDER MIT',
      'b@1 HAS CVE-1',
      'b@1 LICENSED_UNDER ISC',
    ]);
    expect(unresolved).toEqual([
      {
        owner: { type: 'component', key: 'a@1' },
        end: 'from',
        verb: 'DEPENDS_ON',
        reason: 'dependencies[0].dependsOn: the component with the reference C does not exist',
      },
    ]);
  });

  it.each(['1.2', '1.3', '1.7'])('reads version %s', (specVersion) => {
    const { entities } = readCycloneDx(document({ specVersion, components: [{ name: 'a', version: '1' }] }));

    expect(entities.map(({ key }) => key)).toEqual(['a@1']);
  });

  it('distinguishes packages by their qualifiers', () => {
    const purls = [
      'pkg:deb/debian/openssl@3?arch=amd64&distro=bookworm',
      'pkg:deb/debian/openssl@3?distro=bookworm&arch=arm64',
      'pkg:deb/debian/openssl@3?distro=bookworm&arch=amd64&download_url=https%3A%2F%2Fx',
    ];

    const { entities } = readCycloneDx(
      document({ components: purls.map((purl) => ({ name: 'openssl', version: '3', purl })) }),
    );

    expect(entities.map(({ key }) => key)).toEqual([
      'debian/openssl@3?arch=amd64&distro=bookworm',
      'debian/openssl@3?arch=arm64&distro=bookworm',
    ]);
  });

  it.each([
    ['not_affected', 'NOT_AFFECTED_BY'],
    ['false_positive', 'NOT_AFFECTED_BY'],
    ['resolved', 'NOT_AFFECTED_BY'],
    ['exploitable', 'HAS'],
    ['in_triage', 'HAS'],
    [undefined, 'HAS'],
  ])('relates a vulnerability that is %s by %s', (state, verb) => {
    const analysis = state === undefined ? null : { state, justification: 'code_not_reachable' };
    const { relationships } = readCycloneDx(
      document({
        components: [{ name: 'a', version: '1', 'bom-ref': 'A' }],
        vulnerabilities: [{ id: 'CVE-1', analysis, affects: [{ ref: 'A' }] }],
      }),
    );

    expect(relationships.map((each) => each.verb)).toEqual([verb]);
    expect(relationships[0]?.properties?.['state']).toBe(state);
  });

  it('relates a vulnerability by NOT_AFFECTED_BY where all versions are unaffected', () => {
    const verbFor = (...statuses: readonly string[]) => {
      const versions = statuses.map((status, at) => ({ version: String(at), status }));
      const vulnerability = { id: 'CVE-1', affects: [{ ref: 'A', versions }] };
      const components = [{ name: 'a', 'bom-ref': 'A' }];
      return readCycloneDx(document({ components, vulnerabilities: [vulnerability] })).relationships[0]?.verb;
    };

    expect(verbFor('unaffected', 'unaffected')).toBe('NOT_AFFECTED_BY');
    expect(verbFor('unaffected', 'affected')).toBe('HAS');
    expect(verbFor()).toBe('HAS');
  });

  it.each([
    [{ specVersion: '1.8' }, 'specVersion: expected a version from 1.2 to 1.7'],
    [{ components: {} }, 'components: expected a list, got an object'],
  ])('refuses %j', (more, message) => {
    expect(() => readCycloneDx(document(more))).toThrow(expect.objectContaining({ message }));
  });
});

describe('the SBOM connector', () => {
  it('gives the same result for a lock file and for the bill that npm generates from it', async () => {
    const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'];
    const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` };
    const written = execFileSync('npm', args, { cwd: ROOT, env, encoding: 'utf8', maxBuffer: 2 ** 26 });

    const bill = await runOn(written);
    const file = join(ROOT, 'package-lock.json');
    const lock = await runConnector(sbomConnector(new NodeDisk()), { config: { file } });

    const packages = (run: TestRun) =>
      run.entities.filter(({ type }) => type === 'npm_package').map(({ key }) => key);
    expect(connectorMatchers.toHaveCompleted(bill)).toMatchObject({ pass: true });
    expect(connectorMatchers.toHaveCompleted(lock)).toMatchObject({ pass: true });
    expect(packages(bill).length).toBeGreaterThan(300);
    expect(packages(lock)).toEqual(expect.arrayContaining(packages(bill)));
    expect(emittedEntity(bill, 'npm_project', 'plexus').class).toBe('Project');
    expect(connectorMatchers.toHaveRelated(bill, 'plexus DEPENDS_ON rxjs@7.8.2')).toMatchObject({
      pass: true,
    });
  });

  it('gives the same result for SPDX and CycloneDX from npm', async () => {
    const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` };
    const written = (format: string) =>
      execFileSync('npm', ['sbom', '--package-lock-only', '--sbom-format', format], {
        cwd: ROOT,
        env,
        encoding: 'utf8',
        maxBuffer: 2 ** 26,
      });

    const spdx = await runOn(written('spdx'));
    const cyclonedx = await runOn(written('cyclonedx'));

    const packages = (run: TestRun) =>
      run.entities
        .filter(({ type }) => type === 'npm_package')
        .map(({ key }) => key)
        .sort();
    expect(connectorMatchers.toHaveCompleted(spdx)).toMatchObject({ pass: true });
    expect(packages(spdx)).toEqual(packages(cyclonedx));
    expect(emittedEntity(spdx, 'npm_project', 'plexus').class).toBe('Project');
    expect(connectorMatchers.toHaveRelated(spdx, 'plexus DEPENDS_ON rxjs@7.8.2')).toMatchObject({
      pass: true,
    });
  });

  it.each([
    ['{"lockfileVersion":4}', 'lockfileVersion: expected 1, 2 or 3'],
    ['{"spdxVersion":"SPDX-1.2"}', 'spdxVersion: expected SPDX-2.2 or SPDX-2.3'],
    ['{"@graph":[]}', 'got JSON-LD'],
    ['{"_type":"https://in-toto.io/Statement/v1","predicate":{}}', 'got an attestation of nothing'],
    ['{"payloadType":"application/vnd.in-toto+json","payload":""}', 'a statement in the payload'],
    ['{"document":{"category":"csaf_vex"}}', 'got an advisory without a csaf_version'],
    ['{"artifacts":[],"schema":{"version":"16"}}', 'got Syft JSON'],
    ['<rdf:RDF xmlns:spdx="http://spdx.org/rdf/terms#"/>', 'got SPDX RDF/XML'],
    ['<SoftwareIdentity name="a"/>', 'got a SWID tag'],
    ['[{"Target": "a", "Vulnerabilities": []}]', 'got a report of Trivy before version 0.20'],
    ['bomFormat: CycloneDX\nspecVersion: 1.6\n', 'got CycloneDX in YAML'],
    ["lockfileVersion: '4.0'\n", 'lockfileVersion: expected version 5, 6 or 9'],
    ['# yarn lockfile v1\n\na@^1:\n  version "1\n', 'expected a yarn.lock, got other text'],
    ['{"packages":[]}', 'report of Trivy or Grype, got a document with packages'],
    ['bomFormat', 'got text that is not JSON'],
  ])('fails on %s, so that nothing is synced', async (text, reason) => {
    const { report } = await runOn(text);

    expect(report).toMatchObject({ status: 'failed', entities: 0 });
    expect(report.steps[0]?.reason).toContain(reason);
  });

  it('is partial with an unresolved reference, which keeps the dependencies of its component', async () => {
    const bill = document({
      components: [{ name: 'a', version: '1', 'bom-ref': 'A' }],
      dependencies: [{ ref: 'A', dependsOn: ['gone'] }],
    });

    const { report, partialRelationships } = await runOn(JSON.stringify(bill));

    expect(report).toMatchObject({ status: 'partial', partial_types: [], unresolved_count: 1, entities: 1 });
    expect(partialRelationships).toEqual([
      { verb: 'DEPENDS_ON', end: 'from', type: 'component', key: 'a@1' },
    ]);
  });

  it('reports a missing file without its path', async () => {
    const { report } = await runConnector(sbomConnector(new NodeDisk()), {
      config: { file: '/nowhere/x.json' },
    });

    expect(report.steps[0]?.reason).toBe('cannot open the file x.json: ENOENT');
  });
});
