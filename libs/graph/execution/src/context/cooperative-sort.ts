/** Sorting that yields between steps. */
import { sortedInSteps } from '#platform/foundation';
import type { Pace } from './pace.ts';

/** Surplus places kept before the list is cut back to the wanted number. */
const SPARE_PLACES = 256;
/** Units of work per comparison. */
const COMPARISON_WORK = 4;
/** Above this many first places none are kept aside, since they are sorted without yielding. */
const FIRST_MAX = 1_024;

/** Compares two places in the input: negative, zero or positive. */
export type ComparePlaces = (a: number, b: number) => number;

/** The places `0 … count − 1` in order; the sort is stable. */
export function* sortedPlaces(
  count: number,
  compare: ComparePlaces,
  pace: Pace,
): Generator<void, Uint32Array> {
  return yield* pace.through(sortedInSteps(yield* placesFrom(0, count, pace), compare));
}

/** The first `most` places in order: a place that cannot be among them costs one comparison. */
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
    if (kept.length < 2 * most + SPARE_PLACES) continue;
    kept = kept.sort(inOrder).slice(0, most);
    last = kept.at(-1) ?? -1;
  }
  return Uint32Array.from(kept.sort(inOrder).slice(0, most));
}

/** Returns the places `start … end − 1`. */
export function* placesFrom(start: number, end: number, pace: Pace): Generator<void, Uint32Array> {
  const places = new Uint32Array(Math.max(0, end - start));
  for (let at = 0; at < places.length; at++) {
    places[at] = start + at;
    if (pace.isDue(1)) yield;
  }
  return places;
}
