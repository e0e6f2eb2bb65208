/** Bills of materials that change between two runs: what vanished is deleted, and nothing else. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstPartyConnectors, readConnector, type RunRecord } from '#graph/connector';
import { NodeDisk } from '#platform/disk';
import { TestService } from './support/test-service.ts';

const NO_LIMIT = { force: true };
const options = { types: firstPartyConnectors(new NodeDisk()), environment: {} };
const library = (name: string, more: object = {}) => ({
  type: 'library',
  name,
  version: '1',
  'bom-ref': name,
  ...more,
});
const cyclonedx = (more: object) => ({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, ...more });

let directory: string;
let service: TestService;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plexus-bills-'));
  const connectors = ['bill', 'vex'].map((id) =>
    readConnector(
      `id: ${id}\nconnector: sbom\nconfig: { file: ${id}.json }\n`,
      join(directory, `${id}.yaml`),
      options,
    ),
  );
  service = await TestService.start({ connectors });
});
afterEach(async () => {
  await service.stop();
  await rm(directory, { recursive: true });
});

async function run(document: object | string, id = 'bill'): Promise<RunRecord> {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  await writeFile(join(directory, `${id}.json`), text);
  let record = (await service.json(202, 'POST', `/v1/connectors/${id}/run`, NO_LIMIT)) as object as RunRecord;
  while (record.ended_at === null)
    record = (await service.json(200, 'GET', `/v1/connectors/runs/${record.run_id}`)) as object as RunRecord;
  return record;
}

async function links(verb: string): Promise<readonly string[]> {
  const found = await service.query(`FIND * AS a THAT ${verb} >> * AS b RETURN a._key, b._key`);
  return (found['rows'] as readonly string[][]).map((row) => row.join(' ')).sort();
}

/** Two packages, of which the first depends on the second; texts without the second and what leads to it. */
const FORMATS: readonly (readonly [string, string, (text: string) => string])[] = [
  [
    'CycloneDX XML',
    '<bom xmlns="http://cyclonedx.org/schema/bom/1.6"><components><component type="library" bom-ref="a"><name>a</name>' +
      '</component><component type="library" bom-ref="b"><name>b</name></component></components><dependencies>' +
      '<dependency ref="a"><dependency ref="b"/></dependency></dependencies></bom>',
    (text) =>
      text
        .replace(/<component type="library" bom-ref="b">.*?<\/component>/, '')
        .replace('<dependency ref="b"/>', ''),
  ],
  [
    'SPDX tag-value',
    'SPDXVersion: SPDX-2.3\nDocumentName: d\nPackageName: a\nSPDXID: SPDXRef-a\n' +
      'Relationship: SPDXRef-a DEPENDS_ON SPDXRef-b\nPackageName: b\nSPDXID: SPDXRef-b\n',
    (text) => text.replace(/Relationship.*\n/, '').replace(/PackageName: b\n.*\n/, ''),
  ],
  [
    'SPDX 3',
    JSON.stringify({
      '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld',
      '@graph': [
        { type: 'software_Package', spdxId: 'urn:a', name: 'a' },
        { type: 'software_Package', spdxId: 'urn:b', name: 'b' },
        { type: 'Relationship', relationshipType: 'dependsOn', from: 'urn:a', to: ['urn:b'] },
      ],
    }),
    (text) => text.replace(/,\{"type":"software_Package","spdxId":"urn:b".*\}\]/, ']'),
  ],
  [
    'pnpm-lock.yaml',
    "lockfileVersion: '9.0'\nimporters:\n  .: {}\npackages: {}\nsnapshots:\n  a@1:\n    dependencies: { b: 1 }\n  b@1: {}\n",
    (text) => text.replace('dependencies: { b: 1 }', 'dependencies: {}').replace('  b@1: {}\n', ''),
  ],
];

