/**
 * Work on the parts of lists and maps. A value may hold a list twice, which holds another one twice, and so
 * on: little memory, and no end of parts. What compares, orders or names values counts the parts here, and
 * knows nothing of statements; the statement that runs takes the count. Statements run one at a time between
 * pauses.
 */
const PARTS_MAX = 10_000_000;

let parts = 0;

/**
 * `work`: of each part, in comparisons of two numbers. Throws a RangeError for more than may be looked at
 * without a pause.
 */
export function lookAt(count: number, work = 1): void {
  parts += count * work;
  if (parts <= PARTS_MAX) return;
  parts = 0;
  throw new RangeError('expected lists and maps with fewer parts, those of their parts included');
}

/** How many parts were looked at since this was asked last. */
export function takeLookedAt(): number {
  const taken = parts;
  parts = 0;
  return taken;
}
