import type { Tally } from '#load/protocol';
import { FAILURE_CLASSES, type FailureClass } from '../rpc/failure-class.ts';

/** The counts of one stage's transactions; {@link Tally} defines them. */
export type StageCounts = typeof ZERO_COUNTS;

const ZERO_COUNTS = {
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
  ackedUndecided: 0,
  edgeStarved: 0,
};

export function zeroCounts(): StageCounts {
  return { ...ZERO_COUNTS };
}

/** The sums over all stages. */
export function totalOf(stages: readonly StageCounts[]): StageCounts {
  const total = zeroCounts();
  for (const stage of stages) for (const name of COUNT_NAMES) total[name] += stage[name];
  return total;
}

/** The difference to `before`. */
export function differenceOf(now: StageCounts, before: StageCounts): StageCounts {
  const difference = zeroCounts();
  for (const name of COUNT_NAMES) difference[name] = now[name] - before[name];
  return difference;
}

export function isZero(counts: StageCounts): boolean {
  return COUNT_NAMES.every((name) => counts[name] === 0);
}

const COUNT_NAMES = Object.keys(ZERO_COUNTS) as readonly (keyof StageCounts)[];

type FeedCounts = Pick<
  Tally,
  'feedMessages' | 'feedGaps' | 'feedDuplicates' | 'feedReorganisations' | 'feedDisconnects' | 'feedGarbage'
>;

/** Counters of an edge over all its runs. Every class exists from the start. */
export class LoadCounters {
  correlationMisses = 0;
  feedMessages = 0;
  /** Invalid feed frames. */
  feedGarbage = 0;
  /** Missing sequence numbers. */
  feedGaps = 0;
  /** Unrequested repetitions of unchanged messages. */
  feedDuplicates = 0;
  /** Repeated sequence numbers with other content. */
  feedReorganisations = 0;
  /** Lost feed connections. */
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

/** The counts of a tally other than those of transactions. */
type OtherCounts = FeedCounts & Pick<Tally, 'inFlight' | 'eventsDropped'>;

/** The tally of these transactions. */
export function tallyOf(counts: StageCounts, others: OtherCounts): Tally {
  const { misses, ...own } = counts;
  return {
    ...own,
    ...others,
    failedUnexpected: counts.rejectedUnexpected + counts.unknown + counts.reverted,
    correlationMisses: misses,
  };
}

const NAMES = [
  'feedMessages',
  'feedGaps',
  'feedDuplicates',
  'feedReorganisations',
  'feedDisconnects',
  'feedGarbage',
] as const satisfies readonly (keyof FeedCounts)[];

/**
 * A run's counts of the feed by stage: all messages between its creation and its close, which are the
 * messages with rows. The only place where messages are assigned to stages, so that measured counts and
 * intervals agree.
 */
export class FeedTally {
  readonly #counters: LoadCounters;
  readonly #stages: readonly (FeedStageCounts & { readonly isExcluded: boolean })[];
  #before: FeedCounts;
  #isClosed = false;

  constructor(counters: LoadCounters, stages: readonly { readonly exclude: boolean }[]) {
    this.#counters = counters;
    this.#stages = stages.map(({ exclude }) => ({ isExcluded: exclude, counts: zeroFeed() }));
    this.#before = countsOf(counters);
  }

  get total(): FeedCounts {
    return feedTotalOf(this.#stages);
  }

  get measured(): FeedCounts {
    return feedTotalOf(this.#stages.filter(({ isExcluded }) => !isExcluded));
  }

  messagesOf(stage: number): number {
    return this.#stages[stage]?.counts.feedMessages ?? 0;
  }

  /** Assigns the counts since the previous call to the stage. */
  count(stage: number): void {
    const counts = this.#stages[stage]?.counts;
    if (this.#isClosed || counts === undefined) return;
    const now = countsOf(this.#counters);
    for (const name of NAMES) counts[name] += now[name] - this.#before[name];
    this.#before = now;
  }

  /** Later messages do not belong to the run. */
  close(): void {
    this.#isClosed = true;
  }
}

interface FeedStageCounts {
  readonly counts: Record<keyof FeedCounts, number>;
}

function feedTotalOf(stages: readonly FeedStageCounts[]): FeedCounts {
  const total = zeroFeed();
  for (const { counts } of stages) for (const name of NAMES) total[name] += counts[name];
  return total;
}

function zeroFeed(): FeedStageCounts['counts'] {
  const zeros = { feedMessages: 0, feedGaps: 0, feedDuplicates: 0, feedReorganisations: 0 };
  return { ...zeros, feedDisconnects: 0, feedGarbage: 0 };
}

function countsOf(counters: LoadCounters): FeedCounts {
  const { feedMessages, feedGaps, feedDuplicates, feedReorganisations, feedDisconnects, feedGarbage } =
    counters;
  return { feedMessages, feedGaps, feedDuplicates, feedReorganisations, feedDisconnects, feedGarbage };
}
