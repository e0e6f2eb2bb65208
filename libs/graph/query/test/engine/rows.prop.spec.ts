import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { FieldValue } from '#graph/model';
import { type Cell, LinkCell, NodeCell, QueryEngine, type QueryResult } from '#graph/query';
import { arbitraryFind, arbitraryGraph, findText, NaiveReader } from '#graph/testing';
import { effort } from '#testing';
import { bind } from '../../src/binder/bind.ts';
import type { BoundFind } from '../../src/binder/bound-query.ts';
import { parse } from '../../src/parser/parser.ts';
import { compareValues } from '#graph/execution';
import { BruteForce, visibleElements } from './brute-force.ts';

const ALL = 100_000;
const vocabulary = { hasClass: () => true, hasVerb: () => true };
const runs = {
  numRuns: Number(process.env['PROPERTY_RUNS'] ?? effort(300, 60)),
  verbose: fc.VerbosityLevel.Verbose,
};

const propertyName = fc.constantFrom('os', 'cpu', 'flag', 'tags', '_key', 'class', 'missing');
/** Which aliases of the pattern a clause speaks of, and of which of their fields. */
const clause = fc.record({ by: propertyName, of: propertyName, at: fc.nat() });

/** One row of brute force: what each alias has in each field. */
type Read = (alias: string, field: string) => FieldValue;

function boundFind(pql: string): BoundFind {
  const { body } = bind(parse(pql), pql);
  if (body.kind !== 'find') throw new Error('expected a FIND');
  return body;
}

/** The rows of a pattern whose every alias makes up the row. */
function bruteRows(reader: NaiveReader, find: BoundFind): Read[] {
  const visible = visibleElements(find);
  return new BruteForce(reader, find).rows(visible).map((row) => (alias, name) => {
    const at = visible.findIndex((element) => find.elements[element]?.alias === alias);
    const number = row[at] ?? -1;
    if (number < 0) return null;
    const isLink = find.elements[visible[at] ?? -1]?.kind === 'hop';
    return (isLink ? reader.linkField(number, name) : reader.nodeField(number, name)) ?? null;
  });
}

function bothWays(reader: NaiveReader, pql: string): QueryResult {
  const [on, off] = (['on', 'off'] as const).map((planner) =>
    new QueryEngine({ vocabulary }).runSync(reader, pql, { planner }),
  );
  if (on === undefined || off === undefined) throw new Error('expected two results');
  expect(off.page(0, ALL)).toEqual(on.page(0, ALL));
  expect(off.warnings).toEqual(on.warnings);
  return on;
}

/** The node or link of a whole element; −1 for null. */
function numberOf(cell: Cell): number {
  if (cell instanceof NodeCell) return cell.node;
  return cell instanceof LinkCell ? cell.link : -1;
}

const isThere = (value: FieldValue) => value !== null && value !== undefined;
const numbers = (values: readonly FieldValue[]) => values.filter((value) => typeof value === 'number');

describe('grouping', () => {
  it('returns the groups and aggregates of the rows', () => {
    fc.assert(
      fc.property(arbitraryGraph, arbitraryFind, clause, (data, parts, { by, of, at }) => {
        const reader = new NaiveReader(data);
        const { text, aliases } = findText(parts);
        fc.pre(aliases.length > 0);
        const a = aliases[at % aliases.length] ?? '';
        const b = aliases[(at >> 1) % aliases.length] ?? '';
        const items = ['COUNT(*)', ...['COUNT', 'SUM', 'MIN', 'MAX'].map((name) => `${name}(${b}.${of})`)];
        const pql = `${text} GROUP BY ${a}.${by} RETURN ${a}.${by}, ${items.join(', ')}, COUNT(DISTINCT ${b}.${of})`;

        const groups = Map.groupBy(bruteRows(reader, boundFind(pql)), (read) => JSON.stringify(read(a, by)));
        const expected = [...groups].map(([key, rows]) => {
          const values = rows.map((read) => read(b, of)).filter(isThere);
          const sorted = values.sort(compareValues);
          const sum = numbers(values).reduce((total, value) => total + value, 0);
          const distinct = new Set(values.map((value) => JSON.stringify(value))).size;
          const ends = [sorted[0] ?? null, sorted.at(-1) ?? null];
          return [JSON.parse(key) as FieldValue, rows.length, values.length, sum, ...ends, distinct];
        });

        const result = bothWays(reader, pql);
        const rows = result.page(0, ALL).rows?.map((row) => row.map((cell) => cell ?? null));

        expect(rows).toEqual(expected.sort(([x], [y]) => compareValues(x, y)));
        expect(result.count).toBe(expected.length);
      }),
      runs,
    );
  });
});

