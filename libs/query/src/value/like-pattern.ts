/**
 * LIKE: `%` any text, `_` one character (code point), `\%`, `\_` and `\\` themselves, the whole string.
 *
 * The pattern is cut at its `%` into runs. The first run must stand at the start, the last at the end, and
 * each run between is looked for leftmost after the one before it: leftmost is always best, so there is no
 * backtracking, and the time is bounded by length of text × length of pattern.
 */

/** One character of a run; `null` is `_`. */
type Run = readonly (string | null)[];

export function likePattern(pattern: string, ignoreCase: boolean): (text: string) => boolean {
  const runs = runsOf(ignoreCase ? pattern.toLowerCase() : pattern);
  const plain = plainMatcher(runs);
  const matches = plain ?? ((text: string) => matchesRuns(Array.from(text), runs));
  return ignoreCase ? (text) => matches(text.toLowerCase()) : matches;
}

function runsOf(pattern: string): readonly Run[] {
  const runs: (string | null)[][] = [[]];
  const characters = Array.from(pattern);
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? '';
    const next = characters[at + 1];
    if (character === '%') runs.push([]);
    else if (character === '\\' && (next === '%' || next === '_' || next === '\\')) {
      runs.at(-1)?.push(next);
      at++;
    } else runs.at(-1)?.push(character === '_' ? null : character);
  }
  return runs;
}

/** `a`, `a%`, `%a`, `%a%` and `a%b` without `_`: what nearly everybody writes. */
function plainMatcher(runs: readonly Run[]): ((text: string) => boolean) | undefined {
  if (runs.some((run) => run.includes(null))) return undefined;
  const [first = '', second = '', third = ''] = runs.map((run) => run.join(''));
  if (runs.length === 1) return (text) => text === first;
  if (runs.length === 2) {
    const shortest = first.length + second.length;
    return (text) => text.length >= shortest && text.startsWith(first) && text.endsWith(second);
  }
  const isContains = runs.length === 3 && first === '' && third === '';
  return isContains ? (text) => text.includes(second) : undefined;
}

function matchesRuns(text: readonly string[], runs: readonly Run[]): boolean {
  const first = runs[0] ?? [];
  const last = runs.at(-1) ?? [];
  if (runs.length === 1) return text.length === first.length && standsAt(text, first, 0);
  if (!standsAt(text, first, 0)) return false;
  let at = first.length;
  for (const run of runs.slice(1, -1)) {
    while (at + run.length <= text.length && !standsAt(text, run, at)) at++;
    at += run.length;
  }
  const end = text.length - last.length;
  return end >= at && standsAt(text, last, end);
}

function standsAt(text: readonly string[], run: Run, at: number): boolean {
  if (at + run.length > text.length) return false;
  return run.every((character, offset) => character === null || character === text[at + offset]);
}
