/** Bills that speak of elements of other documents: of the same source, beside it, or nowhere. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { NodeDisk } from '#platform/disk';
import { runConnector, type TestRun } from '../../kit/run-connector.ts';
import { sbomConnector } from './sbom-connector.ts';

type Files = Readonly<Record<string, object | string>>;

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plexus-linked-'));
});
afterAll(() => rm(directory, { recursive: true }));

/** Reads all files as one source, or only the one that is named. */
async function read(files: Files, only?: string): Promise<TestRun> {
  const folder = await mkdtemp(join(directory, 'bills-'));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  const file = only === undefined ? folder : join(folder, only);
  return runConnector(sbomConnector(new NodeDisk()), { config: { file } });
}
const linksOf = ({ relationships }: TestRun): readonly string[] =>
  relationships.map(({ from, verb, to }) => `${from.key} ${verb} ${to.key}`).sort();
const outcomeOf = ({
  report: { status, external_count: external, unresolved_count: unresolved },
}: TestRun) => [status, external, unresolved];

const [SERIAL, OTHER] = ['3e671687-395b-41f5-a30f-a58921a69b79', '0b9c3f1e-1111-4222-8333-444455556666'];
const LINK = `urn:cdx:${SERIAL}/1`;
const bom = (serial: string | undefined, more: object): object => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  ...(serial !== undefined && { serialNumber: `urn:uuid:${serial}` }),
  ...more,
});
const library = (name: string, more: object = {}) => ({
  type: 'library',
  'bom-ref': name,
  name,
  version: '1',
  ...more,
});
const LIBRARY = bom(SERIAL.toUpperCase(), {
  metadata: { component: { type: 'application', 'bom-ref': 'app', name: 'app' } },
  components: [library('a'), library('b b')],
});
const XML = `<?xml version="1.0" encoding="UTF-8"?>
<bom xmlns="http://cyclonedx.org/schema/bom/1.6" serialNumber="urn:uuid:${OTHER}" version="1">
  <components>
    <component type="library" bom-ref="x"><name>x</name><version>1</version><externalReferences>
      <reference type="bom"><url>${LINK}#a</url></reference>
      <reference type="website"><url>https://example.com</url></reference></externalReferences></component>
  </components>
</bom>
`;

describe('BOM-Links', () => {
  const vex = (...references: readonly string[]) =>
    bom(undefined, {
      vulnerabilities: [
        { id: 'CVE-1', affects: references.map((ref) => ({ ref })) },
        { id: 'CVE-2', analysis: { state: 'not_affected' }, affects: references.map((ref) => ({ ref })) },
      ],
    });

  it('of a VEX document lead to the components of a bill anywhere in the source', async () => {
    const run = await read({ 'vex.json': vex(`${LINK}#a`, `${LINK}#b%20b`), 'deep/er/bom.json': LIBRARY });

    expect(linksOf(run)).toEqual([
      'a@1 HAS CVE-1',
      'a@1 NOT_AFFECTED_BY CVE-2',
      'b b@1 HAS CVE-1',
      'b b@1 NOT_AFFECTED_BY CVE-2',
    ]);
    expect(outcomeOf(run)).toEqual(['complete', 0, 0]);
  });

  it('without a fragment lead to the subject of the bill', async () => {
    const run = await read({ 'vex.json': vex(LINK), 'bom.json': LIBRARY });

    expect(linksOf(run)).toEqual(['app HAS CVE-1', 'app NOT_AFFECTED_BY CVE-2']);
  });

  it('at both ends of dependencies, and as the bill of a component, lead to other bills', async () => {
    const run = await read({
      'bom.json': LIBRARY,
      'other.xml': XML,
      'system.json': bom(undefined, {
        metadata: { component: { type: 'platform', 'bom-ref': 's', name: 'system' } },
        components: [
          library('app-image', {
            externalReferences: [
              { type: 'bom', url: LINK },
              { type: 'vcs', url: 'https://example.com' },
            ],
          }),
        ],
        dependencies: [
          { ref: 's', dependsOn: [`${LINK}#a`] },
          { ref: `${LINK}#a`, dependsOn: ['app-image'] },
        ],
      }),
    });

    expect(linksOf(run)).toEqual([
      'a@1 DEPENDS_ON app-image@1',
      'app-image@1 MAPS_TO app',
      'system DEPENDS_ON a@1',
      'x@1 MAPS_TO a@1',
    ]);
    expect(outcomeOf(run)).toEqual(['complete', 0, 0]);
    expect(run.report.ignored).toMatchObject({ 'component.externalReferences': 2 });
  });

  it('to what is not there are counted by the name of the bill', async () => {
    const gone = `urn:cdx:${OTHER}/1`;
    const run = await read({
      'bom.json': LIBRARY,
      'vex.json': vex(`${gone}#a`, `${LINK.replace('/1', '/2')}#a`, `${LINK}#gone`),
    });

    expect(linksOf(run)).toEqual([]);
    expect(outcomeOf(run)).toEqual(['complete', 6, 0]);
    expect(run.report.ignored).toMatchObject({
      [`references to ${gone}, which is not there`]: 2,
      [`references to urn:cdx:${SERIAL}/2, which is not there`]: 2,
      [`references to ${LINK}, which is not there`]: 2,
    });
  });

  it('reach a bill in an attestation, and one beside a source of one file', async () => {
    const statement = {
      _type: 'https://in-toto.io/Statement/v1',
      subject: [],
      predicateType: 'https://cyclonedx.org/bom',
      predicate: LIBRARY,
    };
    const run = await read(
      { 'vex.json': vex(`${LINK}#a`), 'bom.json': statement, 'damaged.json': LINK },
      'vex.json',
    );

    expect(linksOf(run)).toEqual(['a@1 HAS CVE-1', 'a@1 NOT_AFFECTED_BY CVE-2']);
  });
});