describe.each(FORMATS)('a bill in %s', (_, text, withoutB) => {
  it('loses exactly what is no longer in it, and nothing when it is damaged', async () => {
    const first = await run(text);
    expect(first).toMatchObject({ status: 'complete', sync: { relationships_created: 1 } });
    const count = Number(first.sync?.entities_created);

    const damaged = await run(text.slice(0, 30) + text.slice(60));
    expect(damaged).toMatchObject({ status: 'failed' });

    expect(await run(withoutB(text))).toMatchObject({
      status: 'complete',
      sync: { entities_deleted: 1, relationships_deleted: 1, entities_unchanged: count - 1 },
    });
  });
});

describe('a dependency of a component', () => {
  const bill = (target: string, more: readonly object[] = []) =>
    cyclonedx({
      components: ['web', 'old', 'new'].map((name) => library(name)),
      services: [{ 'bom-ref': 'svc', name: 'billing' }],
      dependencies: [{ ref: 'web', dependsOn: [target, 'svc'] }, ...more],
    });

  it('that is gone is deleted, with a service beside it', async () => {
    await run(bill('old'));
    const second = await run(bill('new'));

    expect(second).toMatchObject({ status: 'complete', sync: { relationships_deleted: 1 } });
    expect(await links('DEPENDS_ON')).toEqual(['web@1 billing', 'web@1 new@1']);
  });

  it('that is gone is deleted, although another component has an unknown one', async () => {
    const dangling = [{ ref: 'old', dependsOn: ['new', 'gone'] }];
    await run(bill('old', dangling));
    const second = await run(bill('new', [{ ref: 'old', dependsOn: ['gone'] }]));

    expect(second).toMatchObject({ status: 'partial', unresolved_count: 1, partial_types: [] });
    expect(await links('DEPENDS_ON')).toEqual(['old@1 new@1', 'web@1 billing', 'web@1 new@1']);
  });
});

describe('a statement of a VEX', () => {
  const SERIAL = '3e671687-395b-41f5-a30f-a58921a69b79';
  const vex = (state: string) =>
    cyclonedx({
      components: [library('log')],
      vulnerabilities: [
        { id: 'CVE-2099-0001', analysis: { state }, affects: [{ ref: 'log' }] },
        { id: 'CVE-2099-0002', affects: [{ ref: `urn:cdx:${SERIAL}/1#other` }] },
      ],
    });

  it('that changes is replaced, although another one is about an unknown bill', async () => {
    await run(vex('exploitable'));
    const second = await run(vex('not_affected'));

    expect(second).toMatchObject({ status: 'complete', external_count: 1, unresolved_count: 0 });
    expect(await links('HAS')).toEqual([]);
    expect(await links('NOT_AFFECTED_BY')).toEqual(['log@1 CVE-2099-0001']);
  });
});

describe('a VEX about the component of another bill', () => {
  const SERIAL = '3e671687-395b-41f5-a30f-a58921a69b79';
  const bill = (version: number) =>
    cyclonedx({
      serialNumber: `urn:uuid:${SERIAL}`,
      version,
      components: [library('lib'), library('other')],
    });
  const vex = (...links: readonly string[]) =>
    cyclonedx({
      vulnerabilities: [
        {
          id: 'CVE-2099-0001',
          analysis: { state: 'not_affected', justification: 'code_not_reachable' },
          affects: links.map((link) => ({ ref: `urn:cdx:${link}` })),
        },
      ],
    });

  it('reaches it by its link, in the folder of the VEX', async () => {
    await run(bill(1));
    const both = await run(
      vex(`${SERIAL}/1#lib`, `${SERIAL.toUpperCase()}/1#other`, `${SERIAL}/1#gone`),
      'vex',
    );
    const reached = await links('NOT_AFFECTED_BY');
    const one = await run(vex(`${SERIAL}/1#lib`), 'vex');

    expect(both).toMatchObject({ status: 'complete', external_count: 1, sync: { warnings: [] } });
    expect(reached).toEqual(['lib@1 CVE-2099-0001', 'other@1 CVE-2099-0001']);
    expect(one).toMatchObject({ status: 'complete', sync: { relationships_deleted: 1 } });
    expect(await links('NOT_AFFECTED_BY')).toEqual(['lib@1 CVE-2099-0001']);
  });

  it('does not reach that of another version, nor one in a file that is no bill', async () => {
    await run(bill(2));
    await writeFile(join(directory, 'broken.json'), `{"serialNumber":"urn:uuid:${SERIAL}",`);
    await writeFile(join(directory, 'list.json'), `["${SERIAL}"]`);
    const { status, external_count: external } = await run(vex(`${SERIAL}/1#lib`), 'vex');

    expect([status, external]).toEqual(['complete', 1]);
    expect(await links('NOT_AFFECTED_BY')).toEqual([]);
  });
});

