/** What bills of other tools hold: each is read whole, and what is wrong in it costs nothing else. */
import { describe, expect, it } from '@jest/globals';
import { readCycloneDx } from './cyclonedx.ts';
import type { Bill } from './bill-builder.ts';
import { readSpdx } from './spdx.ts';

const cyclonedx = (more: object): Bill =>
  readCycloneDx({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, ...more });
const spdx = (more: object): Bill =>
  readSpdx({ spdxVersion: 'SPDX-2.3', SPDXID: 'SPDXRef-DOCUMENT', name: 'd', ...more });
const library = (ref: string, more: object = {}) => ({
  type: 'library',
  name: ref,
  version: '1',
  'bom-ref': ref,
  ...more,
});
const cyclonedxComponents = (...components: unknown[]): Bill => cyclonedx({ components });
const item = (id: string, more: object = {}) => ({
  SPDXID: `SPDXRef-${id}`,
  name: id,
  versionInfo: '1',
  ...more,
});
const withPurl = (id: string, purl: string) =>
  item(id, { externalRefs: [{ referenceType: 'purl', referenceLocator: purl }] });

const keysOf = ({ entities }: Bill) => entities.map(({ type, key }) => `${type} ${key}`).sort();
const linksOf = ({ relationships }: Bill) =>
  relationships.map(({ from, verb, to }) => `${from.key} ${verb} ${to.key}`).sort();
const propertiesOf = ({ entities }: Bill, key: string) =>
  JSON.parse(JSON.stringify(entities.find((each) => each.key === key)?.properties ?? null)) as object;

describe('the identity of components', () => {
  it('has the version of the package URL: a vulnerability affects the one version that it names', () => {
    const bill = cyclonedx({
      components: ['1.0.0', '2.0.0'].map((version) => ({
        name: 'a',
        'bom-ref': version,
        purl: `pkg:npm/a@${version}`,
      })),
      vulnerabilities: [{ id: 'CVE-2099-0001', affects: [{ ref: '1.0.0' }] }],
    });

    expect(linksOf(bill)).toEqual(['a@1.0.0 HAS CVE-2099-0001']);
    expect(propertiesOf(bill, 'a@2.0.0')).toMatchObject({ version: '2.0.0' });
  });

  it('keeps a container and the application in it apart, and a key and its algorithm', () => {
    const crypto = (ref: string, more: object) => ({
      type: 'cryptographic-asset',
      name: 'RSA-2048',
      'bom-ref': ref,
      cryptoProperties: more,
    });
    const bill = cyclonedx({
      components: [
        library('c', { name: 'nginx', type: 'container' }),
        library('a', { name: 'nginx', type: 'application' }),
        crypto('public', {
          assetType: 'related-crypto-material',
          relatedCryptoMaterialProperties: { type: 'public-key' },
        }),
        crypto('algorithm', { assetType: 'algorithm' }),
      ],
      dependencies: [
        { ref: 'c', dependsOn: ['a'] },
        { ref: 'public', dependsOn: ['algorithm'] },
      ],
    });

    expect(linksOf(bill)).toEqual([
      'RSA-2048?kind=cryptographic-asset/related-crypto-material/public-key DEPENDS_ON ' +
        'RSA-2048?kind=cryptographic-asset/algorithm',
      'nginx@1?kind=container DEPENDS_ON nginx@1?kind=application',
    ]);
  });

  it('makes one entity of two spellings, and of two copies with what each of them says', () => {
    const bill = cyclonedx({
      components: [
        library('a', { purl: 'pkg:pypi/Foo_Bar@1' }),
        library('b', { purl: 'pkg:pypi/foo-bar@1', licenses: [{ license: { id: 'MIT' } }] }),
        library('r1', { name: 'x' }),
        library('r2', { name: 'x', description: 'second copy', scope: 'optional' }),
        library('lib'),
      ],
      dependencies: [
        { ref: 'r1', dependsOn: ['r2', 'a'] },
        { ref: 'r2', dependsOn: ['lib'] },
      ],
    });

    expect(keysOf(bill)).toEqual([
      'component lib@1',
      'component x@1',
      'license MIT',
      'pypi_package foo-bar@1',
    ]);
    expect(linksOf(bill)).toEqual([
      'foo-bar@1 LICENSED_UNDER MIT',
      'x@1 DEPENDS_ON foo-bar@1',
      'x@1 DEPENDS_ON lib@1',
    ]);
    expect(propertiesOf(bill, 'x@1')).toEqual({
      name: 'x',
      version: '1',
      kind: 'library',
      description: 'second copy',
    });
    expect(bill.ignored.get('relationships of a component with itself')).toBe(1);
  });

  it('reads several described packages as packages, which the document describes', () => {
    const bill = spdx({
      documentDescribes: ['SPDXRef-1', 'SPDXRef-2', 'SPDXRef-3'],
      packages: [
        withPurl('1', 'pkg:npm/a@1.0.0'),
        withPurl('2', 'pkg:npm/a@2.0.0'),
        { ...withPurl('3', 'pkg:npm/b@1'), versionInfo: 'NOASSERTION' },
      ],
      relationships: [
        { spdxElementId: 'SPDXRef-3', relationshipType: 'DEPENDS_ON', relatedSpdxElement: 'SPDXRef-2' },
        { spdxElementId: 'SPDXRef-DOCUMENT', relationshipType: 'DESCRIBES', relatedSpdxElement: 'SPDXRef-1' },
      ],
    });

    expect(keysOf(bill)).toEqual([
      'npm_package a@1.0.0',
      'npm_package a@2.0.0',
      'npm_package b@1',
      'project d',
    ]);
    expect(linksOf(bill)).toEqual([
      'b@1 DEPENDS_ON a@2.0.0',
      'd DESCRIBES a@1.0.0',
      'd DESCRIBES a@2.0.0',
      'd DESCRIBES b@1',
    ]);
  });
});

