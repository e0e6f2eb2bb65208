/**
 * An interruptible sort: short runs are sorted by insertion, then merged pairwise. Stable, so that equal
 * inputs give equal orders.
 */
import type { Steps } from './steps.ts';

/** Maximum number of items that are sorted in one step. */
const AT_ONCE_MAX = 256;
const RUN_LENGTH = 8;
/** Approximate size of a step. */
const COMPARISONS_PER_STEP = 32;

/** Negative, zero or positive. */
export type CompareItems = (a: number, b: number) => number;

/** The sorted items: in the given array, which is overwritten, or in another one. */
export function* sortedInSteps(items: Uint32Array, compare: CompareItems): Steps<Uint32Array> {
  if (items.length <= AT_ONCE_MAX) return items.sort(compare);
  if (yield* isSorted(items, compare)) return items;
  for (let start = 0, runs = 0; start < items.length; start += RUN_LENGTH) {
    sortRun(items, start, Math.min(start + RUN_LENGTH, items.length), compare);
    if (++runs % 2 === 0) yield;
  }
  let from: Uint32Array = items;
  let into: Uint32Array = new Uint32Array(items.length);
  for (let width = RUN_LENGTH; width < items.length; width *= 2) {
    for (let start = 0; start < items.length; start += 2 * width) {
      const middle = Math.min(start + width, items.length);
      yield* merge(from, into, [start, middle, Math.min(middle + width, items.length)], compare);
    }
    [from, into] = [into, from];
  }
  return from;
}

function* isSorted(items: Uint32Array, compare: CompareItems): Steps<boolean> {
  for (let at = 1; at < items.length; at++) {
    if (compare(items[at - 1] ?? 0, items[at] ?? 0) > 0) return false;
    if (at % COMPARISONS_PER_STEP === 0) yield;
  }
  return true;
}

function sortRun(items: Uint32Array, start: number, end: number, compare: CompareItems): void {
  for (let at = start + 1; at < end; at++) {
    const item = items[at] ?? 0;
    let place = at;
    for (; place > start && compare(items[place - 1] ?? 0, item) > 0; place--)
      items[place] = items[place - 1] ?? 0;
    items[place] = item;
  }
}

/** Merges two adjacent runs. */
function* merge(
  from: Uint32Array,
  into: Uint32Array,
  [start, middle, end]: readonly [number, number, number],
  compare: CompareItems,
): Steps<void> {
  const isInOrder = (left: number, right: number): boolean => compare(from[left] ?? 0, from[right] ?? 0) <= 0;
  if (middle >= end || isInOrder(middle - 1, middle)) {
    into.set(from.subarray(start, end), start);
    return;
  }
  let left = start;
  let right = middle;
  for (let at = start; at < end; at++) {
    const takesLeft = right >= end || (left < middle && isInOrder(left, right));
    into[at] = (takesLeft ? from[left++] : from[right++]) ?? 0;
    if (at % COMPARISONS_PER_STEP === 0) yield;
  }
}
