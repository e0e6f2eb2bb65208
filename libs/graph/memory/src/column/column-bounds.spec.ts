/**
 * Estimates are upper bounds of the number of matches, and groups are counted, for columns of each kind. The
 * graphs of the conformance tests are too small for columns of places and of numbers.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { FieldValue, Filter, Scalar, Selection, ValueKind, ValueTest } from '#graph/model';
import { entity, type GraphData, NaiveReader, putData, TEST_OPTIONS } from '#graph/testing';
import { completed } from '#platform/foundation';
import { MemoryGraph } from '../memory-graph.ts';
import type { GraphSnapshot } from '../snapshot/graph-snapshot.ts';

/** More values than a dictionary holds. */
const HOSTS = 1_500;

/**
 * `name` and `tags` have many values, some of them twice or three times; `size` has numbers; `os` and `rack`
 * have few values; `owner` has more than a dictionary holds, each five times; `list` has lists of one kind,
 * of two, and without members.
 */
const DATA: GraphData = {
  entities: Array.from({ length: HOSTS }, (_, at) =>
    entity('host', 'Host', `h${at}`, {
      name: at % 50 === 0 ? null : `n${Math.floor(at / 3)}`,
      ...(at % 7 !== 0 && { tags: [`t${at}`, `t${at + 1}`, `t${at}`] }),
      ...(at % 5 !== 0 && { size: at % 900 }),
      os: ['linux', 'windows', 'bsd'][at % 3] ?? '',
      rack: at % 40,
      mixed: at % 2 === 0 ? at : `m${at}`,
      ...(at % 9 !== 0 && { owner: at % 11 === 0 ? null : `o${at % 300}` }),
      list: [[`l${at}`], [`l${at}`, at], [at], []][at % 4] ?? [],
    }),
  ),
  relationships: [],
};
/** Some of the hosts with other owners, or none. */
const CHANGES = DATA.entities
  .filter((_, at) => at % 10 === 0)
  .map(({ key }, at) =>
    entity('host', 'Host', key, at % 3 === 0 ? {} : { owner: at % 2 === 0 ? 'o1' : 'new' }),
  );

function equalTo(...values: Scalar[]): ValueTest {
  const isOne = (value: FieldValue): boolean =>
    Array.isArray(value) ? value.some(isOne) : values.some((item) => item === value);
  return { matches: isOne, equals: values };
}

function between(low: number, high: number, isIncluded: boolean): ValueTest {
  const matches = (value: FieldValue): boolean =>
    typeof value === 'number' && (isIncluded ? value >= low && value <= high : value > low && value < high);
  return { matches, range: { low, high, lowIncluded: isIncluded, highIncluded: isIncluded } };
}

function ofKinds(...kinds: ValueKind[]): ValueTest {
  const isOne = (value: FieldValue, suffix = ''): boolean =>
    Array.isArray(value)
      ? value.some((member: Scalar) => isOne(member, '[]'))
      : kinds.includes(`${typeof value}${suffix}` as ValueKind);
  return { matches: isOne, kinds };
}

const EXISTS: ValueTest = { matches: (value) => value !== undefined && value !== null, exists: true };
const CONTAINS: ValueTest = { matches: (value) => String(value).includes('1') };

const is = (field: string, test: ValueTest): Filter => ({ kind: 'test', field, test });
const not = (item: Filter): Filter => ({ kind: 'not', item });
const both = (...items: Filter[]): Filter => ({ kind: 'and', items });
const either = (...items: Filter[]): Filter => ({ kind: 'or', items });

