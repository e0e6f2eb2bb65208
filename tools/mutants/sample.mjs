/** Selects the mutations to try: a sample that depends only on the seed and on each mutation itself. */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';

/** Identifies a mutation by texts, so that neither lines added above it nor a move of its file change it. */
export function keyOf({ file, context, from, to, nth }) {
  return [basename(file), context, from, to, nth].join('\n');
}

/** Mutations with the same key (the same operator twice in a line) are numbered. */
export function numbered(mutations) {
  const counts = new Map();
  return mutations.map((mutation) => {
    const key = keyOf({ ...mutation, nth: 0 });
    const nth = counts.get(key) ?? 0;
    counts.set(key, nth + 1);
    return { ...mutation, nth };
  });
}

/**
 * `count` mutations. Each has a fixed rank for a seed, independent of the others: when the code changes, most
 * of the sample stays.
 */
export function sampled(mutations, count, seed) {
  const placed = mutations.map((mutation) => {
    const place = createHash('sha256')
      .update(`${seed}\n${keyOf(mutation)}`)
      .digest('hex');
    return { place, mutation };
  });
  placed.sort((a, b) => (a.place < b.place ? -1 : 1));
  return placed.slice(0, count).map(({ mutation }) => mutation);
}
