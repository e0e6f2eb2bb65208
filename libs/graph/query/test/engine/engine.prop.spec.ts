import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { QueryEngine } from '#graph/query';
import { arbitraryFind, arbitraryGraph, findText, NaiveReader } from '#graph/testing';
import { effort } from '#testing';
import { bind } from '../../src/binder/bind.ts';
import type { BoundFind } from '../../src/binder/bound-query.ts';
import { parse } from '../../src/parser/parser.ts';
import { NodeCell, LinkCell, type Cell } from '../../src/result/query-result.ts';
import { BruteForce, visibleElements } from './brute-force.ts';

const ALL = 100_000;
const vocabulary = { hasClass: () => true, hasVerb: () => true };
const runs = {
  numRuns: Number(process.env['PROPERTY_RUNS'] ?? effort(400, 80)),
  verbose: fc.VerbosityLevel.Verbose,
};

function boundFind(pql: string): BoundFind {
  const { body } = bind(parse(pql), pql);
  if (body.kind !== 'find') throw new Error('expected a FIND');
  return body;
}

function elementOf(cell: Cell): number {
  if (cell instanceof NodeCell) return cell.node;
  return cell instanceof LinkCell ? cell.link : -1;
}

/** Fresh, so that no plan of another graph is kept. */
function engine(): QueryEngine {
  return new QueryEngine({ vocabulary });
}

describe('the engine', () => {
  it('finds the same entities as brute force, in result order, with and without the planner', () => {
    fc.assert(
      fc.property(arbitraryGraph, arbitraryFind, (data, parts) => {
        const reader = new NaiveReader(data);
        const { text } = findText(parts);
        const expected = new BruteForce(reader, boundFind(text)).rows([0]).map(([node]) => node ?? -1);

        const on = engine().runSync(reader, text);
        const off = engine().runSync(reader, text, { planner: 'off' });

        expect([...on.page(0, ALL).entities]).toEqual([...reader.sort(Uint32Array.from(expected))]);
        expect([...off.page(0, ALL).entities]).toEqual([...on.page(0, ALL).entities]);
        expect(on.count).toBe(expected.length);
      }),
      runs,
    );
  });

  it('returns the same distinct rows as brute force, with and without the planner', () => {
    fc.assert(
      fc.property(arbitraryGraph, arbitraryFind, (data, parts) => {
        const reader = new NaiveReader(data);
        const { text, aliases } = findText(parts);
        fc.pre(aliases.length > 0);
        const pql = `${text} RETURN ${aliases.join(', ')}`;
        const find = boundFind(pql);
        const brute = new BruteForce(reader, find);
        const visible = visibleElements(find);

        const on = engine().runSync(reader, pql);
        const off = engine().runSync(reader, pql, { planner: 'off' });
        const rows = on.page(0, ALL).rows?.map((row) => row.map(elementOf)) ?? [];

        expect(rows.map(String).sort()).toEqual(brute.rows(visible).map(String).sort());
        expect(off.page(0, ALL)).toEqual(on.page(0, ALL));
        expect(on.count).toBe(rows.length);
        expect(engine().runSync(reader, `${text} RETURN COUNT`).count).toBe(rows.length);
        expect([...on.page(0, ALL).entities].sort()).toEqual(brute.rows([0]).flat().sort());
      }),
      runs,
    );
  });
});