const names = Array.from({ length: 400 }, (_, at) => `n${at}`);
const FILTERS: readonly (readonly [string, Filter])[] = [
  ['one value', is('name', equalTo('n7'))],
  ['several values', is('name', equalTo('n7', 'n8', 'n9'))],
  ['hundreds of values', is('name', equalTo(...names))],
  [
    'more values than are looked up',
    is('name', equalTo(...names, ...Array.from({ length: 700 }, (_, at) => at))),
  ],
  ['no value', is('name', equalTo())],
  ['a value that there is not', is('name', equalTo('nobody'))],
  ['null', is('name', equalTo(null))],
  ['a value in lists', is('tags', equalTo('t8'))],
  ['values in lists', is('tags', equalTo('t8', 't9', 't10'))],
  ['a property that is there', is('name', EXISTS)],
  ['lists that are there', is('tags', EXISTS)],
  ['no property', not(is('tags', EXISTS))],
  ['texts', is('name', ofKinds('string'))],
  ['texts where there are lists', is('tags', ofKinds('string'))],
  ['lists of texts', is('tags', ofKinds('string[]', 'number'))],
  ['numbers of any value', is('size', ofKinds('number', 'boolean'))],
  ['texts where there are numbers', is('size', ofKinds('string'))],
  ['numbers, among texts', is('mixed', ofKinds('number'))],
  ['numbers or texts', is('mixed', ofKinds('number', 'string'))],
  ['lists with numbers', is('list', ofKinds('number[]'))],
  ['lists with numbers or texts', is('list', ofKinds('number[]', 'string[]'))],
  ['another value', not(is('name', equalTo('n7', 'n8')))],
  ['a part of the text', is('name', CONTAINS)],
  ['a number', is('size', equalTo(7))],
  ['numbers', is('size', equalTo(7, 8, 500))],
  ['a number of another kind', is('size', equalTo('7'))],
  ['numbers between others', is('size', between(10, 20, true))],
  ['numbers strictly between others', is('size', between(10, 20, false))],
  ['numbers that are there', is('size', EXISTS)],
  ['no number', not(is('size', between(10, 20, true)))],
  ['numbers among texts', is('mixed', equalTo(4, 'm5', 6))],
  ['a range among texts', is('mixed', between(4, 40, true))],
  ['few values', is('os', equalTo('linux', 'bsd'))],
  ['another of few values', not(is('os', equalTo('linux')))],
  ['some of more values', is('rack', between(3, 30, true))],
  ['some of more values, of those with a number', both(is('size', EXISTS), is('rack', between(3, 30, true)))],
  ['a record’s own field', is('_key', equalTo('h1', 'h2', 'h3'))],
  ['this and that', both(is('name', equalTo('n7', 'n8')), is('os', equalTo('linux')))],
  [
    'this or that',
    either(is('name', equalTo('n7', 'n8')), is('size', equalTo(500, 501)), is('tags', equalTo('t1'))),
  ],
  ['one of few values, or a few of more', either(is('os', equalTo('linux')), is('rack', equalTo(1, 2, 3)))],
  ['one of few values, or another property', either(is('os', equalTo('bsd')), is('size', EXISTS))],
  ['one value in texts, or one of numbers', either(is('name', equalTo('n7')), is('size', equalTo(7)))],
  ['neither of few values', not(either(is('os', equalTo('linux')), is('rack', equalTo(4))))],
  [
    'one of few values, of those with another or a third',
    both(is('size', EXISTS), either(is('os', equalTo('bsd', 'linux')), is('rack', equalTo(4)))),
  ],
  ['neither', not(either(is('name', equalTo('n7')), is('os', equalTo('linux', 'windows'))))],
];

describe('the estimate', () => {
  const naive = new NaiveReader(DATA);
  let sealed: GraphSnapshot;
  let split: GraphSnapshot;

  beforeAll(async () => {
    const graph = MemoryGraph.create(TEST_OPTIONS);
    putData(graph, DATA);
    await graph.seal();
    sealed = graph.snapshot();
    split = await halves();
  });

  it.each(FILTERS)('is not less than the number of entities with %s', (_, filter) => {
    const selection = { names: ['Host'], filter };
    const found = keys(naive, selection);

    for (const reader of [sealed, split]) {
      expect(keys(reader, selection)).toEqual(found);
      expect(completed(reader.count(selection))).toBe(found.length);
      expect(reader.estimate(selection)).toBeGreaterThanOrEqual(found.length);
    }
  });

  it('leaves counts of two conditions exact, asked again and again', () => {
    const values = ['linux', 'windows', 'bsd', 'plan9'].map((os) => is('os', equalTo(os)));
    const racks = [0, 9, 18, 27, 40].map((rack) => is('rack', equalTo(rack)));
    const pairs = values.flatMap((os) => [...racks, ...values].map((other) => [os, other] as const));
    const filters = [...pairs, ...pairs].flatMap(([a, b]) => [
      both(a, b),
      either(a, b),
      both(b, a),
      not(both(a, b)),
    ]);

    for (const filter of filters) {
      const selection = { names: ['Host'], filter };
      const found = completed(naive.count(selection));

      for (const reader of [sealed, split]) expect(completed(reader.count(selection))).toBe(found);
    }
    expect(keys(sealed, { names: ['Host'], filter: both(...pairs[7]!) })).toEqual(
      keys(naive, { names: ['Host'], filter: both(...pairs[7]!) }),
    );
  });

  it.each([
    ['one value', is('name', equalTo('n7')), 3],
    ['several values', is('name', equalTo('n7', 'n8')), 6],
    ['a missing value', is('name', equalTo('nobody')), 0],
    ['an existing property', is('name', EXISTS), HOSTS - HOSTS / 50],
    ['a number', is('size', equalTo(7)), 2],
    ['few values', is('os', equalTo('linux')), HOSTS / 3],
  ])('is exact for %s', (_, filter, count) => {
    expect(sealed.estimate({ names: ['Host'], filter })).toBe(count);
  });
});

