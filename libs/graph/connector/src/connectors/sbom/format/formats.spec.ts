/** The formats of bills: what one format says, another says too, and the graph is the same. */
import { describe, expect, it } from '@jest/globals';
import type { Bill } from '../bill-builder.ts';
import { readBill } from '../read-bill.ts';

const read = (text: string | object): Promise<Bill> =>
  readBill({
    text: typeof text === 'string' ? text : JSON.stringify(text),
    folder: 'shop',
    beside: () => Promise.resolve(undefined),
  });

const entitiesOf = ({ entities }: Bill) =>
  entities
    .map(({ type, key, properties }) => [type, key, JSON.parse(JSON.stringify(properties))] as const)
    .sort(([a, b], [c, d]) => (a + b < c + d ? -1 : 1));
const linksOf = ({ relationships }: Bill) =>
  relationships.map(({ from, verb, to }) => `${from.key} ${verb} ${to.key}`).sort();
const statesOf = ({ relationships }: Bill) =>
  relationships.map(({ from, verb, to, properties }) => [
    `${from.key} ${verb} ${to.key}`,
    JSON.parse(JSON.stringify(properties)) as object,
  ]);

const CYCLONEDX = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
  version: 2,
  metadata: {
    timestamp: '2026-01-01T00:00:00Z',
    component: { type: 'application', 'bom-ref': 'shop', name: 'shop', version: '2' },
  },
  components: [
    {
      type: 'library',
      'bom-ref': 'a',
      group: 'acme',
      name: 'a',
      version: '1.10',
      purl: 'pkg:npm/acme/a@1.10',
      scope: 'required',
      cpe: 'cpe:2.3:a:acme:a:1.10:*:*:*:*:*:*:*',
      supplier: { name: 'Acme & Sons' },
      authors: [{ name: 'Ann' }, { name: 'Bob' }],
      hashes: [{ alg: 'SHA-1', content: 'aa' }],
      licenses: [
        { license: { id: 'MIT', acknowledgement: 'declared' } },
        { license: { name: 'Own', acknowledgement: 'concluded' } },
      ],
      properties: [
        { name: 'x', value: '1' },
        { name: 'y', value: '2' },
      ],
      components: [{ type: 'file', 'bom-ref': 'f', name: 'f' }],
    },
    {
      type: 'library',
      'bom-ref': 'b',
      name: 'b',
      version: '1',
      licenses: [{ expression: 'MIT OR Apache-2.0' }],
    },
  ],
  services: [
    {
      'bom-ref': 's',
      name: 'pay',
      provider: { name: 'Bank' },
      endpoints: ['https://pay.example/1', 'https://pay.example/2'],
      authenticated: true,
      'x-trust-boundary': false,
    },
  ],
  dependencies: [
    { ref: 'shop', dependsOn: ['a', 's'] },
    { ref: 'a', dependsOn: ['b', 'gone'], provides: ['f'] },
  ],
  vulnerabilities: [
    {
      'bom-ref': 'v',
      id: 'CVE-2099-0001',
      description: 'bad',
      ratings: [{ score: 9.8, severity: 'critical', method: 'CVSSv31' }],
      analysis: { state: 'not_affected', justification: 'code_not_reachable' },
      affects: [{ ref: 'a', versions: [{ version: '1.10', status: 'unaffected' }] }],
    },
  ],
};

