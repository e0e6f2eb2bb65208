const NAME_LENGTH_MAX = 64;
const DISTANCE_MAX = 3;

/**
 * The candidate nearest to `name`, or undefined when none is near: one edit for every three characters, at
 * most three (an edit inserts, deletes or replaces a character, or swaps two neighbours); case is ignored.
 * Ties go to the alphabetically first. The work is bounded: names longer than 64 characters are not compared.
 */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  return nearestNames(name, candidates, 1)[0];
}

/** The nearest candidates, at most `most`, nearest first; near as in {@link nearestName}. */
export function nearestNames(name: string, candidates: Iterable<string>, most: number): readonly string[] {
  if (name.length > NAME_LENGTH_MAX) return [];
  const wanted = name.toLowerCase();
  const found: { readonly candidate: string; readonly distance: number }[] = [];
  let least = Math.min(DISTANCE_MAX, Math.floor(name.length / 3));
  for (const candidate of candidates) {
    if (candidate === name || Math.abs(candidate.length - name.length) > least) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance > least || found.some((other) => other.candidate === candidate)) continue;
    found.push({ candidate, distance });
    found.sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1));
    if (found.length > most) found.pop();
    if (found.length === most) least = Math.min(least, found.at(-1)?.distance ?? least);
  }
  return found.map(({ candidate }) => candidate);
}

/** Optimal string alignment, with three rows of the table. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a.charAt(i - 1) === b.charAt(j - 1);
      const isSwap =
        i > 1 && j > 1 && a.charAt(i - 1) === b.charAt(j - 2) && a.charAt(i - 2) === b.charAt(j - 1);
      const replaced = at(last, j - 1) + (isSame ? 0 : 1);
      const swapped = isSwap ? at(beforeLast, j - 2) + 1 : Infinity;
      row.push(Math.min(replaced, swapped, at(last, j) + 1, at(row, j - 1) + 1));
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
