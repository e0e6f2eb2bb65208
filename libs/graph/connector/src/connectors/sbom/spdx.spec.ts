import { describe, expect, it } from '@jest/globals';
import { readSpdx } from './spdx.ts';

const document = (more: object) => ({ spdxVersion: 'SPDX-2.3', SPDXID: 'SPDXRef-DOCUMENT', ...more });
const item = (id: string, more: object = {}) => ({
  SPDXID: `SPDXRef-${id}`,
  name: id,
  versionInfo: '1',
  ...more,
});
const relation = (from: string, relationshipType: string, to: string) => ({
  spdxElementId: from.startsWith('N') ? from : `SPDXRef-${from}`,
  relationshipType,
  relatedSpdxElement: to.startsWith('N') ? to : `SPDXRef-${to}`,
});
const textsOf = ({ relationships }: ReturnType<typeof readSpdx>) =>
  relationships.map(({ from, verb, to }) => `${from.key} ${verb} ${to.key}`);

describe('readSpdx', () => {
  it('names packages by their package URL, and the described element as the project', () => {
    const purl = {
      referenceCategory: 'PACKAGE-MANAGER',
      referenceType: 'purl',
      referenceLocator: 'pkg:npm/x@1',
    };

    const { entities } = readSpdx(
      document({
        documentDescribes: ['SPDXRef-app'],
        packages: [
          item('app'),
          item('lib', { externalRefs: [purl], licenseDeclared: 'MIT' }),
          item('tool', { licenseDeclared: 'NOASSERTION', licenseConcluded: 'ISC OR Apache-2.0' }),
        ],
      }),
    );

    expect(entities.map(({ type, key, class: name }) => [type, key, name])).toEqual([
      ['project', 'app', 'Project'],
      ['npm_package', 'x@1', 'Package'],
      ['license', 'MIT', 'License'],
      ['component', 'tool@1', 'Package'],
      ['license', 'ISC', 'License'],
      ['license', 'Apache-2.0', 'License'],
    ]);
  });

  it('has the package that another one is built from, as Trivy states it', () => {
    const { entities } = readSpdx(
      document({
        packages: [
          item('libssl3', { sourceInfo: 'built package from: openssl 1:3.0.11-1~deb12u2' }),
          item('bash', { sourceInfo: 'acquired package info from DPKG DB: /var/lib/dpkg/status' }),
        ],
      }),
    );

    expect(
      entities.map(({ properties = {} }) => [properties['source_name'], properties['source_version']]),
    ).toEqual([
      ['openssl', '1:3.0.11-1~deb12u2'],
      [undefined, undefined],
    ]);
  });

  it('reads dependencies from both directions', () => {
    const content = readSpdx(
      document({
        packages: ['a', 'b', 'c', 'd', 'e'].map((id) => item(id)),
        relationships: [
          relation('DOCUMENT', 'DESCRIBES', 'a'),
          relation('a', 'DEPENDS_ON', 'b'),
          relation('c', 'DEPENDENCY_OF', 'a'),
          relation('d', 'DEV_DEPENDENCY_OF', 'a'),
          relation('e', 'CONTAINED_BY', 'a'),
          relation('b', 'DEPENDS_ON', 'NONE'),
          relation('b', 'DESCENDANT_OF', 'c'),
        ],
      }),
    );

    expect(textsOf(content)).toEqual([
      'a DEPENDS_ON b@1',
      'a DEPENDS_ON c@1',
      'a DEPENDS_ON d@1',
      'a CONTAINS e@1',
      'b@1 DESCENDANT_OF c@1',
    ]);
    expect(content.relationships[2]?.properties).toEqual({ kind: 'dev' });
    expect(content.unresolved).toEqual([]);
  });

  it('reports a package missing from the document, and ignores files', () => {
    const content = readSpdx(
      document({
        packages: [item('a')],
        files: [{ SPDXID: 'SPDXRef-file' }],
        relationships: [relation('a', 'DEPENDS_ON', 'gone'), relation('a', 'CONTAINS', 'file')],
      }),
    );

    expect(textsOf(content)).toEqual([]);
    expect(content.unresolved).toEqual([
      {
        owner: { type: 'component', key: 'a@1' },
        end: 'from',
        verb: 'DEPENDS_ON',
        reason: 'relationships[0]: the package with the identifier SPDXRef-gone does not exist',
      },
    ]);
    expect(Object.fromEntries(content.ignored)).toEqual({
      files: 1,
      'relationships of files, the document or unknown elements': 1,
    });
  });

  it.each([
    [
      { spdxVersion: 'SPDX-3.0' },
      'spdxVersion: expected SPDX-2.2 or SPDX-2.3: write the bill in that version',
    ],
    [{ packages: {} }, 'packages: expected a list, got an object'],
  ])('refuses %j', (more, message) => {
    expect(() => readSpdx(document(more))).toThrow(expect.objectContaining({ message }));
  });
});