const CYCLONEDX_XML = `<?xml version="1.0" encoding="UTF-8"?>
<bom xmlns="http://cyclonedx.org/schema/bom/1.6" serialNumber="urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79" version="2">
  <metadata>
    <timestamp>2026-01-01T00:00:00Z</timestamp>
    <component type="application" bom-ref="shop"><name>shop</name><version>2</version></component>
  </metadata>
  <components>
    <component type="library" bom-ref="a">
      <supplier><name>Acme &amp; Sons</name></supplier>
      <authors><author><name>Ann</name></author><author><name>Bob</name></author></authors>
      <group>acme</group><name>a</name><version>1.10</version><scope>required</scope>
      <hashes><hash alg="SHA-1">aa</hash></hashes>
      <licenses>
        <license acknowledgement="declared"><id>MIT</id></license>
        <license acknowledgement="concluded"><name>Own</name></license>
      </licenses>
      <cpe>cpe:2.3:a:acme:a:1.10:*:*:*:*:*:*:*</cpe>
      <purl>pkg:npm/acme/a@1.10</purl>
      <properties><property name="x">1</property><property name="y">2</property></properties>
      <components><component type="file" bom-ref="f"><name>f</name></component></components>
    </component>
    <component type="library" bom-ref="b">
      <name>b</name><version>1</version><licenses><expression>MIT OR Apache-2.0</expression></licenses>
    </component>
  </components>
  <services>
    <service bom-ref="s">
      <provider><name>Bank</name></provider><name>pay</name>
      <endpoints><endpoint>https://pay.example/1</endpoint><endpoint>https://pay.example/2</endpoint></endpoints>
      <authenticated>true</authenticated><x-trust-boundary>0</x-trust-boundary>
    </service>
  </services>
  <dependencies>
    <dependency ref="shop"><dependency ref="a"/><dependency ref="s"/></dependency>
    <dependency ref="a"><dependency ref="b"/><dependency ref="gone"/><provides ref="f"/></dependency>
  </dependencies>
  <vulnerabilities>
    <vulnerability bom-ref="v">
      <id>CVE-2099-0001</id>
      <ratings><rating><score>9.8</score><severity>critical</severity><method>CVSSv31</method></rating></ratings>
      <description>bad</description>
      <analysis><state>not_affected</state><justification>code_not_reachable</justification></analysis>
      <affects>
        <target><ref>a</ref><versions><version><version>1.10</version><status>unaffected</status></version></versions></target>
      </affects>
    </vulnerability>
  </vulnerabilities>
</bom>`;

describe('CycloneDX XML', () => {
  it('is read as CycloneDX JSON is, with what is missing and what is left unread', async () => {
    const [json, xml] = [await read(CYCLONEDX), await read(CYCLONEDX_XML)];

    expect(entitiesOf(xml)).toEqual(entitiesOf(json));
    expect(entitiesOf(xml)).toHaveLength(9);
    expect(statesOf(xml)).toEqual(statesOf(json));
    expect(xml.unresolved).toEqual(json.unresolved);
    expect(xml.unresolved).toHaveLength(1);
    expect(xml.ignored).toEqual(json.ignored);
    expect(xml.warnings).toEqual([]);
  });

  it('has licences with details since version 1.7', async () => {
    const licence = '<expression-detailed expression="MIT AND ISC"><details/></expression-detailed>';
    const bill = await read(
      `<bom xmlns="http://cyclonedx.org/schema/bom/1.7"><components><component type="library"><name>a</name>
      <licenses>${licence}</licenses></component></components></bom>`,
    );

    expect(linksOf(bill)).toEqual(['a LICENSED_UNDER ISC', 'a LICENSED_UNDER MIT']);
  });

  it.each([
    ['<bom xmlns="http://cyclonedx.org/schema/bom/1.1"/>', 'specVersion: expected a version from 1.2 to 1.7'],
    [CYCLONEDX_XML.slice(0, 900), 'expected a CycloneDX bill in XML, got Unclosed root tag in line'],
    ['<?xml version="1.0"?><project><name>a</name></project>', 'got XML: write the bill as JSON'],
  ])('%# is refused by name', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });
});

