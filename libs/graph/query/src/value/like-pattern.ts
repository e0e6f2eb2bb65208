/**
 * LIKE matches the whole string: `%` any text, `_` one character (code point), `\%`, `\_` and `\\` literally.
 *
 * The pattern is split at its `%` into runs. The first run must be at the start, the last one at the end, and
 * each run between them is searched for after the previous one. The leftmost match is always best, so there
 * is no backtracking, and the time is bounded by length of text × length of pattern.
 */
import { completed } from '#platform/foundation';
import { ANY, codePointsOf, findPart, standsAt } from './part-search.ts';
import type { TextMatcher } from './text-matcher.port.ts';

/** This many steps of a native search take as long as one step of this search. */
const NATIVE_STEPS = 256;

/** Code points; {@link ANY} is `_`. */
type Run = Int32Array;

export function likePattern(pattern: string, ignoreCase: boolean): TextMatcher {
  const runs = runsOf(ignoreCase ? pattern.toLowerCase() : pattern);
  const units = runs.reduce((sum, run) => sum + run.length, 0);
  const plain = plainMatcher(runs);
  const folded = (text: string): string => (ignoreCase ? text.toLowerCase() : text);
  const matches = plain ?? ((text: string) => completed(matchRuns(text, runs)));
  const searched = plain === undefined ? units + 1 : (runs.length > 2 ? units + 1 : 0) / NATIVE_STEPS;
  const perUnit = searched + (ignoreCase ? 1 / NATIVE_STEPS : 0);
  return {
    key: `${ignoreCase ? 'ilike' : 'like'} ${pattern}`,
    cost: (length) => units / NATIVE_STEPS + length * perUnit,
    matches: (text) => matches(folded(text)),
    steps: (text) => matchRuns(folded(text), runs),
  };
}

/** A part of a text, for CONTAINS. */
export function partPattern(part: string): TextMatcher {
  const run = pointsOf(part);
  return {
    key: `contains ${part}`,
    cost: (length) => (length * (1 + part.length)) / NATIVE_STEPS,
    matches: (text) => text.includes(part),
    *steps(text) {
      return (yield* findPart(yield* codePointsOf(text), run, 0)) >= 0;
    },
  };
}

function runsOf(pattern: string): readonly Run[] {
  const runs: number[][] = [[]];
  const characters = Array.from(pattern);
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? '';
    const next = characters[at + 1];
    if (character === '%') runs.push([]);
    else if (character === '\\' && (next === '%' || next === '_' || next === '\\')) {
      runs.at(-1)?.push(next.charCodeAt(0));
      at++;
    } else runs.at(-1)?.push(character === '_' ? ANY : (character.codePointAt(0) ?? ANY));
  }
  return runs.map((run) => Int32Array.from(run));
}

/** `a`, `a%`, `%a`, `%a%` and `a%b` without `_`: the most frequent patterns. */
function plainMatcher(runs: readonly Run[]): ((text: string) => boolean) | undefined {
  if (runs.length > 3 || runs.some((run) => run.includes(ANY))) return undefined;
  const [first = '', second = '', third = ''] = runs.map(textOf);
  if (runs.length === 1) return (text) => text === first;
  if (runs.length === 2) {
    const shortest = first.length + second.length;
    return (text) => text.length >= shortest && text.startsWith(first) && text.endsWith(second);
  }
  const isContains = first === '' && third === '';
  return isContains ? (text) => text.includes(second) : undefined;
}

function* matchRuns(text: string, runs: readonly Run[]): Generator<void, boolean> {
  const points = yield* codePointsOf(text);
  const first = runs[0] ?? new Int32Array(0);
  const last = runs.at(-1) ?? first;
  if (runs.length === 1) return points.length === first.length && standsAt(points, first, 0);
  if (!standsAt(points, first, 0)) return false;
  let at = first.length;
  for (const run of runs.slice(1, -1)) {
    const found = yield* findPart(points, run, at);
    if (found < 0) return false;
    at = found + run.length;
  }
  const end = points.length - last.length;
  return end >= at && standsAt(points, last, end);
}

function pointsOf(text: string): Run {
  return Int32Array.from(Array.from(text), (character) => character.codePointAt(0) ?? ANY);
}

function textOf(run: Run): string {
  return Array.from(run, (point) => String.fromCodePoint(point)).join('');
}
