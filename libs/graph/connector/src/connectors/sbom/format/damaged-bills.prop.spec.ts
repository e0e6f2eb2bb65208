/** Damaged bills of every format: what is not read is refused with a reason, and no other error occurs. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DomainError } from '#platform/foundation';
import { effort } from '#testing';
import { readBill } from '../read-bill.ts';

const SPDX3 = {
  '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld',
  '@graph': [
    { type: 'SpdxDocument', spdxId: 'urn:d', rootElement: ['urn:a'], import: [{ externalSpdxId: 'urn:o' }] },
    {
      type: 'software_Package',
      spdxId: 'urn:a',
      name: 'a',
      verifiedUsing: [{ algorithm: 'sha1', hashValue: 'aa' }],
    },
    {
      type: 'security_Vulnerability',
      spdxId: 'urn:v',
      externalIdentifier: [{ externalIdentifierType: 'cve' }],
    },
    { type: 'Relationship', relationshipType: 'dependsOn', from: 'urn:a', to: ['urn:o', 'urn:v'] },
    { type: 'Relationship', relationshipType: 'affects', from: 'urn:v', to: ['urn:a'] },
  ],
};
const OPENVEX = {
  '@context': 'https://openvex.dev/ns/v0.2.0',
  statements: [
    {
      vulnerability: { name: 'CVE-1' },
      products: [{ '@id': 'pkg:npm/a@1', subcomponents: [{}] }],
      status: 'fixed',
    },
  ],
};
const CSAF = {
  document: { category: 'csaf_vex', csaf_version: '2.0' },
  product_tree: {
    branches: [{ branches: [{ product: { product_id: 'a', name: 'a' } }] }],
    relationships: [{ product_reference: 'a', relates_to_product_reference: 'a', full_product_name: {} }],
  },
  vulnerabilities: [
    { cve: 'CVE-1', product_status: { fixed: ['a'] }, flags: [{ label: 'x', product_ids: ['a'] }] },
  ],
};
const CYCLONEDX = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  components: [{ name: 'a', 'bom-ref': 'a', licenses: [{ license: { id: 'MIT' } }] }],
  vulnerabilities: [{ id: 'CVE-1', affects: [{ ref: 'a', versions: [{ status: 'affected' }] }] }],
};
const STATEMENT = {
  _type: 'https://in-toto.io/Statement/v1',
  predicateType: 'https://cyclonedx.org/bom',
  predicate: CYCLONEDX,
};
const NPM_1 = {
  lockfileVersion: 1,
  dependencies: { a: { version: '1', requires: { b: '1' }, dependencies: { b: { version: 'file:b' } } } },
};
const DENO = {
  version: '5',
  specifiers: { 'npm:a@1': '1.0.0', 'jsr:@s/b@1': '1.0.0' },
  jsr: { '@s/b@1.0.0': { integrity: 'x', dependencies: ['npm:a@1'] } },
  npm: {
    'a@1.0.0': { integrity: 'y', dependencies: ['c'], optionalDependencies: ['d@npm:c@1.0.0'] },
    'c@1.0.0': {},
  },
  workspace: { dependencies: ['jsr:@s/b@1'], packageJson: { dependencies: ['npm:a@1'] }, members: { m: {} } },
  remote: { 'https://example.com/x.ts': 'z' },
};
const DOCUMENTS = [SPDX3, OPENVEX, CSAF, CYCLONEDX, STATEMENT, NPM_1, DENO].map((each) =>
  JSON.stringify(each),
);
const TEXTS = [
  ...DOCUMENTS,
  '{ "lockfileVersion": 1, "workspaces": { "": { "name": "s", "dependencies": { "a": "1", }, }, }, "packages": {' +
    ' "a": ["a@1.0.0", "", { "peerDependencies": { "b": "*" }, "optionalPeers": ["b"] }, "sha512-x"],' +
    ' "a/b": ["b@file:b", {}], "@s/c": ["@s/c@workspace:c"], } }',
  '<bom xmlns="http://cyclonedx.org/schema/bom/1.6"><components><component type="library"><name>a</name>' +
    '<licenses><license><id>MIT</id></license></licenses></component></components></bom>',
  'SPDXVersion: SPDX-2.3\nDocumentName: d\nPackageName: a\nSPDXID: SPDXRef-a\nPackageComment: <text>b</text>\n' +
    'ExternalRef: SECURITY cpe23Type cpe\nRelationship: SPDXRef-a DEPENDS_ON SPDXRef-b\n',
  'spdxVersion: "SPDX-2.3"\npackages:\n- { SPDXID: a, name: a, checksums: [{ algorithm: SHA1 }] }\n',
  '# yarn lockfile v1\n\na@^1, a@1:\n  version "1"\n  dependencies:\n    b "2"\n',
  '__metadata:\n  version: 8\n"a@npm:1":\n  version: 1\n  resolution: "a@npm:1"\n  dependenciesMeta: { b: { optional: true } }\n',
  "lockfileVersion: '9.0'\nimporters:\n  .:\n    dependencies:\n      a: { specifier: 1, version: 1 }\nsnapshots:\n  a@1: {}\n",
];

const read = (text: string): Promise<unknown> =>
  readBill({ text, folder: 'f', beside: () => Promise.resolve(undefined) }).catch((error: unknown) => {
    if (error instanceof DomainError && error.code === 'INVALID_REQUEST') return undefined;
    throw error;
  });

/** A text in which a part is replaced by another, or missing. */
const damaged = fc
  .record({
    text: fc.constantFrom(...TEXTS),
    from: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.integer({ min: 0, max: 60 }),
    part: fc.oneof(
      fc.string(),
      fc.constantFrom('', '\n', '{', ']', '"', '<', '&b;', 'null', '\0', ': ', '- '),
    ),
  })
  .map(({ text, from, length, part }) => {
    const start = Math.floor(from * text.length);
    return text.slice(0, start) + part + text.slice(start + length);
  });

/** A document in which one value is another. */
const altered = fc
  .record({ text: fc.constantFrom(...DOCUMENTS), at: fc.nat(40), value: fc.jsonValue() })
  .map(({ text, at, value }) => {
    let turn = 0;
    return JSON.stringify(JSON.parse(text, (_key, own: unknown) => (turn++ === at ? value : own)));
  });

const runs = { numRuns: Number(process.env['PROPERTY_RUNS'] ?? effort(3_000, 600)) };

describe('a bill', () => {
  it('is read as it is written here', async () => {
    for (const text of TEXTS) expect(await read(text)).toBeDefined();
  });

  it('with an object in place of a text, whatever its fields are called, is read or refused', async () => {
    const odd = { toString: 0, valueOf: 0 };
    for (const text of DOCUMENTS) {
      const turns = text.split(/[{,[]/).length * 2;
      for (let at = 1; at < turns; at++) {
        let turn = 0;
        await read(JSON.stringify(JSON.parse(text, (_key, own: unknown) => (turn++ === at ? odd : own))));
      }
    }
  });

  it('with any damage is read or refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(damaged, altered), async (text) => {
        await read(text);
      }),
      runs,
    );
  });
});
