import { FAILURE_CLASSES, type FailureClass } from '../failure/failure-class.ts';

/** Of the transactions of one stage. */
export interface StageCounts {
  planned: number;
  sent: number;
  notSent: number;
  acked: number;
  included: number;
  rejected: number;
  unknown: number;
  misses: number;
  rejectedUnexpected: number;
  reverted: number;
  includedAfterError: number;
  expectUnmet: number;
  ackedLost: number;
}

/**
 * Of a run so far: planned = sent + notSent, and sent = included + rejected + unknown + inFlight, the last of
 * which is 0 at the end.
 */
export interface RunTally {
  readonly planned: number;
  readonly sent: number;
  readonly notSent: number;
  readonly acked: number;
  readonly included: number;
  readonly rejected: number;
  readonly unknown: number;
  readonly inFlight: number;
  /** Unexpected: rejected, unknown and reverted. */
  readonly failedUnexpected: number;
  readonly rejectedUnexpected: number;
  /** Included, and the execution failed, which was not expected. */
  readonly reverted: number;
  /** Answered with an unexpected error, and included all the same. */
  readonly includedAfterError: number;
  /** Accepted by the target, though their entry of the mix expects a failure. */
  readonly expectUnmet: number;
  /** Acknowledged, and in no block by the end. */
  readonly ackedLost: number;
  readonly feedMessages: number;
  readonly correlationMisses: number;
  readonly eventsDropped: number;
  readonly feedGaps: number;
  readonly feedDuplicates: number;
  readonly feedReorganisations: number;
  readonly feedDisconnects: number;
}

export function zeroCounts(): StageCounts {
  return {
    planned: 0,
    sent: 0,
    notSent: 0,
    acked: 0,
    included: 0,
    rejected: 0,
    unknown: 0,
    misses: 0,
    rejectedUnexpected: 0,
    reverted: 0,
    includedAfterError: 0,
    expectUnmet: 0,
    ackedLost: 0,
  };
}

/** The sums over all stages. */
export function totalOf(stages: readonly StageCounts[]): StageCounts {
  const total = zeroCounts();
  for (const stage of stages) for (const name of COUNT_NAMES) total[name] += stage[name];
  return total;
}

/** What has been added since `before`. */
export function differenceOf(now: StageCounts, before: StageCounts): StageCounts {
  const difference = zeroCounts();
  for (const name of COUNT_NAMES) difference[name] = now[name] - before[name];
  return difference;
}

export function isZero(counts: StageCounts): boolean {
  return COUNT_NAMES.every((name) => counts[name] === 0);
}

const COUNT_NAMES = Object.keys(zeroCounts()) as readonly (keyof StageCounts)[];

export type FeedCounts = Pick<
  RunTally,
  'feedMessages' | 'feedGaps' | 'feedDuplicates' | 'feedReorganisations' | 'feedDisconnects'
>;

/** What an edge has counted in all its runs; it only rises. Every class is there from the start. */
export class LoadCounters {
  correlationMisses = 0;
  feedMessages = 0;
  /** Frames of the feed that were none. */
  feedGarbage = 0;
  /** Numbers that the feed left out. */
  feedGaps = 0;
  /** Messages that came again as they were, without having been asked for. */
  feedDuplicates = 0;
  /** Messages that came again as others. */
  feedReorganisations = 0;
  /** Connections to the feed that were lost. */
  feedDisconnects = 0;
  readonly #failed = new Map<FailureClass, { expected: number; unexpected: number }>(
    FAILURE_CLASSES.map((failure) => [failure, { expected: 0, unexpected: 0 }]),
  );

  countFailure(failure: FailureClass, isExpected: boolean): void {
    const counts = this.#failed.get(failure);
    if (counts !== undefined) counts[isExpected ? 'expected' : 'unexpected']++;
  }

  failures(failure: FailureClass, isExpected: boolean): number {
    return this.#failed.get(failure)?.[isExpected ? 'expected' : 'unexpected'] ?? 0;
  }
}

/** What is beside the transactions of a tally. */
export type TallySurroundings = FeedCounts & Pick<RunTally, 'inFlight' | 'eventsDropped'>;

/** The tally of these transactions. */
export function tallyOf(counts: StageCounts, surroundings: TallySurroundings): RunTally {
  const { misses, ...own } = counts;
  return {
    ...own,
    ...surroundings,
    failedUnexpected: counts.rejectedUnexpected + counts.unknown + counts.reverted,
    correlationMisses: misses,
  };
}