const TAG_VALUE = `SPDXVersion: SPDX-2.3
DataLicense: CC0-1.0
SPDXID: SPDXRef-DOCUMENT
DocumentName: d
DocumentNamespace: https://example.com/d
ExternalDocumentRef: DocumentRef-e https://example.com/e SHA1: d6a7
Creator: Tool: t
# a comment
Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-shop

PackageName: shop
SPDXID: SPDXRef-shop
PackageVersion: 2
PackageDescription: <text>two
lines</text>
Relationship: SPDXRef-shop DEPENDS_ON SPDXRef-a
Relationship: SPDXRef-shop DEPENDS_ON SPDXRef-gone
Relationship: SPDXRef-shop STATIC_LINK DocumentRef-e:SPDXRef-x
RelationshipComment: <text>none</text>

PackageName: a
SPDXID: SPDXRef-a
PackageVersion: 1.10
PackageSupplier: Organization: Acme
PackageChecksum: SHA256: AA
PackageLicenseDeclared: (MIT OR Apache-2.0)
PackageLicenseConcluded: NOASSERTION
PrimaryPackagePurpose: LIBRARY
PackageDownloadLocation: https://example.com/a
ExternalRef: PACKAGE-MANAGER purl pkg:npm/a@1.10

FileName: ./a.js
SPDXID: SPDXRef-file
`;
const YAML = `---
spdxVersion: "SPDX-2.3"
SPDXID: "SPDXRef-DOCUMENT"
name: d
documentNamespace: "https://example.com/d"
packages:
- SPDXID: SPDXRef-shop
  name: shop
  versionInfo: 2
  description: "two\\nlines"
- SPDXID: SPDXRef-a
  name: a
  versionInfo: 1.10
  supplier: "Organization: Acme"
  checksums: [{ algorithm: SHA256, checksumValue: AA }]
  licenseDeclared: (MIT OR Apache-2.0)
  licenseConcluded: NOASSERTION
  primaryPackagePurpose: LIBRARY
  downloadLocation: https://example.com/a
  externalRefs:
  - { referenceCategory: PACKAGE-MANAGER, referenceType: purl, referenceLocator: "pkg:npm/a@1.10" }
files:
- SPDXID: SPDXRef-file
relationships:
- { spdxElementId: SPDXRef-DOCUMENT, relationshipType: DESCRIBES, relatedSpdxElement: SPDXRef-shop }
- { spdxElementId: SPDXRef-shop, relationshipType: DEPENDS_ON, relatedSpdxElement: SPDXRef-a }
- { spdxElementId: SPDXRef-shop, relationshipType: DEPENDS_ON, relatedSpdxElement: SPDXRef-gone }
- { spdxElementId: SPDXRef-shop, relationshipType: STATIC_LINK, relatedSpdxElement: "DocumentRef-e:SPDXRef-x" }
`;
const SPDX3 = {
  '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld',
  '@graph': [
    { type: 'CreationInfo', '@id': '_:c', specVersion: '3.0.1' },
    {
      type: 'SpdxDocument',
      spdxId: 'urn:d',
      name: 'd',
      rootElement: ['urn:bom'],
      import: [{ type: 'ExternalMap', externalSpdxId: 'urn:other' }],
    },
    { type: 'software_Sbom', spdxId: 'urn:bom', rootElement: ['urn:shop'] },
    {
      type: 'software_Package',
      spdxId: 'urn:shop',
      name: 'shop',
      software_packageVersion: '2',
      description: 'two\nlines',
    },
    {
      type: 'software_Package',
      spdxId: 'urn:a',
      name: 'a',
      software_packageVersion: '1.10',
      software_packageUrl: 'pkg:npm/a@1.10',
      software_primaryPurpose: 'library',
      suppliedBy: 'urn:acme',
      verifiedUsing: [{ type: 'Hash', algorithm: 'sha256', hashValue: 'AA' }],
    },
    { type: 'Organization', spdxId: 'urn:acme', name: 'Acme' },
    {
      type: 'simplelicensing_LicenseExpression',
      spdxId: 'urn:l',
      simplelicensing_licenseExpression: '(MIT OR Apache-2.0)',
    },
    { type: 'software_File', spdxId: 'urn:file', name: 'a.js' },
    relation('hasDeclaredLicense', 'urn:a', 'urn:l'),
    relation('hasConcludedLicense', 'urn:a', 'https://spdx.org/rdf/3.0.1/terms/Licensing/NoAssertion'),
    relation('dependsOn', 'urn:shop', 'urn:a', 'urn:gone'),
    relation('hasStaticLink', 'urn:shop', 'urn:other'),
    relation('contains', 'urn:a', 'urn:file'),
  ],
};

function relation(relationshipType: string, from: string, ...to: readonly string[]): object {
  return { type: 'Relationship', relationshipType, from, to };
}