describe('grouping by values of two elements', () => {
  it('counts the rows of each pair of values', () => {
    fc.assert(
      fc.property(arbitraryGraph, arbitraryFind, clause, (data, parts, { by, of, at }) => {
        const reader = new NaiveReader(data);
        const { text, aliases } = findText(parts);
        fc.pre(aliases.length > 1);
        const [a, b] = [aliases[at % aliases.length] ?? '', aliases[(at >> 1) % aliases.length] ?? ''];
        fc.pre(a !== b || by !== of);
        const pql = `${text} GROUP BY ${a}.${by}, ${b}.${of}`;

        const read = bruteRows(reader, boundFind(pql)).map((row) => JSON.stringify([row(a, by), row(b, of)]));
        const expected = Map.groupBy(read, (key) => key);
        const groups = bothWays(reader, pql).page(0, ALL).groups ?? [];

        expect(
          groups.map(({ keys, count }) => [JSON.stringify(keys.map((key) => key ?? null)), count]).sort(),
        ).toEqual([...expected].map(([key, rows]) => [key, rows.length]).sort());
      }),
      runs,
    );
  });
});

type Operator = '+' | '-' | '*' | '/';

function calculated(left: FieldValue, operator: Operator, right: FieldValue): number | null {
  if (typeof left !== 'number' || typeof right !== 'number') return null;
  const result = { '+': left + right, '-': left - right, '*': left * right, '/': left / right }[operator];
  return Number.isFinite(result) ? result + 0 : null;
}

/** `a first b second c`; `*` and `/` bind tighter than `+` and `-`. */
function calculatedOf(values: readonly FieldValue[], first: Operator, second: Operator): number | null {
  const [a, b, c] = values;
  const isRightFirst = '+-'.includes(first) && '*/'.includes(second);
  return isRightFirst
    ? calculated(a, first, calculated(b, second, c))
    : calculated(calculated(a, first, b), second, c);
}

function joined(...values: readonly FieldValue[]): string {
  return values.map((value) => (Array.isArray(value) ? value.join(', ') : String(value ?? ''))).join('');
}

