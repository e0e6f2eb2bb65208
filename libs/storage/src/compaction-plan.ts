/**
 * Which segments to merge: size-tiered, over neighbours in age only, so that the ranges of sequence numbers
 * never overlap and a tombstone is known to be the oldest trace of its key when the oldest segment takes
 * part.
 *
 * For each size class from the smallest: the longest run of neighbours that are not above the class, if it
 * is wide enough. A record is then rewritten about log₄(store / flush) times in its life.
 */
import { MERGE_WIDTH, TIER_BYTES_MIN, TIER_FACTOR } from './limits.ts';

export interface MergePlan {
  /** Position of the oldest input. */
  readonly from: number;
  readonly count: number;
}

/** `bytes` are the sizes of the segments, oldest first. */
export function planMerge(bytes: readonly number[]): MergePlan | undefined {
  const tiers = bytes.map(tierOf);
  for (const tier of [...new Set(tiers)].sort((a, b) => a - b)) {
    const run = longestRun(tiers.map((each) => each <= tier));
    if (run.count >= MERGE_WIDTH) return run;
  }
  return undefined;
}

function tierOf(bytes: number): number {
  if (bytes < TIER_BYTES_MIN) return 0;
  return 1 + Math.floor(Math.log(bytes / TIER_BYTES_MIN) / Math.log(TIER_FACTOR));
}

function longestRun(isMember: readonly boolean[]): MergePlan {
  let best: MergePlan = { from: 0, count: 0 };
  let from = 0;
  for (const [i, member] of isMember.entries()) {
    if (!member) from = i + 1;
    else if (i + 1 - from > best.count) best = { from, count: i + 1 - from };
  }
  return best;
}
