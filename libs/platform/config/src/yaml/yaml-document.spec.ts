import { describe, expect, it } from '@jest/globals';
import { YamlDocument } from './yaml-document.ts';

const TEXT = `# comment
id: corp
config:
  hosts:
    - a
    - name: b
      port: 22
`;

describe('YamlDocument', () => {
  it('reads the core schema', () => {
    const document = YamlDocument.parse(TEXT, 'a.yaml');

    expect(document.value).toEqual({ id: 'corp', config: { hosts: ['a', { name: 'b', port: 22 }] } });
  });

  it.each([
    [['id'], 'value', 2, 5],
    [['id'], 'key', 2, 1],
    [['config', 'hosts', 0], 'value', 5, 7],
    [['config', 'hosts', 1, 'port'], 'key', 7, 7],
    [['config', 'hosts', 1, 'port'], 'value', 7, 13],
    [['config', 'missing'], 'value', 4, 3],
  ] as const)('returns the position of %j (%s)', (path, at, line, column) => {
    expect(YamlDocument.parse(TEXT, 'a.yaml').placeOf(path, at)).toEqual({ line, column });
  });

  it.each([
    ['a: 1\nb:\n', ['b'], 2, 1],
    ['a:\n  - 1\n  -\n', ['a', 1], 2, 3],
    ['', [], 1, 1],
  ] as const)('places an empty value in %j at its key or list', (text, path, line, column) => {
    expect(YamlDocument.parse(text, 'a.yaml').placeOf(path)).toEqual({ line, column });
  });

  it('rejects malformed YAML with its position', () => {
    expect(() => YamlDocument.parse('a: [1, 2\nb: 3', 'a.yaml')).toThrow(/^a\.yaml:2:\d+: /);
  });

  it.each([
    ['a: [1, 2\nb: 3', 2, 1],
    ['a: 1\na: 2', 2, 1],
    ['a: &x 1\nb: *x', 2, 4],
    ['a: 1\n---\nb: 2', 3, 1],
    ['a: 1\n  b: 2', 2, 4],
  ])('includes the position of %j in the details', (text, line, column) => {
    expect(() => YamlDocument.parse(text, 'a.yaml')).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', details: { line, column } }),
    );
    expect(() => YamlDocument.parse(text, 'a.yaml')).toThrow(new RegExp(`^a\\.yaml:${line}:${column}: `));
  });

  it('ignores an unused anchor', () => {
    expect(YamlDocument.parse('a: &x 1', 'a.yaml').value).toEqual({ a: 1 });
  });

  it('rejects a duplicate key', () => {
    expect(() => YamlDocument.parse('a: 1\na: 2', 'a.yaml')).toThrow(/^a\.yaml:2:1: dupl/);
  });

  it('rejects aliases, so that no small file unfolds into a large one', () => {
    const bomb = ['a: &a [x, x]', 'b: &b [*a, *a]', 'c: &c [*b, *b]', 'd: [*c, *c]'].join('\n');

    expect(() => YamlDocument.parse(bomb, 'bomb.yaml')).toThrow(/^bomb\.yaml:2:\d+: .*alias/i);
  });

  it('unfolds aliases on request, each into its own copy', () => {
    const text = 'base: &b { rate: 5, tags: [x] }\nlist: [*b, *b]\nmore: { <<: *b, rate: 7 }';

    const value = YamlDocument.parse(text, 'a.yaml', 'unfold').value as { list: { rate: number }[] };
    for (const first of value.list.slice(0, 1)) first.rate = 6;

    expect(value).toEqual({
      base: { rate: 5, tags: ['x'] },
      list: [
        { rate: 6, tags: ['x'] },
        { rate: 5, tags: ['x'] },
      ],
      more: { rate: 7, tags: ['x'] },
    });
  });

  it('rejects an alias bomb before it unfolds, and an alias within its own anchor', () => {
    const levels = Array.from(
      'bcdefghijklm',
      (name, i) => `${name}: &${name} [${'*A,'.replace('A', 'abcdefghijklm'[i] ?? '').repeat(9)}]`,
    );
    const bomb = ['a: &a [x, x]', ...levels].join('\n');

    expect(() => YamlDocument.parse(bomb, 'a.yaml', 'unfold')).toThrow(
      /^a\.yaml:\d+:\d+: aliases unfold to more/,
    );
    expect(() => YamlDocument.parse('a: &a [*a]', 'a.yaml', 'unfold')).toThrow(
      /^a\.yaml:1:8: expected an anchor/,
    );
    expect(() => YamlDocument.parse('a: *x', 'a.yaml', 'unfold')).toThrow(/^a\.yaml:1:4: expected an anchor/);
  });

  it.each([
    ['a: 9007199254740992', 1, 4],
    ['a: 1\nb: { c: [1, -9007199254740993] }', 2, 13],
    ['a: 0x20000000000001', 1, 4],
    ['a: 0o400000000000000001', 1, 4],
    ['a: !!int "9007199254740993"', 1, 11],
    ['9007199254740993: a', 1, 1],
    ['- 100000000000000000000', 1, 3],
  ])('rejects the integer of %j, which would be rounded, with its position', (text, line, column) => {
    expect(() => YamlDocument.parse(text, 'a.yaml')).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', details: { line, column } }),
    );
    expect(() => YamlDocument.parse(text, 'a.yaml')).toThrow('write a larger one as text, in quotes');
  });

  it.each([
    ['a: 9007199254740991', 9_007_199_254_740_991],
    ['a: -9007199254740991', -9_007_199_254_740_991],
    ['a: "9007199254740993"', '9007199254740993'],
    ['a: !!str 9007199254740993', '9007199254740993'],
    ['a: |-\n  9007199254740993', '9007199254740993'],
    ['a: 1e20', 1e20],
    ['a: 9007199254740993.5', 9_007_199_254_740_994],
  ])('accepts %j', (text, a) => {
    expect(YamlDocument.parse(text, 'a.yaml').value).toEqual({ a });
  });

  it('rejects deep nesting, long texts, further documents and foreign tags', () => {
    const deep = '['.repeat(40) + ']'.repeat(40);

    expect(() => YamlDocument.parse(deep, 'a.yaml')).toThrow(/^a\.yaml:1:\d+: /);
    expect(() => YamlDocument.parse(`a: ${'x'.repeat(2 ** 20)}`, 'a.yaml')).toThrow('expected at most');
    expect(() => YamlDocument.parse('a: 1\n---\nb: 2', 'a.yaml')).toThrow('expected one document');
    expect(() => YamlDocument.parse('a: !!js/function "x"', 'a.yaml')).toThrow(/^a\.yaml:1:\d+: /);
  });
});