describe('computed values', () => {
  const operator = fc.constantFrom<Operator>('+', '-', '*', '/');
  const operators = fc.tuple(operator, operator);
  const law = (
    check: (parts: {
      reader: NaiveReader;
      text: string;
      a: string;
      b: string;
      first: Operator;
      second: Operator;
      fields: { by: string; of: string };
    }) => void,
  ): void => {
    fc.assert(
      fc.property(arbitraryGraph, arbitraryFind, clause, operators, (data, parts, at, [first, second]) => {
        const { text, aliases } = findText(parts);
        fc.pre(aliases.length > 0);
        const [a, b] = [aliases[at.at % aliases.length] ?? '', aliases[(at.at >> 1) % aliases.length] ?? ''];
        check({ reader: new NaiveReader(data), text, a, b, first, second, fields: at });
      }),
      runs,
    );
  };

  it('are those of each row, in the order of one of them', () => {
    law(({ reader, text, a, b, first, second, fields: { by, of } }) => {
      const sum = `${a}.${by} ${first} ${b}.${of} ${second} 2`;
      const pql = `${text} RETURN ${sum}, CONCAT(${a}.${by}, '-', ${b}.${of}, 1) AS label ORDER BY label DESC`;

      const expected = bruteRows(reader, boundFind(pql)).map((read) => [
        calculatedOf([read(a, by), read(b, of), 2], first, second),
        joined(read(a, by), '-', read(b, of), 1),
      ]);
      const rows = bothWays(reader, pql).page(0, ALL).rows ?? [];

      expect(rows.map((row) => JSON.stringify(row)).sort()).toEqual(
        expected.map((row) => JSON.stringify(row)).sort(),
      );
      expect(rows.map(([, label]) => label)).toEqual(
        expected.map(([, label]) => label).sort((x, y) => compareValues(y, x)),
      );
    });
  });

  it('make one row of those that are equal', () => {
    law(({ reader, text, a, b, first, second, fields: { by, of } }) => {
      const pql = `${text} RETURN DISTINCT (${a}.${by} ${first} ${b}.${of}) ${second} ${b}.${of} AS n ORDER BY n`;

      const values = bruteRows(reader, boundFind(pql)).map((read) =>
        calculated(calculated(read(a, by), first, read(b, of)), second, read(b, of)),
      );
      const rows = bothWays(reader, pql).page(0, ALL).rows ?? [];

      expect(rows.map(([cell]) => cell)).toEqual([...new Set(values)].sort(compareValues));
    });
  });

  it('are keys of groups, and computed of their aggregates', () => {
    law(({ reader, text, a, b, first, second, fields: { by, of } }) => {
      const pql = `${text} RETURN ${a}.${by} ${first} 2, (SUM(${b}.${of}) ${second} COUNT(*)) * 2 AS n, CONCAT(COUNT(*), ' rows')`;

      const groups = Map.groupBy(bruteRows(reader, boundFind(pql)), (read) =>
        calculated(read(a, by), first, 2),
      );
      const expected = [...groups].map(([key, rows]) => {
        const sum = numbers(rows.map((read) => read(b, of))).reduce((total, value) => total + value, 0);
        return [
          key,
          calculated(calculated(sum, second, rows.length), '*', 2),
          `${String(rows.length)} rows`,
        ] as const;
      });

      const rows = bothWays(reader, pql).page(0, ALL).rows ?? [];

      expect(rows).toEqual(expected.sort(([x], [y]) => compareValues(x, y)));
    });
  });
});

