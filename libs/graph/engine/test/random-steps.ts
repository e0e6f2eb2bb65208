import fc from 'fast-check';
import { arbitraryPolicy, arbitraryShrinkingSync, arbitrarySync, arbitraryWrite } from '#graph/testing';
import { DomainError } from '#platform/foundation';
import type { GraphHarness } from './graph-harness.ts';

/** So small that logs become segments, and segments are merged, within a few steps. */
export const SMALL_LOGS = { walFileBytes: 4_096 };

/** A write, or what may happen to a store between two. */
export const arbitraryStep = fc.oneof(
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

export type Step = typeof arbitraryStep extends fc.Arbitrary<infer T> ? T : never;

/** Takes the step, ten milliseconds after the last. A refused write changes nothing. */
export async function take(harness: GraphHarness, next: Step): Promise<void> {
  harness.clock.turn(10);
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
      const directory = `${harness.options.directory ?? ''}/copy`;
      await harness.graph.backup(directory);
      harness.options = { ...harness.options, directory };
      await harness.reopen();
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
