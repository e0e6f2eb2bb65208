import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { PropertyValue } from '#graph/model';
import { effort } from '#testing';
import { type Difference, type Graph, recordsOf } from '../src/index.ts';
import { GraphHarness } from './graph-harness.ts';
import { arbitraryStep, SMALL_LOGS, take } from './random-steps.ts';

const RUNS = effort(60, 12);
const STEPS_MAX = 24;
const DAY_MS = 86_400_000;
const PAUSE = { pause: () => Promise.resolve() };

type Fields = Readonly<Record<string, PropertyValue>>;
/** The live records of a moment, by id. */
type State = ReadonlyMap<string, Fields>;

function stateOf(graph: Graph): State {
  const { entities, relationships } = recordsOf(graph);
  const live = new Map<string, Fields>();
  for (const { id, class: name, display_name, labels, properties, deleted_at } of entities) {
    const labelled = labels !== undefined && { _labels: labels };
    if (deleted_at === null) live.set(id, { ...properties, class: name, display_name, ...labelled });
  }
  for (const { id, verb, properties, deleted_at } of relationships)
    if (deleted_at === null) live.set(id, { ...properties, _verb: verb });
  return live;
}

/** A state after some differences, each of which must start from what is there. */
function applied(state: State, changes: readonly Difference[]): State {
  const after = new Map(state);
  for (const { id, change, fields } of changes) {
    const former = after.get(id);
    expect(former === undefined).toBe(change === 'created');
    const now = new Map(Object.entries(former ?? {}));
    for (const { name, old, new: next } of fields) {
      expect(now.get(name)).toEqual(old);
      if (next === undefined) now.delete(name);
      else now.set(name, next);
    }
    expect(now.size === 0).toBe(change === 'deleted');
    if (change === 'deleted') after.delete(id);
    else after.set(id, Object.fromEntries(now));
  }
  return after;
}

/** All pages. */
async function diff(graph: Graph, from: number, to: number, limit: number): Promise<readonly Difference[]> {
  const changes: Difference[] = [];
  for (let after: string | undefined; ;) {
    const page = await graph.diff.page({ from, to, limit, after, ...PAUSE });
    expect(page.changes.length).toBeLessThanOrEqual(limit);
    changes.push(...page.changes);
    if (page.next === undefined) return changes;
    after = page.next;
  }
}

describe('the difference of two moments', () => {
  it('turns the first state into the second, and composes, over merges, restarts and restores', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(arbitraryStep, { maxLength: STEPS_MAX }),
        fc.tuple(fc.nat(), fc.nat(), fc.nat()),
        fc.integer({ min: 1, max: 40 }),
        async (steps, [a, b, c], limit) => {
          const harness = await GraphHarness.opened(1, { historyMs: DAY_MS, storage: SMALL_LOGS });
          const moments = [{ seq: harness.graph.durableVersion, state: stateOf(harness.graph) }];
          for (const next of steps) {
            await take(harness, next);
            moments.push({ seq: harness.graph.durableVersion, state: stateOf(harness.graph) });
          }
          const [first, second, third] = [a, b, c]
            .map((number) => number % moments.length)
            .sort((x, y) => x - y)
            .map((at) => moments[at] ?? moments[0]!);
          const { graph } = harness;
          const early = await diff(graph, first!.seq, second!.seq, limit);
          const late = await diff(graph, second!.seq, third!.seq, limit);
          const all = await diff(graph, first!.seq, third!.seq, limit);

          expect(applied(first!.state, early)).toEqual(second!.state);
          expect(applied(applied(first!.state, early), late)).toEqual(third!.state);
          expect(applied(first!.state, all)).toEqual(third!.state);
          expect(all.map(orderOf)).toEqual(all.map(orderOf).toSorted());
          expect(await diff(graph, first!.seq, third!.seq, 10_000)).toEqual(all);
          await harness.close();
        },
      ),
      { numRuns: RUNS },
    );
  });
});

function orderOf(difference: Difference): string {
  const { record } = difference;
  if (record === 'entity') return `E${difference.type}\0${difference.key}`;
  const { from, to, verb, key } = difference;
  const parts = [
    from.type,
    from.key,
    verb.toUpperCase(),
    to.type,
    to.key,
    ...(key === undefined ? [] : [key]),
  ];
  return `R${parts.join('\0')}`;
}