describe('a value that is not as expected', () => {
  const b = library('b');

  it.each([
    [
      'a licence longer than a key',
      library('a', { licenses: [{ license: { name: 'x'.repeat(2_000) } }] }),
      'components[0]: a licence of a@1 was cut',
    ],
    [
      'a licence with NUL',
      library('a', { licenses: [{ license: { name: 'x\0y' } }] }),
      'components[0]: a licence of a@1 was cut',
    ],
    [
      'a licence without a name',
      library('a', { licenses: [{ license: { name: '' } }] }),
      'components[0].licenses[0]: a licence of a@1',
    ],
    [
      'a licence with a URL only',
      library('a', { licenses: [{ license: { url: 'https://x' } }] }),
      'components[0].licenses[0]: a licence of a@1',
    ],
    [
      'licences that are no list',
      library('a', { licenses: {} }),
      'components[0].licenses: expected a list, got an object',
    ],
    [
      'a licence that is a text',
      library('a', { licenses: ['MIT'] }),
      'components[0].licenses[0]: expected an object',
    ],
    [
      'a description that is a number',
      library('a', { description: 7 }),
      'components[0].description: expected a text',
    ],
    [
      'a lone surrogate',
      library('a', { description: '\ud800' }),
      'components[0].description: replaced a lone surrogate',
    ],
    [
      'a name with a lone surrogate',
      library('a', { name: '\ud800' }),
      'components[0].name: replaced a lone surrogate',
    ],
    ['a name longer than a key', library('a', { name: 'n'.repeat(2_000) }), 'components[0]: the key of nnn'],
    [
      'a text longer than a property',
      library('a', { description: 'x'.repeat(1_100_000) }),
      'components[0].description: cut to 1048576',
    ],
    [
      'a package URL that is none',
      library('a', { purl: 'not a purl' }),
      'components[0].purl: not a purl is no package URL',
    ],
    ['hashes that are no list', library('a', { hashes: 'x' }), 'components[0].hashes: expected a list'],
    [
      'a supplier that is a text',
      library('a', { supplier: 'x' }),
      'components[0].supplier: expected an object',
    ],
  ])('is cut or left out with a warning: %s', (_what, component, warning) => {
    const bill = cyclonedxComponents(component, b);

    expect(bill.warnings).toEqual([expect.stringContaining(warning)]);
    expect(keysOf(bill).filter((key) => key.startsWith('component '))).toHaveLength(2);
    expect(bill.entities.every(({ key }) => Buffer.byteLength(key) <= 1_024 && !key.includes('\0'))).toBe(
      true,
    );
  });

  it.each([
    ['an empty name', library('a', { name: '' }), 'components[0]: it has no name'],
    ['a name that is a number', library('a', { name: 5 }), 'components[0].name: expected a text'],
    ['no object', null, 'components[0]: expected an object, got null'],
    ['a list', [], 'components[0]: expected an object, got a list'],
  ])('costs only the component with %s', (_what, component, warning) => {
    const bill = cyclonedxComponents(component, b);

    expect(bill.warnings[0]).toContain(warning);
    expect(keysOf(bill)).toEqual(['component b@1']);
  });

  it('that is a dependency of a component keeps the dependencies of that component', () => {
    const bill = cyclonedx({
      components: [library('a'), library('c'), b],
      dependencies: [
        { ref: 'a', dependsOn: [7, 'b'] },
        { ref: 'c', dependsOn: 'b' },
        { dependsOn: ['b'] },
        'b',
      ],
    });

    expect(linksOf(bill)).toEqual(['a@1 DEPENDS_ON b@1']);
    expect(bill.unresolved.map(({ owner, end, verb }) => `${owner.key} ${end} ${verb}`)).toEqual([
      'a@1 from DEPENDS_ON',
      'c@1 from DEPENDS_ON',
    ]);
    expect(bill.warnings).toHaveLength(4);
  });

  it.each([null, [], 'x', {}, { component: null }, { component: [] }])(
    'is no subject: metadata %j',
    (metadata) => {
      expect(keysOf(cyclonedx({ metadata, components: [b] }))).toEqual(['component b@1']);
    },
  );

  it('costs only its package or relationship in SPDX', () => {
    const bill = spdx({
      packages: [null, item('a', { name: '' }), item('b', { licenseDeclared: 'x'.repeat(2_000) }), item('c')],
      relationships: [
        {},
        7,
        { spdxElementId: 'SPDXRef-b', relationshipType: 'is friends with', relatedSpdxElement: 'SPDXRef-c' },
        { spdxElementId: 'SPDXRef-b', relationshipType: 'DEPENDS_ON', relatedSpdxElement: 'SPDXRef-a' },
        { spdxElementId: 'SPDXRef-b', relationshipType: 'DEPENDS_ON', relatedSpdxElement: 'SPDXRef-c' },
      ],
    });

    expect(linksOf(bill).filter((link) => link.includes('DEPENDS_ON'))).toEqual(['b@1 DEPENDS_ON c@1']);
    expect(bill.unresolved.map(({ owner, verb }) => `${owner.key} ${verb}`)).toEqual(['b@1 DEPENDS_ON']);
    expect(bill.warnings).toEqual([
      'packages[0]: expected an object, got null',
      'relationships[1]: expected an object, got a number',
      'packages[1]: it has no name and is left out',
      expect.stringContaining('packages[2]: a licence of b@1 was cut'),
      expect.stringContaining('relationships[0]: expected two elements and a type'),
      expect.stringContaining('relationships[2]: expected two elements and a type'),
    ]);
  });
});

