/**
 * Sorting that lets others have a turn: runs are sorted natively, then merged pairwise. Stable: the
 * comparison falls back on the place in the input, so that equal inputs give equal orders.
 */
import type { Pace } from './pace.ts';

/** Sorted in one go: a comparison of texts takes about a microsecond. */
const RUN_LENGTH = 256;
/** What sorting a run counts as, and one comparison. */
const RUN_WORK = 4_096;
const COMPARISON_WORK = 4;
/** More first places are not kept aside, for they are sorted in one go. */
const FIRST_MAX = 1_024;

/** Of two places in the input: negative, zero, positive. */
export type ComparePlaces = (a: number, b: number) => number;

/** The places `0 … count − 1` in order. */
export function* sortedPlaces(
  count: number,
  compare: ComparePlaces,
  pace: Pace,
): Generator<void, Uint32Array> {
  let places: Uint32Array = Uint32Array.from({ length: count }, (_, place) => place);
  if (yield* isSorted(count, compare, pace)) return places;
  const inOrder: ComparePlaces = (a, b) => compare(a, b) || a - b;
  for (let start = 0; start < count; start += RUN_LENGTH) {
    places.subarray(start, start + RUN_LENGTH).sort(inOrder);
    if (pace.isDue(RUN_WORK)) yield;
  }
  for (let width = RUN_LENGTH; width < count; width *= 2)
    places = yield* mergedRuns(places, width, inOrder, pace);
  return places;
}

/** The first `most` places in order: what cannot be among them is passed over with one comparison. */
export function* firstPlaces(
  count: number,
  most: number,
  compare: ComparePlaces,
  pace: Pace,
): Generator<void, Uint32Array> {
  if (most >= count / 2 || most > FIRST_MAX)
    return (yield* sortedPlaces(count, compare, pace)).slice(0, most);
  const inOrder: ComparePlaces = (a, b) => compare(a, b) || a - b;
  let kept: number[] = [];
  let last = -1;
  for (let place = 0; place < count; place++) {
    if (pace.isDue(COMPARISON_WORK)) yield;
    if (last >= 0 && inOrder(place, last) >= 0) continue;
    kept.push(place);
    if (kept.length < 2 * most + RUN_LENGTH) continue;
    kept = kept.sort(inOrder).slice(0, most);
    last = kept.at(-1) ?? -1;
  }
  return Uint32Array.from(kept.sort(inOrder).slice(0, most));
}

function* isSorted(count: number, compare: ComparePlaces, pace: Pace): Generator<void, boolean> {
  for (let place = 1; place < count; place++) {
    if (compare(place - 1, place) > 0) return false;
    if (pace.isDue(COMPARISON_WORK)) yield;
  }
  return true;
}

function* mergedRuns(
  from: Uint32Array,
  width: number,
  compare: ComparePlaces,
  pace: Pace,
): Generator<void, Uint32Array> {
  const into = new Uint32Array(from.length);
  for (let start = 0; start < from.length; start += 2 * width) {
    const middle = Math.min(start + width, from.length);
    const end = Math.min(start + 2 * width, from.length);
    let left = start;
    let right = middle;
    for (let at = start; at < end; at++) {
      const takesLeft = right >= end || (left < middle && compare(from[left] ?? 0, from[right] ?? 0) <= 0);
      into[at] = (takesLeft ? from[left++] : from[right++]) ?? 0;
      if (pace.isDue(COMPARISON_WORK)) yield;
    }
  }
  return into;
}
