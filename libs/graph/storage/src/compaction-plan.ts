/**
 * Selects the segments to merge: the newest ones, down to the oldest that is not larger than all newer ones
 * together.
 *
 * 1. After the merge each segment is larger than all newer ones together: there are few segments, and
 *    superseded records need less space than the oldest segment.
 * 2. A merged segment becomes part of one at least twice as large, except once after a flush: a record is
 *    rewritten at most about log₂(store / flush) times. ADR 0191 has the bounds.
 * 3. Only neighbours in age are merged, so ranges of sequence numbers never overlap, and a tombstone is the
 *    oldest version of its key if the oldest segment is among the inputs.
 */

/** Returns the position of the oldest segment to merge; `bytes` are the segment sizes, oldest first. */
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