describe('SPDX', () => {
  it('in tag-value and in YAML is one graph: versions are texts, lines are joined', async () => {
    const [tagValue, yaml] = [await read(TAG_VALUE), await read(YAML)];

    expect(entitiesOf(tagValue)).toEqual([
      ['license', 'Apache-2.0', { name: 'Apache-2.0' }],
      ['license', 'MIT', { name: 'MIT' }],
      [
        'npm_package',
        'a@1.10',
        {
          name: 'a',
          version: '1.10',
          purl: 'pkg:npm/a@1.10',
          kind: 'library',
          supplier: 'Organization: Acme',
          hashes: ['SHA-256:aa'],
          license: '(MIT OR Apache-2.0)',
        },
      ],
      ['project', 'shop', { name: 'shop', version: '2', description: 'two\nlines' }],
    ]);
    expect(linksOf(tagValue)).toEqual([
      'a@1.10 LICENSED_UNDER Apache-2.0',
      'a@1.10 LICENSED_UNDER MIT',
      'shop DEPENDS_ON a@1.10',
    ]);
    expect(entitiesOf(yaml)).toEqual(entitiesOf(tagValue));
    expect(statesOf(yaml)).toEqual(statesOf(tagValue));
    for (const { unresolved, external, ignored } of [tagValue, yaml]) {
      expect(unresolved).toHaveLength(1);
      expect(external).toHaveLength(1);
      expect(ignored.get('files')).toBe(1);
    }
  });

  it('3.0 is the same graph, whose licences and suppliers are elements', async () => {
    const [spdx2, spdx3] = [await read(TAG_VALUE), await read(SPDX3)];
    const withoutPrefix = JSON.stringify(entitiesOf(spdx2)).replace('Organization: ', '');

    expect(JSON.parse(JSON.stringify(entitiesOf(spdx3)))).toEqual(JSON.parse(withoutPrefix));
    expect(linksOf(spdx3)).toEqual(linksOf(spdx2));
    expect(spdx3.unresolved.map(({ owner, reason }) => [owner.key, reason])).toEqual([
      ['shop', '@graph[10]: the element urn:gone does not exist'],
    ]);
    expect(spdx3.external.map(({ reference }) => reference)).toEqual(['urn:other']);
    expect(Object.fromEntries(spdx3.ignored)).toEqual({
      'elements of type software_File': 1,
      'relationships of elements that are no packages': 1,
    });
  });

  it.each([{}, { to: null }])('3.0 with a relationship to nothing is read in part: %j', async (ends) => {
    const open = { type: 'Relationship', relationshipType: 'dependsOn', from: 'urn:shop', ...ends };
    const bill = await read({ ...SPDX3, '@graph': [...SPDX3['@graph'], open] });

    expect(bill.isWhole).toBe(false);
  });

  it('3.0 has vulnerabilities with the state that each relationship gives', async () => {
    const vulnerability = {
      type: 'security_Vulnerability',
      spdxId: 'urn:v',
      externalIdentifier: [{ externalIdentifierType: 'cve', identifier: 'CVE-2099-0001' }],
    };
    const [shop, a] = [3, 4].map((at) => SPDX3['@graph'][at]);
    const vex = (type: string, ...to: readonly string[]) => ({
      ...relation(type, 'urn:v', ...to),
      type: 'security_VexVulnAssessmentRelationship',
    });
    const graph = [shop, a, vulnerability, vex('doesNotAffect', 'urn:shop'), vex('fixedIn', 'urn:a')];

    const bill = await read({ ...SPDX3, '@graph': [...graph, vex('affects', 'urn:a')] });

    expect(statesOf(bill)).toEqual([
      ['shop@2 NOT_AFFECTED_BY CVE-2099-0001', { state: 'not_affected' }],
      ['a@1.10 HAS CVE-2099-0001', { state: 'exploitable' }],
    ]);
  });

  it.each([
    [
      'SPDXVersion: SPDX-2.3\nPackageName: <text>a\nb',
      'line 2: expected </text> after <text> of PackageName',
    ],
    ['SPDXVersion: SPDX-2.3\n{"a": 1}', 'line 2: expected a tag and a value, got {"a": 1}'],
    ['SPDXVersion: SPDX-3.0\n', 'spdxVersion: expected SPDX-2.2 or SPDX-2.3'],
    [
      'spdxVersion: "SPDX-2.3"\nname: &a [b]\npackages: *a',
      'aliases exceeded maxAliases (0) in line 3, column 12',
    ],
    ['spdxVersion: "SPDX-2.3"\nname: a\nname: b', 'in line 3, column 1'],
    [
      '{"@context": "https://spdx.org/rdf/3.0.1/spdx-context.jsonld", "@graph": 7}',
      '@graph: expected a list',
    ],
  ])('%# is refused with the place', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });
});

