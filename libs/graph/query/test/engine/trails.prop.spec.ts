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
const graph = fc.array(fc.tuple(node, node), { minLength: 1, maxLength: 14 }).map((links) => {
  const entities = Array.from({ length: NODES }, (_, at) =>
    entity(at % 3 === 0 ? 'host' : 'service', 'Thing', `n${String(at)}`),
  );
  const relationships = links.flatMap(([from, to], at) => {
    const [a, b] = [entities[from], entities[to]];
    if (a === undefined || b === undefined) return [];
    return [{ ...relationship(a, 'USES', b), key: String(at) }];
  });
  return new NaiveReader({ entities, relationships });
});

const hop = fc
  .record({
    ends: fc.uniqueArray(fc.nat({ max: 6 }), { minLength: 1, maxLength: 2 }),
    direction: fc.constantFrom('', ' >>', ' <<'),
    from: fc.constantFrom('*', 'host', "* WITH _key = 'n1'"),
    to: fc.constantFrom('*', 'host', "* WITH _key = 'n1'"),
  })
  .map(({ ends, direction, from, to }) => {
    const repeat = `{${String(Math.min(...ends))}..${String(Math.max(...ends))}}`;
    return { from, to, step: `THAT USES${repeat}${direction}` };
  });

function brute(reader: NaiveReader, pql: string): BruteForce {
  const { body } = bind(parse(pql), pql);
  if (body.kind !== 'find') throw new Error('expected a FIND');
  return new BruteForce(reader, body);
}

describe('a repeated hop', () => {
  it('reaches the ends of all trails, pair by pair', () => {
    fc.assert(
      fc.property(graph, hop, (reader, { from, to, step }) => {
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
      fc.property(graph, hop, (reader, { from, to, step }) => {
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
});
