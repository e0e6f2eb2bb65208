/** Groups over several types, which are merged once for each base, in steps instead of time. */
import { expect, it } from '@jest/globals';
import { putEntity, TEST_OPTIONS } from '#graph/testing';
import { completed } from '#platform/foundation';
import { MemoryGraph } from '../memory-graph.ts';
import type { GraphSnapshot } from './graph-snapshot.ts';

const TYPES = ['host', 'user', 'disk'];
const NODES = 3_000;
const FIELDS = ['region', 'size'];

function put(graph: MemoryGraph, seq: number, at: number, size = at % 100): void {
  const type = TYPES[at % TYPES.length] ?? '';
  const key = `n${String(at)}`;
  const properties = { region: `r${String(at % 4)}`, size };
  putEntity(graph, seq, { type, class: type, key, displayName: key, properties });
}

function look(snapshot: GraphSnapshot, names: readonly string[] | '*' = '*'): readonly string[] {
  return completed(snapshot.groupCounts({ names }, FIELDS))
    .map(({ values, count }) => [...values, count].join())
    .sort();
}

function stepsOf(snapshot: GraphSnapshot): { readonly steps: number; readonly held: number } {
  let held = 0;
  const work = snapshot.groupCounts({ names: '*' }, FIELDS, () => held++);
  for (let steps = 0; ; steps++) if (work.next().done === true) return { steps, held };
}

/** Of nodes with these numbers. */
function expected(numbers: readonly number[], sizeOf = (at: number): number => at % 100): readonly string[] {
  const groups = Map.groupBy(numbers, (at) => `r${String(at % 4)},${String(sizeOf(at))}`);
  return [...groups].map(([key, { length }]) => `${key},${String(length)}`).sort();
}

it('are counted, and not merged again, at a further look', async () => {
  const graph = MemoryGraph.create(TEST_OPTIONS);
  const all = Array.from({ length: NODES }, (_, at) => at);
  for (const at of all) put(graph, 1, at);
  graph.publish(1);
  await graph.seal();
  const sealed = graph.snapshot();

  const groups = expected(all);
  for (let time = 0; time < 3; time++) {
    expect(look(sealed)).toEqual(groups);
    expect(look(sealed, ['host', 'disk'])).toEqual(expected(all.filter((at) => at % 3 !== 1)));
  }
  expect(stepsOf(sealed)).toEqual({ steps: 0, held: groups.length });

  put(graph, 2, 7, 1_000);
  graph.publish(2);
  const changed = expected(all, (at) => (at === 7 ? 1_000 : at % 100));
  expect(look(graph.snapshot())).toEqual(changed);
  await graph.seal();
  expect(look(graph.snapshot())).toEqual(changed);
  expect(look(sealed)).toEqual(groups);
});
