import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LinkCell, NodeCell, QueryEngine, type Cell } from '#graph/query';
import { entity, NaiveReader, relationship } from '#graph/testing';
import { effort } from '#testing';
import { bind } from '../../src/binder/bind.ts';
import { parse } from '../../src/parser/parser.ts';
import { BruteForce, visibleElements } from './brute-force.ts';

const ALL = 100_000;
const vocabulary = { hasClass: () => true, hasVerb: () => true };
const runs = {
  numRuns: Number(process.env['PROPERTY_RUNS'] ?? effort(400, 80)),
  verbose: fc.VerbosityLevel.Verbose,
};

const NODES = 6;
const node = fc.nat({ max: NODES - 1 });
const link = fc.record({
  from: node,
  to: node,
  verb: fc.constantFrom('USES', 'NEEDS'),
  n: fc.nat({ max: 2 }),
});

/** Few nodes with so many links that any two may be linked in several ways. */
const graph = fc.array(link, { minLength: 4, maxLength: 24 }).map((links) => {
  const entities = Array.from({ length: NODES }, (_, at) =>
    entity(at % 2 === 0 ? 'host' : 'service', 'Thing', `n${String(at)}`),
  );
  const relationships = links.flatMap(({ from, to, verb, n }, at) => {
    const [a, b] = [entities[from], entities[to]];
    return a && b ? [{ ...relationship(a, verb, b, { n }), key: String(at) }] : [];
  });
  return new NaiveReader({ entities, relationships });
});

/** From one alias to another: a hop, trails, several hops, or one that may be missing. */
const way = fc.constantFrom(
  (to: string) => `THAT USES * AS ${to}`,
  (to: string) => `THAT USES >> host AS ${to}`,
  (to: string) => `THAT USES{1..2} * AS ${to}`,
  (to: string) => `THAT USES{2..3} << * AS ${to}`,
  (to: string) => `THAT USES * THAT USES << * AS ${to}`,
  (to: string) => `THAT USES AS l${to} * AS ${to}`,
  (to: string) => `(THAT USES * AS ${to})?`,
);
const clause = fc.record({
  ends: fc.constantFrom(['a', 'b'], ['b', 'a'], ['a', 'c'], ['c', 'b'], ['c', 'c']),
  verbs: fc.constantFrom('NEEDS', 'NEEDS >>', 'USES <<', 'RELATES TO'),
  isNegated: fc.boolean(),
});

function elementOf(cell: Cell): number {
  if (cell instanceof NodeCell) return cell.node;
  return cell instanceof LinkCell ? cell.link : -1;
}

describe('nodes with two relationships between them', () => {
  it('equal those of brute force, with and without the planner', () => {
    const clauses = fc.array(clause, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(graph, fc.tuple(way, way), clauses, (reader, [first, second], wheres) => {
        const where = wheres.map(
          ({ ends: [from = '', to = ''], verbs, isNegated }) =>
            `${isNegated ? 'NOT ' : ''}(${from} THAT ${verbs} ${to})`,
        );
        const text = `FIND * AS a ${first('b')} ${second('c')} WHERE ${where.join(' AND ')}`;
        const { body } = bind(parse(text), text);
        if (body.kind !== 'find') throw new Error('expected a FIND');
        const aliases = body.elements.flatMap(({ alias }) => alias ?? []);
        const expected = new BruteForce(reader, body).rows(visibleElements(body)).map(String);

        const pql = `${text} RETURN ${aliases.join(', ')}`;
        const [on, off] = (['on', 'off'] as const).map((planner) =>
          new QueryEngine({ vocabulary }).runSync(reader, pql, { planner }).page(0, ALL),
        );

        const rows = on?.rows?.map((row) => String(row.map(elementOf))) ?? [];
        expect(rows.sort()).toEqual(expected.sort());
        expect(off).toEqual(on);
      }),
      runs,
    );
  });
});
