/** What questions cost in a graph with many versions that are not sealed, in steps instead of time. */
import { describe, expect, it } from '@jest/globals';
import type { FieldValue, Filter, Scalar } from '#graph/model';
import { putEntity, TEST_OPTIONS } from '#graph/testing';
import { completed, type Steps } from '#platform/foundation';
import { MemoryGraph } from '../memory-graph.ts';

const HOSTS = 2_000;
const STATES = ['up', 'down'];
/** How many, by round. */
const TAGS = [20, 30] as const;

function putHost(graph: MemoryGraph, seq: number, at: number, round: 0 | 1): void {
  const state = STATES[(at + (at % 100 === 0 ? round : 0)) % STATES.length] ?? '';
  const tags = ['all', `t${String(at % TAGS[round])}`];
  const properties = { state, round, tags, serial: `s${String(at)}` };
  const key = `host-${String(at)}`;
  const isOdd = round === 1 && at % 50 === 0;
  const labels = isOdd && at % 100 === 0 ? ['Marked'] : undefined;
  putEntity(graph, seq, {
    type: 'host',
    class: isOdd ? 'Odd' : 'Host',
    key,
    displayName: key,
    labels,
    properties,
  });
}

/** All hosts in the base, and a further version of each. */
async function changedGraph(): Promise<MemoryGraph> {
  const graph = MemoryGraph.create(TEST_OPTIONS);
  for (let at = 0; at < HOSTS; at++) putHost(graph, 1, at, 0);
  graph.publish(1);
  await graph.seal();
  for (let at = 0; at < HOSTS; at++) putHost(graph, 2, at, 1);
  graph.publish(2);
  return graph;
}

function equal(field: string, value: Scalar): Filter {
  const matches = (own: FieldValue): boolean => own === value || (Array.isArray(own) && own.includes(value));
  return { kind: 'test', field, test: { matches, equals: [value] } };
}

/** The result of a third look, and its steps. */
function thirdLook<T>(look: () => Steps<T>): { readonly result: T; readonly steps: number } {
  completed(look());
  completed(look());
  const work = look();
  for (let steps = 0; ; steps++) {
    const step = work.next();
    if (step.done === true) return { result: step.value, steps };
  }
}

/** Looks at each version take more of them. */
const FEW_STEPS = 4;

describe('a graph with many versions', () => {
  it('counts by the values that have changed, not by versions', async () => {
    const snapshot = (await changedGraph()).snapshot();
    const counts = (name: string, filter?: Filter) =>
      thirdLook(() => snapshot.count({ names: [name], ...(filter && { filter }) }));

    const asked = [
      counts('host'),
      counts('Host'),
      counts('Odd'),
      counts('Marked', equal('round', 1)),
      counts('host', equal('state', 'up')),
      counts('host', equal('round', 1)),
      counts('host', equal('serial', 's7')),
      counts('host', equal('tags', 'all')),
      counts('Odd', equal('tags', 't10')),
    ];
    expect(asked.map(({ result }) => result)).toEqual([
      HOSTS,
      HOSTS - 40,
      40,
      20,
      HOSTS / 2 - 20,
      HOSTS,
      1,
      HOSTS,
      13,
    ]);
    for (const { steps } of asked) expect(steps).toBeLessThan(FEW_STEPS);
  });

  it('groups by the values that have changed', async () => {
    const snapshot = (await changedGraph()).snapshot();
    const groups = (fields: readonly string[]) =>
      thirdLook(() => snapshot.groupCounts({ names: ['host'] }, fields));

    const asked = [groups(['state']), groups(['class']), groups(['round'])];
    expect(asked.map(({ result }) => result.map(({ values, count }) => [...values, count]).sort())).toEqual([
      [
        ['down', HOSTS / 2 + 20],
        ['up', HOSTS / 2 - 20],
      ],
      [
        ['Host', HOSTS - 40],
        ['Odd', 40],
      ],
      [[1, HOSTS]],
    ]);
    for (const { steps } of asked) expect(steps).toBeLessThan(FEW_STEPS);
  });

  it('selects by a name without a look at versions that have kept it', async () => {
    const snapshot = (await changedGraph()).snapshot();
    const { result, steps } = thirdLook(() => snapshot.select({ names: ['host'] }));

    expect(result).toHaveLength(HOSTS);
    expect(steps).toBeLessThan(FEW_STEPS);
  });

  it('counts by a field of which too many values have changed to keep them', () => {
    const graph = MemoryGraph.create(TEST_OPTIONS);
    const many = 20_000;
    for (let at = 0; at < many; at++) putHost(graph, 1, at, 0);
    graph.publish(1);
    const snapshot = graph.snapshot();
    const count = (filter: Filter) => thirdLook(() => snapshot.count({ names: ['host'], filter })).result;

    expect(count(equal('serial', 's7'))).toBe(1);
    expect(count(equal('state', 'up'))).toBe(many / 2);
  });
});