describe('groups', () => {
  it.each([
    ...['name', 'tags', 'size', 'os', 'mixed', 'owner', 'list', '_key', 'class', 'absent'],
    ...['os rack', 'rack os owner', 'os absent', 'rack size', 'rack rack os', 'owner rack', 'os name'],
  ])('are counted by %s, again and again', async (names) => {
    const fields = names.split(' ');
    const graph = MemoryGraph.create(TEST_OPTIONS);
    putData(graph, DATA);
    await graph.seal();
    const sealed = graph.snapshot();
    putData(graph, { entities: CHANGES, relationships: [] });
    const changed = graph.snapshot();
    const byKey = new Map([...DATA.entities, ...CHANGES].map((each) => [each.key, each]));
    const expected = groups(new NaiveReader(DATA), fields);
    const expectedAfter = groups(new NaiveReader({ ...DATA, entities: [...byKey.values()] }), fields);

    for (let time = 0; time < 2; time++) {
      expect(groups(sealed, fields)).toEqual(expected);
      expect(groups(changed, fields)).toEqual(expectedAfter);
    }
    for (const filter of [is('os', equalTo('bsd')), is('_key', equalTo('h1', 'h7', 'h8'))])
      expect(groups(sealed, fields, filter)).toEqual(groups(new NaiveReader(DATA), fields, filter));
  });
});

describe('the estimate over a dictionary of many values', () => {
  const RACKS = 1_100;
  const ROWS = 9_100;
  let snapshot: GraphSnapshot;

  beforeAll(async () => {
    const graph = MemoryGraph.create(TEST_OPTIONS);
    const hosts = Array.from({ length: ROWS }, (_, at) =>
      entity('host', 'Host', `h${at}`, at % 7 === 0 ? {} : { rack: `r${at % RACKS}` }),
    );
    putData(graph, { entities: hosts, relationships: [] });
    await graph.seal();
    snapshot = graph.snapshot();
  });

  it.each([
    ['exact for the rows with the property', EXISTS, (ROWS * 6) / 7],
    ['exact for one value', equalTo('r1'), 8],
    ['the number of all rows if each value would need a test', CONTAINS, ROWS],
  ])('is %s', (_, test, expected) => {
    expect(snapshot.estimate({ names: ['Host'], filter: is('rack', test) })).toBe(expected);
  });
});

function keys(reader: NaiveReader | GraphSnapshot, selection: Selection): FieldValue[] {
  return Array.from(completed(reader.select(selection)), (node) => reader.nodeField(node, '_key'));
}

function groups(reader: NaiveReader | GraphSnapshot, fields: readonly string[], filter?: Filter): string[] {
  return completed(reader.groupCounts({ names: ['Host'], ...(filter && { filter }) }, fields))
    .map(({ values, count }) => JSON.stringify([values, count]))
    .sort();
}

/** Half of the records are sealed, the others are in the delta. */
async function halves(): Promise<GraphSnapshot> {
  const graph = MemoryGraph.create(TEST_OPTIONS);
  const half = HOSTS / 2;
  putData(graph, { entities: DATA.entities.slice(0, half), relationships: [] });
  await graph.seal();
  putData(graph, { entities: DATA.entities.slice(half), relationships: [] });
  return graph.snapshot();
}