describe('a vulnerability', () => {
  const ratingsOf = (...ratings: object[]) => {
    const bill = cyclonedx({ vulnerabilities: [{ id: 'CVE-1', ratings }] });
    const { severity, score } = propertiesOf(bill, 'CVE-1') as { severity?: string; score?: number };
    return [severity, score];
  };

  it('has severity and score of one rating: the newest version of CVSS, then the highest', () => {
    const ratings = [
      { source: { name: 'distro' }, severity: 'low' },
      { method: 'CVSSv2', severity: 'high', score: 10 },
      { method: 'CVSSv31', severity: 'medium', score: 5 },
      { method: 'CVSSv31', severity: 'critical', score: 9.8 },
      { method: 'OWASP', severity: 'info', score: 100 },
    ];

    expect(ratingsOf(...ratings)).toEqual(['critical', 9.8]);
    expect(ratingsOf(...ratings.toReversed())).toEqual(['critical', 9.8]);
    expect(ratingsOf(...ratings, { method: 'CVSSv4', severity: 'low', score: 2 })).toEqual(['low', 2]);
    expect(ratingsOf({ severity: 'low' }, { severity: 'high' })).toEqual(['high', undefined]);
    expect(ratingsOf({ score: Infinity, severity: 'low' })).toEqual(['low', undefined]);
  });

  it.each([[false], [true]])('of several entries is one, in either order (reversed: %s)', (isReversed) => {
    const entries = [
      {
        'bom-ref': 'v1',
        id: 'CVE-1',
        ratings: [{ severity: 'critical', score: 9.8 }],
        description: 'long text',
        affects: [{ ref: 'a' }],
      },
      {
        'bom-ref': 'v2',
        id: 'CVE-1',
        ratings: [{ severity: 'low', score: 3.1 }],
        description: 'text',
        affects: [{ ref: 'b' }],
      },
      { id: 'CVE-1', analysis: { state: 'not_affected' }, affects: [{ ref: 'a' }, { ref: 'c' }] },
      { id: 'CVE-1', analysis: { state: 'exploitable' }, affects: [{ ref: 'b' }] },
    ];
    const bill = cyclonedx({
      components: ['a', 'b', 'c'].map((ref) => library(ref)),
      vulnerabilities: isReversed ? entries.toReversed() : entries,
    });

    expect(propertiesOf(bill, 'CVE-1')).toEqual({
      name: 'CVE-1',
      description: 'long text',
      severity: 'critical',
      score: 9.8,
    });
    expect(linksOf(bill)).toEqual(['a@1 HAS CVE-1', 'b@1 HAS CVE-1', 'c@1 NOT_AFFECTED_BY CVE-1']);
    expect(bill.relationships.find(({ from }) => from.key === 'b@1')?.properties?.['state']).toBe(
      'exploitable',
    );
  });

  it('that names no component keeps what the others have, and one without a name is left out', () => {
    const bill = cyclonedx({
      components: [library('a')],
      vulnerabilities: [{ id: 'CVE-1', affects: [{}, { ref: 'gone' }] }, { affects: [{ ref: 'a' }] }],
    });

    expect(bill.unresolved.map(({ owner, end, verb }) => `${owner.key} ${end} ${verb}`)).toEqual([
      'CVE-1 to HAS',
      'CVE-1 to HAS',
    ]);
    expect(bill.warnings).toEqual([expect.stringContaining('vulnerabilities[1]: it has neither')]);
  });
});