describe('a second run without one thing', () => {
  const spdxPackage = (id: string) => ({ SPDXID: `SPDXRef-${id}`, name: id, versionInfo: '1' });
  const spdxLink = (to: string) => ({
    spdxElementId: 'SPDXRef-a',
    relationshipType: 'DYNAMIC_LINK',
    relatedSpdxElement: `SPDXRef-${to}`,
  });
  const spdx = (packages: readonly string[], targets: readonly string[]) => ({
    spdxVersion: 'SPDX-2.3',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: 'd',
    packages: packages.map(spdxPackage),
    relationships: targets.map(spdxLink),
  });
  const bill = (names: readonly string[], more: object = {}) =>
    cyclonedx({
      components: names.map((name) => library(name, { licenses: [{ license: { id: 'MIT' } }] })),
      services: [{ 'bom-ref': 's', name: 's' }],
      dependencies: [{ ref: 'a', dependsOn: names.filter((name) => name !== 'a'), provides: ['s'] }],
      vulnerabilities: [{ id: 'CVE-1', affects: names.map((ref) => ({ ref })) }],
      ...more,
    });
  const lock = (names: readonly string[]) => ({
    name: 'shop',
    lockfileVersion: 3,
    packages: {
      '': { dependencies: Object.fromEntries(names.map((name) => [name, '1'])) },
      ...Object.fromEntries(names.map((name) => [`node_modules/${name}`, { version: '1.0.0' }])),
    },
  });

  it.each([
    ['component', bill(['a', 'b', 'c']), bill(['a', 'b']), { entities: 1, relationships: 3 }],
    ['service', bill(['a', 'b']), bill(['a', 'b'], { services: [] }), { entities: 1, relationships: 0 }],
    [
      'dependency',
      bill(['a', 'b']),
      bill(['a', 'b'], { dependencies: [] }),
      { entities: 0, relationships: 2 },
    ],
    [
      'affected component',
      bill(['a', 'b']),
      bill(['a', 'b'], { vulnerabilities: [{ id: 'CVE-1', affects: [{ ref: 'a' }] }] }),
      { entities: 0, relationships: 1 },
    ],
    [
      'SPDX package',
      spdx(['a', 'b', 'c'], ['b', 'c']),
      spdx(['a', 'b'], ['b']),
      { entities: 1, relationships: 1 },
    ],
    [
      'SPDX relationship',
      spdx(['a', 'b', 'c'], ['b', 'c']),
      spdx(['a', 'b', 'c'], ['b']),
      { entities: 0, relationships: 1 },
    ],
    ['locked package', lock(['a', 'b']), lock(['a']), { entities: 1, relationships: 1 }],
  ])('deletes exactly that: a %s', async (what, first, second, deleted) => {
    await run(first);
    const { status, sync } = await run(second);

    const isProviding = what === 'service';
    expect(sync).toMatchObject({
      entities_deleted: deleted.entities,
      relationships_deleted: deleted.relationships + (isProviding ? 1 : 0),
      entities_created: 0,
      relationships_created: 0,
    });
    expect(status).toBe(isProviding ? 'partial' : 'complete');
  });
});