describe('an attestation', () => {
  const statement = (predicateType: string, predicate: unknown) => ({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'shop', digest: { sha256: 'aa' } }],
    predicateType,
    predicate,
  });
  const envelope = (content: object) => ({
    payloadType: 'application/vnd.in-toto+json',
    payload: Buffer.from(JSON.stringify(content)).toString('base64'),
    signatures: [{ sig: '' }],
  });

  it('is the bill that it wraps, in an envelope, a bundle, or the frame of cosign', async () => {
    const expected = entitiesOf(await read(CYCLONEDX));
    const bom = statement('https://cyclonedx.org/bom', CYCLONEDX);
    const framed = statement('https://cyclonedx.org/bom/v1.6', { Data: JSON.stringify(CYCLONEDX) });
    for (const document of [bom, envelope(bom), { dsseEnvelope: envelope(bom) }, envelope(framed)])
      expect(entitiesOf(await read(document))).toEqual(expected);
  });

  it('of several on lines is all of them', async () => {
    const lines = [
      envelope(statement('https://spdx.dev/Document', SPDX3)),
      envelope(statement('https://cyclonedx.org/bom', CYCLONEDX)),
    ];

    const bill = await read(lines.map((line) => JSON.stringify(line)).join('\n'));

    expect(bill.entities).toHaveLength(
      new Set(
        [...entitiesOf(await read(CYCLONEDX)), ...entitiesOf(await read(SPDX3))].map(
          ([type, key]) => type + key,
        ),
      ).size,
    );
  });

  it.each([
    [statement('https://slsa.dev/provenance/v1', {}), 'got an attestation of https://slsa.dev/provenance/v1'],
    [{ ...envelope({}), payload: '%%' }, 'payload: expected UTF-8 in base64'],
    [envelope(statement('https://cyclonedx.org/bom', 7)), 'got a number'],
    [Array.from({ length: 9 }).reduce<object>((inner) => envelope(inner), {}), 'nested deeper than 8'],
  ])('%# is refused by name', async (document, message) => {
    await expect(read(document)).rejects.toThrow(message);
  });
});

