import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { GraphSnapshot } from '#graph/memory';
import type { FieldValue, Filter, Scalar, Selection } from '#graph/model';
import { completed } from '#platform/foundation';
import { effort } from '#testing';
import { type Moment, recordsIn } from '../src/index.ts';
import { GraphHarness } from './graph-harness.ts';
import { arbitraryStep, SMALL_LOGS, type Step, take } from './random-steps.ts';

const { PROPERTY_RUNS, PROPERTY_SEED } = process.env;
const RUNS = {
  numRuns: Number(PROPERTY_RUNS ?? effort(60, 12)),
  ...(PROPERTY_SEED !== undefined && { seed: Number(PROPERTY_SEED) }),
};
const STEPS_MAX = 30;
const DAY_MS = 86_400_000;
/** From the second look on, a moment answers from what it has kept. */
const LOOKS = 3;

const arbitraryFilter: fc.Arbitrary<Filter> = fc
  .record({
    field: fc.constantFrom('state', 'cpu', 'class', '_key'),
    value: fc.constantFrom<Scalar>(1, 'ä🦊', 'x', 'Host', 'a'),
    isNot: fc.boolean(),
  })
  .map(({ field, value, isNot }) => {
    const matches = (own: FieldValue): boolean =>
      own === value || (Array.isArray(own) && own.includes(value));
    const item = { kind: 'test', field, test: { matches, equals: [value] } } as const;
    return isNot ? { kind: 'not', item } : item;
  });
/** What every state of the graph is asked. */
const arbitraryQuestion = fc.record(
  {
    names: fc.constantFrom('*' as const, ['host'], ['Host'], ['Lab', 'Odd']),
    filter: fc.oneof(
      arbitraryFilter,
      fc.record({
        kind: fc.constantFrom('and' as const, 'or' as const),
        items: fc.tuple(arbitraryFilter, arbitraryFilter),
      }),
    ),
  },
  { requiredKeys: ['names'] },
);

/** What a graph answers at a moment. */
interface Answer {
  readonly seq: number;
  readonly atMs: number;
  readonly records: unknown;
  readonly names: unknown;
  readonly asked: unknown;
}

function selected(snapshot: GraphSnapshot, question: Selection): unknown {
  const idsOf = (nodes: Uint32Array) => Array.from(nodes, (node) => snapshot.nodeField(node, '_id'));
  return {
    nodes: idsOf(completed(snapshot.select(question))),
    count: completed(snapshot.count(question)),
    matching: idsOf(completed(snapshot.select({ names: '*' })).filter(snapshot.matcher(question))),
    groups: [['state'], ['class', 'cpu']].map((fields) =>
      Array.from(completed(snapshot.groupCounts(question, fields)), (group) => JSON.stringify(group)).sort(),
    ),
    hops: (['out', 'in', 'any'] as const).map((direction) =>
      idsOf(snapshot.adjacency('*', direction).image(completed(snapshot.select(question)))).sort(),
    ),
  };
}

function answerOf(
  seq: number,
  atMs: number,
  snapshots: readonly [GraphSnapshot, GraphSnapshot],
): Omit<Answer, 'asked'> {
  const [all, live] = snapshots;
  const verbs = live.verbs();
  const names = live.names();
  const answer = {
    names: names.toSorted(),
    verbs: verbs.toSorted(),
    properties: live.propertyNames('*').toSorted(),
    kinds: live
      .propertyNames('*')
      .toSorted()
      .map((name) => [name, live.valueKinds('*', name).toSorted()]),
    counts: names.map((name) => [name, completed(live.count({ names: [name] }))]).toSorted(),
    classes: [...completed(live.groupCounts({ names: '*' }, ['class']))]
      .map((group) => JSON.stringify(group))
      .toSorted(),
    owners: [...completed(all.select({ names: '*' }))].map((node) => all.nodeOwners(node)),
  };
  return { seq, atMs, records: recordsIn(all), names: answer };
}

class Recorded {
  readonly answers: Answer[] = [];
  readonly #harness: GraphHarness;
  readonly #question: Selection;

  constructor(harness: GraphHarness, question: Selection) {
    this.#harness = harness;
    this.#question = question;
  }

  async step(next: Step): Promise<void> {
    await take(this.#harness, next);
    this.answers.push(this.#now());
  }

  #now(): Answer {
    const { graph, clock } = this.#harness;
    const snapshots = [graph.snapshot({ includeDeleted: true }), graph.snapshot()] as const;
    return this.#answerOf(graph.durableVersion, clock.nowMs(), snapshots);
  }

  /** In this order: a moment may begin with the graph of a later one. */
  async compare(answers: readonly Answer[]): Promise<void> {
    const { graph } = this.#harness;
    for (const known of answers) {
      await this.#expect(known, { seq: known.seq });
      // A store without a batch does not know since when it is empty.
      const isTimed = known.atMs >= (graph.history.horizon?.sinceMs ?? Infinity);
      if (!isTimed) continue;
      const { snapshotVersion } = await graph.history.snapshot({ atMs: known.atMs });
      // Batches without a change of the graph have moments of their own, and equal ones.
      expect(snapshotVersion).toBeLessThanOrEqual(known.seq);
      if (snapshotVersion < known.seq) await this.#expect(known, { atMs: known.atMs });
    }
  }

  async #expect(known: Answer, moment: Moment): Promise<void> {
    const { history } = this.#harness.graph;
    const all = await history.snapshot(moment, { includeDeleted: true });
    const live = await history.snapshot(moment);
    for (let look = 0; look < LOOKS; look++)
      expect(this.#answerOf(known.seq, known.atMs, [all, live])).toEqual(known);
  }

  #answerOf(seq: number, atMs: number, snapshots: readonly [GraphSnapshot, GraphSnapshot]): Answer {
    const asked = snapshots.map((snapshot) => selected(snapshot, this.#question));
    return { ...answerOf(seq, atMs, snapshots), asked };
  }
}

describe('the graph as of a moment', () => {
  it('equals the graph of then over writes, syncs, merges, restarts, power cuts and backups', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(arbitraryStep, { maxLength: STEPS_MAX }),
        fc.nat(),
        fc.constantFrom(0, 10_000),
        arbitraryQuestion,
        async (steps, seed, imageRecordsMin, question) => {
          const harness = await GraphHarness.opened(seed, {
            imageRecordsMin,
            historyMs: DAY_MS,
            storage: SMALL_LOGS,
          });
          const recorded = new Recorded(harness, question);
          for (const next of steps) await recorded.step(next);
          await recorded.compare(recorded.answers);
          await harness.reopen();
          await recorded.compare(recorded.answers.toReversed());
          await harness.close();
        },
      ),
      RUNS,
    );
  });
});
