import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NodeCell, QueryEngine } from '#graph/query';
import { entity, NaiveReader, relationship } from '#graph/testing';
import { effort } from '#testing';
import { bind } from '../../src/binder/bind.ts';
import { parse } from '../../src/parser/parser.ts';
import { BruteForce } from './brute-force.ts';

const ALL = 100_000;
const vocabulary = { hasClass: () => true, hasVerb: () => true };
const runs = {
  numRuns: Number(process.env['PROPERTY_RUNS'] ?? effort(300, 60)),
  verbose: fc.VerbosityLevel.Verbose,
};

const NODES = 7;
const node = fc.nat({ max: NODES - 1 });

/** Few nodes with many links: parallel ones, loops, bridges, parts that do not hang together. */
const graph = fc.array(fc.tuple(node, node), { minLength: 1, maxLength: 14 }).map(readerOf);

/** So few links that every trail of any length can be followed; half of them a chain through all nodes. */
const smallGraph = fc
  .tuple(fc.array(fc.tuple(node, node), { maxLength: 7 }), fc.subarray([0, 1, 2, 3, 4, 5]))
  .map(([links, chain]) =>
    readerOf([...links, ...chain.map((at): [number, number] => [at, at + 1])].slice(0, 10)),
  );

function readerOf(links: readonly [number, number][]): NaiveReader {
  const entities = Array.from({ length: NODES }, (_, at) =>
    entity(at % 3 === 0 ? 'host' : 'service', 'Thing', `n${String(at)}`),
  );
  const relationships = links.flatMap(([from, to], at) => {
    const [a, b] = [entities[from], entities[to]];
    if (a === undefined || b === undefined) return [];
    return [{ ...relationship(a, 'USES', b), key: String(at) }];
  });
  return new NaiveReader({ entities, relationships });
}

const bounds = fc
  .uniqueArray(fc.nat({ max: 6 }), { minLength: 1, maxLength: 2 })
  .map((ends) => `{${String(Math.min(...ends))}..${String(Math.max(...ends))}}`);
const openBounds = fc
  .tuple(fc.nat({ max: 10 }), fc.constantFrom('', '', '25', '100'))
  .map(([least, most]) => `{${String(least)}..${most}}`);

const hopWith = (repeats: fc.Arbitrary<string>) =>
  fc
    .record({
      repeat: repeats,
      direction: fc.constantFrom('', ' >>', ' <<'),
      from: fc.constantFrom('*', 'host', "* WITH _key = 'n1'"),
      to: fc.constantFrom('*', 'host', "* WITH _key = 'n1'"),
    })
    .map(({ repeat, direction, from, to }) => ({ from, to, step: `THAT USES${repeat}${direction}` }));

/** Short bounds in any graph; bounds above the number of links, or none, in small ones. */
const asked = fc.oneof(fc.tuple(graph, hopWith(bounds)), fc.tuple(smallGraph, hopWith(openBounds)));

function brute(reader: NaiveReader, pql: string): BruteForce {
  const { body } = bind(parse(pql), pql);
  if (body.kind !== 'find') throw new Error('expected a FIND');
  return new BruteForce(reader, body);
}

describe('a repeated hop', () => {
  it('reaches the ends of all trails, pair by pair', () => {
    fc.assert(
      fc.property(asked, ([reader, { from, to, step }]) => {
        const pql = `FIND ${from} AS a ${step} ${to} AS b RETURN a, b`;
        const expected = brute(reader, pql).rows([0, 2]);

        const result = new QueryEngine({ vocabulary }).runSync(reader, pql);
        const rows = result.page(0, ALL).rows ?? [];

        const pairs = rows.map((row) => row.map((cell) => (cell instanceof NodeCell ? cell.node : -1)));
        expect(pairs.map(String).sort()).toEqual(expected.map(String).sort());
      }),
      runs,
    );
  });

  it('keeps the entities with a continuing trail', () => {
    fc.assert(
      fc.property(asked, ([reader, { from, to, step }]) => {
        const pql = `FIND ${from} ${step} ${to}`;
        const expected = brute(reader, pql).rows([0]).flat();

        const on = new QueryEngine({ vocabulary }).runSync(reader, pql);
        const off = new QueryEngine({ vocabulary }).runSync(reader, pql, { planner: 'off' });

        expect([...on.page(0, ALL).entities].sort()).toEqual(expected.sort());
        expect([...off.page(0, ALL).entities].sort()).toEqual(expected.sort());
      }),
      runs,
    );
  });

  it('is absent, optional or in an absent chain where no such trail exists', () => {
    fc.assert(
      fc.property(asked, ([reader, { from, to, step }]) => {
        const hop = step.replace('THAT ', '');
        const patterns = [
          `FIND ${from} THAT !${hop} ${to}`,
          `FIND ${from} (THAT USES >> * ${step} ${to})!`,
          `FIND ${from} AS a (${step} ${to} AS b)? RETURN a, b`,
          `FIND ${from} AS a THAT USES AS r * ${step} ${to} RETURN a`,
        ];
        for (const pql of patterns) {
          const isAliased = pql.includes(' AS a ');
          const elements = isAliased ? (pql.includes(' AS b') ? [0, 2] : [0]) : [0];
          const expected = brute(reader, pql).rows(elements);

          const page = new QueryEngine({ vocabulary }).runSync(reader, pql).page(0, ALL);
          const rows = isAliased
            ? (page.rows ?? []).map((row) => row.map((cell) => (cell instanceof NodeCell ? cell.node : -1)))
            : [...page.entities].map((found) => [found]);

          expect([...new Set(rows.map(String))].sort()).toEqual(expected.map(String).sort());
        }
      }),
      runs,
    );
  });
});