describe('an advisory', () => {
  it('in OpenVEX has the newest statement about each product, which is in another bill', async () => {
    const about = (status: string, timestamp: string, more: object = {}) => ({
      vulnerability: { name: 'CVE-2099-0001', description: 'bad' },
      products: [{ '@id': 'pkg:npm/a@1.0', subcomponents: [{ '@id': 'pkg:npm/b@2' }] }, { '@id': 'urn:x' }],
      status,
      timestamp,
      ...more,
    });
    const bill = await read({
      '@context': 'https://openvex.dev/ns/v0.2.0',
      timestamp: '2026-01-01T00:00:00Z',
      statements: [
        about('not_affected', '2026-03-01T00:00:00.5Z', { justification: 'component_not_present' }),
        about('affected', '2026-03-01T00:00:00Z'),
        { vulnerability: 'CVE-2099-0002', products: ['pkg:npm/a@1.0'], status: 'under_investigation' },
        { vulnerability: 'CVE-2099-0003', products: ['pkg:npm/a@1.0'], status: 'perhaps' },
      ],
    });

    expect(entitiesOf(bill).map(([type, key]) => `${type} ${key}`)).toEqual([
      'vulnerability CVE-2099-0001',
      'vulnerability CVE-2099-0002',
    ]);
    expect(statesOf(bill)).toEqual([
      [
        'a@1.0 NOT_AFFECTED_BY CVE-2099-0001',
        { state: 'not_affected', justification: 'component_not_present', subcomponents: ['pkg:npm/b@2'] },
      ],
      ['a@1.0 HAS CVE-2099-0002', { state: 'in_triage' }],
    ]);
    expect(bill.external).toHaveLength(3);
    expect(bill.unresolved).toEqual([]);
    expect(bill.warnings).toEqual(['statements[3]: its status is perhaps; it is left out']);
  });

  it('names a vulnerability by its one CVE, as reports of scanners do', async () => {
    const [ghsa, cve] = ['GHSA-aaaa-bbbb-cccc', 'CVE-2099-0001'];
    const purl = 'pkg:npm/a@1.0';
    const products = [{ '@id': purl }];
    const vex = await read({
      '@context': 'https://openvex.dev/ns/v0.2.0',
      timestamp: '2026-01-01T00:00:00Z',
      statements: [
        { vulnerability: { name: ghsa, aliases: [cve] }, products, status: 'not_affected' },
        { vulnerability: { name: cve }, products: [], status: 'affected' },
      ],
    });
    const advisory = await read({
      document: { csaf_version: '2.0' },
      product_tree: {
        full_product_names: [{ product_id: 'a', name: 'a', product_identification_helper: { purl } }],
      },
      vulnerabilities: [
        { ids: [{ text: ghsa }, { text: cve }], product_status: { known_not_affected: ['a'] } },
      ],
    });
    const bom = await read({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      components: [{ type: 'library', 'bom-ref': 'a', name: 'a', purl }],
      vulnerabilities: [
        {
          id: ghsa,
          references: [{ id: cve, source: { name: 'NVD' } }],
          analysis: { state: 'not_affected' },
          affects: [{ ref: 'a' }],
        },
      ],
    });

    const xml = await read(
      `<bom xmlns="http://cyclonedx.org/schema/bom/1.6"><components><component type="library" bom-ref="a"><name>a</name>` +
        `<purl>${purl}</purl></component></components><vulnerabilities><vulnerability><id>${ghsa}</id><references>` +
        `<reference><id>${cve}</id><source><name>NVD</name></source></reference></references><analysis>` +
        `<state>not_affected</state></analysis><affects><target><ref>a</ref></target></affects></vulnerability>` +
        `</vulnerabilities></bom>`,
    );

    for (const bill of [vex, advisory, bom, xml]) {
      const found = bill.entities.filter(({ type }) => type === 'vulnerability');
      expect(found.map(({ key, properties }) => [key, properties?.['aliases']])).toEqual([[cve, [ghsa]]]);
      expect(statesOf(bill).map(([sentence]) => sentence)).toEqual([`a@1.0 NOT_AFFECTED_BY ${cve}`]);
    }
    expect(vex.isWhole).toBe(false);
    expect(vex.warnings).toEqual(['statements[1]: it names no product and is left out']);
  });

  const product = (id: string, purl?: string) => ({
    product_id: id,
    name: `product ${id}`,
    ...(purl !== undefined && { product_identification_helper: { purl } }),
  });
  const csaf = (more: object) => ({
    document: { category: 'csaf_vex', csaf_version: '2.0', title: 't' },
    product_tree: {
      branches: [
        {
          category: 'vendor',
          branches: [
            { category: 'product_version', product: product('a', 'pkg:npm/a@1.0') },
            { category: 'product_version', product: product('os') },
          ],
        },
      ],
      relationships: [
        {
          category: 'default_component_of',
          product_reference: 'a',
          relates_to_product_reference: 'os',
          full_product_name: product('a-on-os'),
        },
      ],
      product_groups: [{ group_id: 'g', product_ids: ['os'] }],
    },
    ...more,
  });

  it('in CSAF has products of its tree, and their states', async () => {
    const bill = await read(
      csaf({
        vulnerabilities: [
          {
            cve: 'CVE-2099-0001',
            notes: [{ category: 'description', text: 'bad' }],
            scores: [
              {
                cvss_v2: { baseScore: 5 },
                cvss_v3: { version: '3.1', baseScore: 9.8, baseSeverity: 'CRITICAL' },
              },
            ],
            product_status: { fixed: ['a-on-os'], known_not_affected: ['os'], known_affected: ['gone'] },
            flags: [{ label: 'component_not_present', group_ids: ['g'] }],
            remediations: [{}, {}],
          },
        ],
      }),
    );

    expect(entitiesOf(bill)).toEqual([
      ['component', 'product os', { name: 'product os' }],
      ['npm_package', 'a@1.0', { name: 'a', version: '1.0', purl: 'pkg:npm/a@1.0' }],
      [
        'vulnerability',
        'CVE-2099-0001',
        { name: 'CVE-2099-0001', description: 'bad', severity: 'critical', score: 9.8 },
      ],
    ]);
    expect(statesOf(bill)).toEqual([
      ['a@1.0 DEFAULT_COMPONENT_OF product os', {}],
      ['a@1.0 NOT_AFFECTED_BY CVE-2099-0001', { state: 'resolved' }],
      [
        'product os NOT_AFFECTED_BY CVE-2099-0001',
        { state: 'not_affected', justification: 'component_not_present' },
      ],
    ]);
    expect(bill.unresolved.map(({ reason }) => reason)).toEqual([
      'vulnerabilities[0].product_status.known_affected: the product with the id gone does not exist',
    ]);
    expect(bill.ignored.get('vulnerability.remediations')).toBe(2);
  });

  it('in CSAF of another version is refused', async () => {
    await expect(read({ document: { csaf_version: '2.1' } })).rejects.toThrow(
      'document.csaf_version: expected 2.0',
    );
  });
});