describe('order', () => {
  it('sorts, skips and limits rows, missing values last', () => {
    const cut = fc.record({
      skip: fc.nat({ max: 3 }),
      limit: fc.option(fc.nat({ max: 4 })),
      descending: fc.boolean(),
    });
    fc.assert(
      fc.property(
        arbitraryGraph,
        arbitraryFind,
        clause,
        cut,
        (data, parts, { by, at }, { skip, limit, descending }) => {
          const reader = new NaiveReader(data);
          const { text, aliases } = findText(parts);
          fc.pre(aliases.length > 0);
          const a = aliases[at % aliases.length] ?? '';
          const tail = `SKIP ${String(skip)}${limit === null ? '' : ` LIMIT ${String(limit)}`}`;
          const pql = `${text} RETURN ${a}.${by} ORDER BY ${a}.${by}${descending ? ' DESC' : ''} ${tail}`;

          const values = bruteRows(reader, boundFind(pql)).map((read) => read(a, by));
          const there = values.filter(isThere).sort((x, y) => compareValues(x, y) * (descending ? -1 : 1));
          const expected = [...there, ...values.filter((value) => !isThere(value))].slice(
            skip,
            limit === null ? undefined : skip + limit,
          );

          const result = bothWays(reader, pql);

          expect(result.page(0, ALL).rows?.map(([cell]) => cell ?? null)).toEqual(expected);
          expect(result.count).toBe(expected.length);
        },
      ),
      runs,
    );
  });

  it('limits rows in result order without ORDER BY, with and without the planner', () => {
    const cut = fc.record({ skip: fc.nat({ max: 4 }), limit: fc.nat({ max: 5 }) });
    fc.assert(
      fc.property(arbitraryGraph, arbitraryFind, cut, (data, parts, { skip, limit }) => {
        const reader = new NaiveReader(data);
        const { text, aliases } = findText(parts);
        fc.pre(aliases.length > 0);
        const pql = `${text} RETURN ${aliases.join(', ')}`;
        const all = bothWays(reader, pql);

        const result = bothWays(reader, `${pql} SKIP ${String(skip)} LIMIT ${String(limit)}`);

        expect(result.page(0, ALL)).toEqual(all.page(skip, limit));
      }),
      runs,
    );
  });

  it('limits the rows from which entities are found, with and without the planner', () => {
    const cut = fc.record({ skip: fc.nat({ max: 4 }), limit: fc.nat({ max: 5 }), isSorted: fc.boolean() });
    fc.assert(
      fc.property(arbitraryGraph, arbitraryFind, clause, cut, (data, parts, { by, at }, how) => {
        const reader = new NaiveReader(data);
        const { text, aliases } = findText(parts);
        fc.pre(aliases.length > 0);
        const order = how.isSorted ? ` ORDER BY ${aliases[at % aliases.length] ?? ''}.${by}` : '';
        const rows = bothWays(reader, `${text} RETURN ${aliases.join(', ')}${order}`);

        const pql = `${text}${order} SKIP ${String(how.skip)} LIMIT ${String(how.limit)}`;
        const found = [...bothWays(reader, pql).page(0, ALL).entities];

        const expected = new Set(rows.page(how.skip, how.limit).entities);
        expect(found.sort()).toEqual([...expected].sort());
      }),
      runs,
    );
  });

  it('returns distinct elements once, and groups by them', () => {
    fc.assert(
      fc.property(arbitraryGraph, arbitraryFind, fc.nat(), (data, parts, at) => {
        const reader = new NaiveReader(data);
        const { text, aliases } = findText(parts);
        fc.pre(aliases.length > 0);
        const a = aliases[at % aliases.length] ?? '';
        const find = boundFind(text);
        const visible = visibleElements(find);
        const slot = visible.findIndex((element) => find.elements[element]?.alias === a);
        const elements = new BruteForce(reader, find).rows(visible).map((row) => row[slot] ?? -1);

        const distinct = bothWays(reader, `${text} RETURN DISTINCT ${a}`).page(0, ALL).rows ?? [];
        const groups = bothWays(reader, `${text} GROUP BY ${a}`).page(0, ALL).groups ?? [];

        expect(distinct.map(([cell]) => numberOf(cell)).sort()).toEqual([...new Set(elements)].sort());
        expect(groups.map(({ keys: [key], count }) => [numberOf(key), count]).sort()).toEqual(
          [...Map.groupBy(elements, (each) => each)].map(([each, all]) => [each, all.length]).sort(),
        );
      }),
      runs,
    );
  });

  it('returns distinct rows once', () => {
    fc.assert(
      fc.property(arbitraryGraph, arbitraryFind, clause, (data, parts, { by, of, at }) => {
        const reader = new NaiveReader(data);
        const { text, aliases } = findText(parts);
        fc.pre(aliases.length > 0);
        const a = aliases[at % aliases.length] ?? '';
        const b = aliases[(at >> 1) % aliases.length] ?? '';
        const pql = `${text} RETURN DISTINCT ${a}.${by}, ${b}.${of}`;
        const find = boundFind(pql);

        const read = bruteRows(reader, find).map((row) => JSON.stringify([row(a, by), row(b, of)]));
        const expected = new Set(read);
        const result = bothWays(reader, pql);
        const page = result.page(0, ALL);
        const cells = page.rows?.map((row) => JSON.stringify(row.map((cell) => cell ?? null)));

        expect(cells?.sort()).toEqual([...expected].sort());
        expect([...page.entities].sort()).toEqual(new BruteForce(reader, find).rows([0]).flat().sort());
      }),
      runs,
    );
  });
});
