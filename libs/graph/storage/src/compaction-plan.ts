/**
 * Which segments to merge: the newest ones, down to the oldest that is not larger than all newer ones
 * together.
 *
 * 1. Then each segment is larger than all newer ones together: there are few, and what is superseded takes
 *    less room than the oldest segment.
 * 2. Whatever is merged becomes part of a segment at least twice as large, but for a flush, once: a record is
 *    rewritten at most about log₂(store / flush) times. ADR 0191 has the bounds.
 * 3. Only neighbours in age are merged, so that ranges of sequence numbers never overlap, and a tombstone is
 *    known to be the oldest trace of its key when the oldest segment takes part.
 */

/** From `bytes`, the sizes of the segments, oldest first: the position of the oldest one to merge. */
export function planMerge(bytes: readonly number[]): number | undefined {
  let from: number | undefined;
  let newer = 0;
  for (let i = bytes.length - 1; i >= 0; i--) {
    const size = bytes[i] ?? 0;
    if (size <= newer) from = i;
    newer += size;
  }
  return from;
}
