/**
 * Searches a text for a part in steps. Both consist of code points; in a part, {@link ANY} matches any of
 * them. A part without it is found in time linear in the text (Knuth, Morris and Pratt). *Hot path*.
 */
import { STEPS_PER_TURN } from './text-matcher.port.ts';

export const ANY = -1;

/** Yields regularly: a text may be as long as a request body. */
export function* codePointsOf(text: string): Generator<void, Int32Array> {
  const points = new Int32Array(text.length);
  let count = 0;
  for (let at = 0; at < text.length; count++) {
    const point = text.codePointAt(at) ?? 0;
    points[count] = point;
    at += point > 0xffff ? 2 : 1;
    if (count % STEPS_PER_TURN === STEPS_PER_TURN - 1) yield;
  }
  return points.subarray(0, count);
}

/** Whether `text` contains `part` at `at`, where it has room. */
export function standsAt(text: Int32Array, part: Int32Array, at: number): boolean {
  return at + part.length <= text.length && commonLength(text, part, at) === part.length;
}

/** The first offset of `part` in `text` from `from`; −1 if there is none. */
export function* findPart(text: Int32Array, part: Int32Array, from: number): Generator<void, number> {
  return part.includes(ANY)
    ? yield* findWithGaps(text, part, from)
    : yield* findWithoutGaps(text, part, from);
}

function* findWithGaps(text: Int32Array, part: Int32Array, from: number): Generator<void, number> {
  let steps = 0;
  for (let at = from; at + part.length <= text.length; at++) {
    const common = commonLength(text, part, at);
    if (common === part.length) return at;
    steps += common + 1;
    if (steps < STEPS_PER_TURN) continue;
    steps = 0;
    yield;
  }
  return -1;
}

function* findWithoutGaps(text: Int32Array, part: Int32Array, from: number): Generator<void, number> {
  if (part.length === 0) return from <= text.length ? from : -1;
  const borders = bordersOf(part);
  let matched = 0;
  for (let at = from; at < text.length; at++) {
    while (matched > 0 && part[matched] !== text[at]) matched = borders[matched - 1]!;
    if (part[matched] === text[at]) matched++;
    if (matched === part.length) return at + 1 - matched;
    if (at % STEPS_PER_TURN === STEPS_PER_TURN - 1) yield;
  }
  return -1;
}

/** Returns, for each prefix of a part, the length of its longest proper prefix that is also a suffix. */
function bordersOf(part: Int32Array): Int32Array {
  const borders = new Int32Array(part.length);
  let length = 0;
  for (let at = 1; at < part.length; at++) {
    while (length > 0 && part[at] !== part[length]) length = borders[length - 1]!;
    if (part[at] === part[length]) length++;
    borders[at] = length;
  }
  return borders;
}

/** The length of the prefix of `part` that `text` contains at `at`. */
function commonLength(text: Int32Array, part: Int32Array, at: number): number {
  let length = 0;
  while (length < part.length && (part[length] === ANY || part[length] === text[at + length])) length++;
  return length;
}
