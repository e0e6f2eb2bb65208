import type { FeedCounts, LoadCounters } from './tally.ts';

const NAMES = [
  'feedMessages',
  'feedGaps',
  'feedDuplicates',
  'feedReorganisations',
  'feedDisconnects',
] as const satisfies readonly (keyof FeedCounts)[];

/**
 * What one run has counted of the feed: all that came from when it was made until it was closed, which are
 * the messages that have rows; and of that what came outside excluded stages.
 */
export class FeedTally {
  readonly #counters: LoadCounters;
  readonly #total = zeroFeed();
  readonly #measured = zeroFeed();
  #before: FeedCounts;
  #isClosed = false;

  constructor(counters: LoadCounters) {
    this.#counters = counters;
    this.#before = countsOf(counters);
  }

  get total(): FeedCounts {
    return this.#total;
  }

  get measured(): FeedCounts {
    return this.#measured;
  }

  /** Whatever was counted since the last call came in the stage at hand. */
  count(isExcluded: boolean): void {
    if (this.#isClosed) return;
    const now = countsOf(this.#counters);
    for (const name of NAMES) {
      const added = now[name] - this.#before[name];
      this.#total[name] += added;
      if (!isExcluded) this.#measured[name] += added;
    }
    this.#before = now;
  }

  /** What comes from now on is not the run's. */
  close(): void {
    this.#isClosed = true;
  }
}

function zeroFeed(): Record<keyof FeedCounts, number> {
  return { feedMessages: 0, feedGaps: 0, feedDuplicates: 0, feedReorganisations: 0, feedDisconnects: 0 };
}

function countsOf(counters: LoadCounters): FeedCounts {
  const { feedMessages, feedGaps, feedDuplicates, feedReorganisations, feedDisconnects } = counters;
  return { feedMessages, feedGaps, feedDuplicates, feedReorganisations, feedDisconnects };
}
