import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { GraphSnapshot } from '#graph/memory';
import { arbitraryPolicy, arbitraryShrinkingSync, arbitrarySync, arbitraryWrite } from '#graph/testing';
import { completed, DomainError } from '#platform/foundation';
import { effort } from '#testing';
import { recordsIn } from '../src/index.ts';
import { GraphHarness } from './graph-harness.ts';

const RUNS = effort(60, 12);
const STEPS_MAX = 30;
const DAY_MS = 86_400_000;
/** So small that logs become segments, and segments are merged, within a few steps. */
const WAL_FILE_BYTES = 4_096;

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      request: arbitraryWrite,
      onDangling: arbitraryPolicy,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('sync' as const),
      request: fc.oneof(arbitrarySync, arbitraryShrinkingSync),
      onDangling: arbitraryPolicy,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...(['reopen', 'crash', 'restore'] as const).map((kind) => ({ kind }))),
  },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What a graph answers at a moment. */
interface Answer {
  readonly seq: number;
  readonly atMs: number;
  readonly records: unknown;
  readonly names: unknown;
}

function answerOf(seq: number, atMs: number, snapshots: readonly [GraphSnapshot, GraphSnapshot]): Answer {
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
  #harness: GraphHarness;
  #copies = 0;

  constructor(harness: GraphHarness) {
    this.#harness = harness;
  }

  async step(next: Step): Promise<void> {
    this.#harness.clock.turn(10);
    await this.#run(next);
    this.answers.push(this.#now());
  }

  async #run(next: Step): Promise<void> {
    const harness = this.#harness;
    switch (next.kind) {
      case 'write':
        return refusable(harness.graph.write(next.request, next));
      case 'sync':
        return refusable(harness.graph.sync(next.request, next));
      case 'reopen':
        await harness.reopen();
        return;
      case 'crash':
        harness.disk.crash();
        await harness.close().catch(() => undefined);
        harness.disk = harness.disk.restart();
        await harness.open();
        return;
      case 'restore': {
        const directory = `/copy-${String(++this.#copies)}`;
        await harness.graph.backup(directory);
        harness.options = { ...harness.options, directory };
        await harness.reopen();
      }
    }
  }

  #now(): Answer {
    const { graph, clock } = this.#harness;
    const snapshots = [graph.snapshot({ includeDeleted: true }), graph.snapshot()] as const;
    return answerOf(graph.durableVersion, clock.nowMs(), snapshots);
  }

  async compare(): Promise<void> {
    const { graph } = this.#harness;
    for (const known of this.answers) {
      // A store without a batch does not know since when it is empty.
      const isTimed = known.atMs >= (graph.history.horizon?.sinceMs ?? Infinity);
      for (const moment of [{ seq: known.seq }, ...(isTimed ? [{ atMs: known.atMs }] : [])]) {
        const all = await graph.history.snapshot(moment, { includeDeleted: true });
        const live = await graph.history.snapshot(moment);
        // Batches without a change of the graph have moments of their own, and equal ones.
        expect(all.snapshotVersion).toBeLessThanOrEqual(known.seq);
        expect(answerOf(known.seq, known.atMs, [all, live])).toEqual(known);
      }
    }
  }
}

async function refusable(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
  }
}

describe('the graph as of a moment', () => {
  it('equals the graph of then over writes, syncs, merges, restarts, power cuts and backups', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: STEPS_MAX }),
        fc.nat(),
        fc.constantFrom(0, 10_000),
        async (steps, seed, imageRecordsMin) => {
          const harness = await GraphHarness.opened(seed, {
            imageRecordsMin,
            historyMs: DAY_MS,
            storage: { walFileBytes: WAL_FILE_BYTES },
          });
          const recorded = new Recorded(harness);
          for (const next of steps) await recorded.step(next);
          await recorded.compare();
          await harness.reopen();
          await recorded.compare();
          await harness.close();
        },
      ),
      { numRuns: RUNS },
    );
  });
});