describe('licences', () => {
  it('of several entries are one expression with parentheses', () => {
    const bill = cyclonedxComponents(
      library('a', { licenses: [{ expression: 'MIT OR Apache-2.0' }, { license: { id: 'BSD-3-Clause' } }] }),
    );

    expect(propertiesOf(bill, 'a@1')).toMatchObject({ license: '(MIT OR Apache-2.0) AND (BSD-3-Clause)' });
    expect(linksOf(bill)).toHaveLength(3);
  });

  it('that are declared and concluded are distinguished', () => {
    const bill = cyclonedxComponents(
      library('a', {
        licenses: [
          { license: { id: 'GPL-3.0-only', acknowledgement: 'concluded' } },
          { license: { id: 'MIT', acknowledgement: 'declared' } },
          { license: { name: 'NOASSERTION' } },
        ],
      }),
    );

    expect(propertiesOf(bill, 'a@1')).toMatchObject({ license: 'MIT', license_concluded: 'GPL-3.0-only' });
    expect(bill.relationships.map(({ to, properties }) => [to.key, properties?.['acknowledgement']])).toEqual(
      [
        ['MIT', undefined],
        ['GPL-3.0-only', 'concluded'],
      ],
    );
  });
});

describe('content of bills', () => {
  it('includes services, nested subjects, what components provide, and what identifies them', () => {
    const bill = cyclonedx({
      metadata: {
        component: library('app', { components: [library('module', { components: [library('inner')] })] }),
      },
      components: [
        library('openssl', {
          cpe: 'cpe:2.3:a:openssl:openssl:3:*:*:*:*:*:*:*',
          supplier: { name: 'OpenSSL' },
          publisher: 'p',
          authors: [{ name: 'x' }, { name: 'y' }],
          hashes: [{ alg: 'SHA-256', content: 'AB' }],
          properties: [{ name: 'syft:location', value: '/lib' }],
        }),
        { type: 'cryptographic-asset', name: 'aes', 'bom-ref': 'aes' },
      ],
      services: [
        {
          'bom-ref': 's',
          name: 'stock',
          authenticated: true,
          endpoints: ['https://stock.example.com/'],
          provider: { name: 'Acme' },
          services: [{ 'bom-ref': 's2', name: 'inner' }],
        },
      ],
      dependencies: [
        { ref: 'app', dependsOn: ['module', 's'] },
        { ref: 's', dependsOn: ['s2'] },
        { ref: 'openssl', provides: ['aes'] },
      ],
      vulnerabilities: [{ id: 'CVE-1', affects: [{ ref: 's' }] }],
      compositions: [{ aggregate: 'complete' }, { aggregate: 'unknown' }],
    });

    expect(linksOf(bill)).toEqual([
      'app CONTAINS module@1',
      'app DEPENDS_ON module@1',
      'app DEPENDS_ON stock',
      'module@1 CONTAINS inner@1',
      'openssl@1 PROVIDES aes?kind=cryptographic-asset',
      'stock CONTAINS inner',
      'stock DEPENDS_ON inner',
      'stock HAS CVE-1',
    ]);
    expect(keysOf(bill)).toEqual(expect.arrayContaining(['service inner', 'component inner@1']));
    expect(propertiesOf(bill, 'openssl@1')).toMatchObject({
      cpe: 'cpe:2.3:a:openssl:openssl:3:*:*:*:*:*:*:*',
      supplier: 'OpenSSL',
      publisher: 'p',
      author: 'x, y',
      hashes: ['SHA-256:ab'],
    });
    expect(propertiesOf(bill, 'stock')).toEqual({
      name: 'stock',
      endpoints: ['https://stock.example.com/'],
      authenticated: true,
      provider: 'Acme',
    });
    expect(Object.fromEntries(bill.ignored)).toEqual({ 'component.properties': 1, compositions: 2 });
  });

  it('includes every relationship between two SPDX packages', () => {
    const ids = ['app', 'l', 's', 't', 'p', 'd', 'v', 'g', 'o'];
    const relation = (from: string, relationshipType: string, to: string) => ({
      spdxElementId: `SPDXRef-${from}`,
      relationshipType,
      relatedSpdxElement: to.startsWith('N') ? to : `SPDXRef-${to}`,
    });
    const bill = spdx({
      packages: ids.map((id) => item(id)),
      relationships: [
        relation('app', 'DYNAMIC_LINK', 'l'),
        relation('app', 'STATIC_LINK', 's'),
        relation('app', 'DEPENDS_ON', 's'),
        relation('t', 'BUILD_TOOL_OF', 'app'),
        relation('app', 'HAS_PREREQUISITE', 'p'),
        relation('d', 'DEV_TOOL_OF', 'app'),
        relation('d', 'TEST_TOOL_OF', 'app'),
        relation('v', 'VARIANT_OF', 'app'),
        relation('app', 'GENERATED_FROM', 'g'),
        relation('app', 'OTHER', 'o'),
        relation('app', 'DEPENDS_ON', 'NOASSERTION'),
        relation('app', 'DEPENDS_ON', 'NONE'),
      ],
    });

    expect(
      bill.relationships.map(({ from, verb, to, properties }) =>
        `${from.key} ${verb} ${to.key} ${JSON.stringify(properties?.['kind'] ?? '')}`
          .replaceAll('"', '')
          .trim(),
      ),
    ).toEqual([
      'app@1 DEPENDS_ON l@1 dynamic_link',
      'app@1 DEPENDS_ON s@1',
      'app@1 DEPENDS_ON t@1 build_tool',
      'app@1 DEPENDS_ON p@1 prerequisite',
      'app@1 DEPENDS_ON d@1 [dev_tool,test_tool]',
      'v@1 VARIANT_OF app@1',
      'g@1 GENERATES app@1',
      'app@1 RELATES_TO o@1',
    ]);
    expect(bill.ignored.get('relationships of files, the document or unknown elements')).toBe(1);
  });

  it('leads to other documents, and to its own by a link', () => {
    const link = 'urn:cdx:3e671687-395b-41f5-a30f-a58921a69b79';
    const bill = cyclonedx({
      serialNumber: 'urn:uuid:3E671687-395B-41F5-A30F-A58921A69B79',
      components: [library('a'), library('b')],
      dependencies: [{ ref: 'a', dependsOn: [`${link}/1#b`, `${link}/2#b`] }],
      vulnerabilities: [{ id: 'CVE-1', affects: [{ ref: `${link}/2#pkg%3Anpm%2Fx%401` }] }],
    });
    const other = spdx({
      packages: [item('app')],
      relationships: [
        {
          spdxElementId: 'SPDXRef-app',
          relationshipType: 'DEPENDS_ON',
          relatedSpdxElement: 'DocumentRef-lib:SPDXRef-l',
        },
        {
          spdxElementId: 'DocumentRef-lib:SPDXRef-l',
          relationshipType: 'DEPENDS_ON',
          relatedSpdxElement: 'SPDXRef-app',
        },
      ],
    });

    expect(linksOf(bill)).toEqual(['a@1 DEPENDS_ON b@1', 'x@1 HAS CVE-1']);
    expect([bill.external.length, bill.unresolved.length]).toEqual([2, 0]);
    expect(other.external.map(({ owner, end }) => `${owner.key} ${end}`)).toEqual(['app@1 from', 'app@1 to']);
    expect(other.unresolved).toEqual([]);
  });

  it('without their ends are unresolved where they are stated', () => {
    const bill = cyclonedx({
      components: [library('a')],
      dependencies: [
        { ref: 'a', dependsOn: ['gone'] },
        { ref: 'gone2', dependsOn: ['a'] },
        { ref: 'gone3', dependsOn: [] },
      ],
    });

    expect(bill.unresolved.map(({ owner }) => owner.key)).toEqual(['a@1', 'gone2']);
  });
});