describe('DocumentRefs of SPDX 2', () => {
  const NAMESPACE = 'https://example.com/lib-1';
  const relation = (from: string, type: string, to: string) => ({
    spdxElementId: from,
    relationshipType: type,
    relatedSpdxElement: to,
  });
  const LIB = {
    spdxVersion: 'SPDX-2.3',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: 'lib',
    documentNamespace: NAMESPACE,
    packages: [
      { SPDXID: 'SPDXRef-l', name: 'l', versionInfo: '1' },
      { SPDXID: 'SPDXRef-m', name: 'm', versionInfo: '1' },
    ],
    relationships: [relation('SPDXRef-DOCUMENT', 'DESCRIBES', 'SPDXRef-l')],
  };
  const TAGS = `SPDXVersion: SPDX-2.3
DataLicense: CC0-1.0
SPDXID: SPDXRef-DOCUMENT
DocumentName: app
ExternalDocumentRef: DocumentRef-lib ${NAMESPACE} SHA1: d6a7
PackageName: app
SPDXID: SPDXRef-app
Relationship: SPDXRef-app DEPENDS_ON DocumentRef-lib:SPDXRef-l
Relationship: DocumentRef-lib:SPDXRef-m DEPENDS_ON SPDXRef-app
Relationship: SPDXRef-app DEPENDS_ON DocumentRef-lib:SPDXRef-DOCUMENT
`;

  it('lead to the packages of the document that they name', async () => {
    const run = await read({ 'app.spdx': TAGS, 'lib.json': LIB });

    expect(linksOf(run)).toEqual(['app DEPENDS_ON l', 'm@1 DEPENDS_ON app']);
    expect(outcomeOf(run)).toEqual(['complete', 0, 0]);
  });

  it('to a document that is not there are counted by its name', async () => {
    const run = await read({ 'app.spdx': TAGS });

    expect(outcomeOf(run)).toEqual(['complete', 3, 0]);
    expect(run.report.ignored).toMatchObject({ [`references to ${NAMESPACE}, which is not there`]: 3 });
  });
});

describe('imports of SPDX 3', () => {
  const element = (type: string, id: string, more: object = {}) => ({ type, spdxId: id, ...more });
  const pack = (id: string) =>
    element('software_Package', id, { name: id.at(-1), software_packageVersion: '1' });
  const spdx3 = (version: string, ...graph: readonly object[]) => ({
    '@context': `https://spdx.org/rdf/${version}/spdx-context.jsonld`,
    '@graph': [{ type: 'CreationInfo', '@id': '_:c', specVersion: version }, ...graph],
  });
  const [LIB, VEX] = ['https://lib.example/1#', 'https://vex.example/1#'];
  const imported = (...ids: readonly string[]) =>
    ids.map((externalSpdxId) => ({ type: 'ExternalMap', externalSpdxId }));
  const relation = (type: string, from: string, ...to: readonly string[]) =>
    element('Relationship', `urn:${type}:${from}`, { relationshipType: type, from, to });
  const app = (version: string) =>
    spdx3(
      version,
      element('SpdxDocument', 'urn:app', {
        [version === '3.0.0' ? 'imports' : 'import']: imported(`${LIB}a`, `${VEX}CVE-1`),
      }),
      pack('urn:p'),
      relation('dependsOn', 'urn:p', `${LIB}a`),
      relation('affects', `${VEX}CVE-1`, 'urn:p', `${LIB}a`),
    );
  const OTHERS: Files = {
    'lib.json': spdx3('3.0.1', pack(`${LIB}a`), pack(`${LIB}b`)),
    'vex.json': spdx3(
      '3.0.1',
      element('SpdxDocument', 'urn:vex', { import: imported(`${LIB}b`) }),
      element('security_Vulnerability', `${VEX}CVE-1`, {
        externalIdentifier: [{ externalIdentifierType: 'cve', identifier: 'CVE-2099-1' }],
      }),
      relation('doesNotAffect', `${VEX}CVE-1`, `${LIB}b`),
    ),
  };

  it.each(['3.0.0', '3.0.1'])('%s meet packages and vulnerabilities of other documents', async (version) => {
    const run = await read({ ...OTHERS, 'app.json': app(version) });

    expect(linksOf(run)).toEqual([
      'b@1 NOT_AFFECTED_BY CVE-2099-1',
      'p@1 DEPENDS_ON a@1',
      'p@1 HAS CVE-2099-1',
    ]);
    expect(outcomeOf(run)).toEqual(['complete', 0, 0]);
    // That an imported vulnerability affects an imported package is a statement about two other documents.
    expect(run.report.ignored).toMatchObject({ 'relationships between other documents': 1 });
    expect(run.entities.filter(({ type }) => type === 'vulnerability').map(({ key }) => key)).toEqual([
      'CVE-2099-1',
    ]);
  });

  it('that are not there are counted by the document that has them', async () => {
    const run = await read({ 'app.json': app('3.0.1') });

    expect(linksOf(run)).toEqual([]);
    expect(outcomeOf(run)).toEqual(['complete', 2, 0]);
    expect(run.report.ignored).toMatchObject({
      'references to https://lib.example/1, which is not there': 1,
      'references to https://vex.example/1, which is not there': 1,
    });
  });
});
