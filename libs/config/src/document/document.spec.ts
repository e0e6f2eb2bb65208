import { describe, expect, it } from '@jest/globals';
import { referenceRows, referenceTable } from './document-reference.ts';
import { checkDocument, faultText, readDocument } from './read-document.ts';
import { decimal, either, integer, nullable, text, truth, word } from './scalar-shape.ts';
import { dictionary, list, optional, required, section, type Shape, table, withDefault } from './shape.ts';

const SHAPE = table({
  name: required(text('a name', /^[a-z]+$/), 'for people'),
  count: withDefault(integer({ min: 1, max: 10 }), 3, 'how many'),
  rate: optional(decimal({ min: 0, max: 1 }), 'a | share'),
  kind: withDefault(word(['left', 'right']), 'left', 'which'),
  limit: withDefault(either(word(['none']), integer({ min: 0, max: 9 })), 'none', 'the most'),
  owner: optional(nullable(text('a name', /^[a-z]+$/)), 'whose'),
  items: withDefault(
    list(table({ id: required(integer({ min: 0, max: 99 }), 'its id') }), { min: 0, max: 2 }),
    [],
    'all',
  ),
  labels: withDefault(dictionary(text('a word', /^[a-z]+$/), truth(), { max: 2 }), {}, 'more'),
  inner: section(table({ deep: withDefault(truth(), true, 'whether') }), 'below'),
});

function faultsOf(shape: Shape<unknown>, value: unknown): readonly string[] {
  return checkDocument(shape, value).faults.map(faultText);
}

describe('a document', () => {
  it('is read with its defaults, and frozen', () => {
    const value = readDocument(SHAPE, { name: 'a' }, 'file');

    expect(value).toEqual({
      name: 'a',
      count: 3,
      kind: 'left',
      limit: 'none',
      items: [],
      labels: {},
      inner: { deep: true },
    });
    expect(Object.isFrozen(value)).toBe(true);
  });

  it('keeps what is written', () => {
    const written = {
      name: 'b',
      count: 10,
      rate: 0.5,
      kind: 'right',
      limit: 0,
      owner: null,
      items: [{ id: 1 }, { id: 2 }],
      labels: { x: false },
      inner: { deep: false },
    };

    expect(readDocument(SHAPE, written, 'file')).toEqual(written);
  });

  it.each<[unknown, readonly string[]]>([
    [null, ['expected a table']],
    [[], ['expected a table']],
    [new Date(), ['expected a table']],
    [{}, ['name: missing, expected a name']],
    [{ name: 'a', cuont: 1 }, ['cuont: no such key, did you mean count?']],
    [{ name: 'a', count: '3' }, ['count: expected a whole number from 1 to 10']],
    [{ name: 'a', count: 2.5 }, ['count: expected a whole number from 1 to 10']],
    [{ name: 'a', rate: NaN }, ['rate: expected a number from 0 to 1']],
    [{ name: 'a', kind: 'up' }, ['kind: expected `left` or `right`']],
    [{ name: 'a', limit: 'some' }, ['limit: expected `none` or a whole number from 0 to 9']],
    [{ name: 'a', owner: 7 }, ['owner: expected a name']],
    [{ name: 'a', items: [{ id: 1 }, {}] }, ['items.1.id: missing, expected a whole number from 0 to 99']],
    [{ name: 'a', items: [{ id: 1 }, { id: 2 }, { id: 3 }] }, ['items: expected a list of 0 to 2 items']],
    [{ name: 'a', labels: { x: 1 } }, ['labels.x: expected true or false']],
    [{ name: 'a', labels: { X: true } }, ['labels.X: expected a word']],
    [{ name: 'a', labels: { a: true, b: true, c: true } }, [expect.stringContaining('at most 2 keys')]],
    [
      { name: 'a', inner: { deep: 1, deeq: 2 } },
      ['inner.deep: expected true or false', expect.stringContaining('inner.deeq')],
    ],
    [{ name: 'B', count: 0 }, ['name: expected a name', 'count: expected a whole number from 1 to 10']],
    [JSON.parse('{"name":"a","__proto__":{"count":9}}'), [expect.stringContaining('__proto__: no such key')]],
    [{ name: 'a', 'odd key\n': 1 }, [expect.stringContaining('"odd key\\n": no such key')]],
  ])('%j is refused with all its faults', (value, faults) => {
    expect(faultsOf(SHAPE, value)).toEqual(faults);
  });

  it('is refused in one message that names it, and never a value', () => {
    const read = (): unknown => readDocument(SHAPE, { name: 'S3CRET', count: 'S3CRET' }, 'file.toml');

    expect(read).toThrow('file.toml: name: expected a name; count: expected a whole number from 1 to 10');
    expect(read).not.toThrow(/S3CRET/);
  });
});

describe('a reference', () => {
  it('has a row for every key, in order, with its default', () => {
    const rows = referenceRows(SHAPE);

    expect(rows.map(({ key, fallback, isRequired }) => [key, fallback, isRequired])).toEqual([
      ['name', undefined, true],
      ['count', '3', false],
      ['rate', undefined, false],
      ['kind', '"left"', false],
      ['limit', '"none"', false],
      ['owner', undefined, false],
      ['items[]', '[]', false],
      ['items[].id', undefined, true],
      ['labels', '{}', false],
      ['inner', undefined, false],
      ['inner.deep', 'true', false],
    ]);
  });

  it('is a table whose cells are closed', () => {
    const lines = referenceTable(referenceRows(SHAPE)).split('\n');

    expect(new Set(lines.map((line) => line.length)).size).toBe(1);
    expect(lines.find((line) => line.includes('`rate`'))).toContain('a \\| share');
  });
});
