/** Path selectors over random graphs: what they choose, against all paths of the same pattern. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { effort } from '#testing';
import { emptyGraph } from '../statement/empty-graph.ts';
import { rowsOf } from '../statement/run-statement.ts';
import { Choices, choices } from './choices.ts';
import { creationOf, randomGraph } from './random-graph.ts';

const PATTERNS = [
  '(a)-[:R]->+(z)',
  '(a)-[:R|S]-+(z)',
  '(a:A)-[*]-(z:B)',
  '(a)-[*1..3]->(z {n: 1})',
  '(a {n: 1})-[*0..2]-(z)',
  '(a {n: 1})<-[r:R WHERE r.id > 103]-*(z)',
  '(a)-[:R]->(m)-[:S]-*(z)',
  '(a)-[:R]-+(m:B)-[:R]-+(z)',
  '(a)-->+(m {n: 0})-->{0,2}(z:C)',
  '(a)((x)-[:R]->(y)-[s]->(w))+(z)',
  '(a)((x)-[:R]-(y:A)-[s]-(w) WHERE x.id <> w.id)*(z)',
  '(a)((x)--(y)){2,3}(z)-[:S]->(q)',
  '(a)-[:R]->+(m WHERE m.id <> a.id)-[:S]->(z)',
  '(a)-->+(a)',
  '(a:A)-[r]-(b)-[s]-+(a)',
] as const;

const SELECTORS = [
  ['SHORTEST 1', 1, false],
  ['ANY', 1, false],
  ['SHORTEST 3', 3, false],
  ['ALL SHORTEST', 1, true],
  ['SHORTEST 2 GROUPS', 2, true],
] as const;

interface FoundPath {
  readonly text: string;
  readonly ends: string;
  readonly length: number;
}

function pathsOf(rows: readonly string[]): readonly FoundPath[] {
  return rows.map((text) => {
    const [first = '', last = '', length = ''] = text.split(' | ');
    return { text, ends: `${first} ${last}`, length: Number(length) };
  });
}

const byEnds = (paths: readonly FoundPath[]) => Map.groupBy(paths, ({ ends }) => ends);
const textsOf = (paths: readonly FoundPath[]) => paths.map(({ text }) => text).sort();
const lengthsOf = (paths: readonly FoundPath[]) => paths.map(({ length }) => length).sort((a, b) => a - b);

const cases = fc.tuple(choices, fc.constantFrom(...PATTERNS), fc.constantFrom(...SELECTORS));
const runs = { numRuns: Number(process.env['PROPERTY_RUNS'] ?? effort(400, 150)), seed: 1 };

describe('a path selector over a random graph', () => {
  it('chooses the shortest of all paths of each pair of ends', () => {
    fc.assert(
      fc.property(cases, ([numbers, pattern, [selector, count, isOfGroups]]) => {
        const graph = emptyGraph();
        const creation = creationOf(randomGraph(new Choices(numbers)));
        if (creation !== undefined) expect(rowsOf(creation, graph)).not.toEqual(expect.any(String));
        const end = /\(q\)$/.test(pattern) ? 'q' : /\(a\)$/.test(pattern) ? 'a' : 'z';
        const found = (chosen: string) => {
          const shown = `a.id AS start, ${end}.id AS end, length(p), [r IN relationships(p) | r.id]`;
          const rows = rowsOf(`MATCH p = ${chosen} ${pattern} RETURN ${shown}`, graph);
          if (typeof rows === 'string') throw new Error(rows);
          return pathsOf(rows);
        };
        const [all, selected] = [byEnds(found('ALL')), byEnds(found(selector))];

        expect([...selected.keys()].sort()).toEqual([...all.keys()].sort());
        for (const [ends, paths] of all) {
          const [own, lengths] = [selected.get(ends) ?? [], lengthsOf(paths)];
          if (isOfGroups) {
            const best = [...new Set(lengths)].slice(0, count);
            expect(textsOf(own)).toEqual(textsOf(paths.filter(({ length }) => best.includes(length))));
          } else {
            expect(lengthsOf(own)).toEqual(lengths.slice(0, count));
            for (const { text } of own) expect(textsOf(paths)).toContain(text);
          }
        }
      }),
      runs,
    );
  });
});
