/**
 * The total order of values: booleans, numbers, strings, lists, and last null or missing. Strings are ordered
 * by their UTF-8 bytes, which is the order of code points and differs from `<`: a surrogate pair sorts after
 * U+E000–U+FFFF.
 */
import type { FieldValue } from '#graph/model';

/** Negative, zero, positive. */
export function compareValues(a: FieldValue, b: FieldValue): number {
  const rank = rankOf(a) - rankOf(b);
  if (rank !== 0) return rank;
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  return Array.isArray(a) && Array.isArray(b) ? compareLists(a, b) : 0;
}

/** Compares texts in UTF-8 byte order. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return codePointWeight(left) - codePointWeight(right);
  }
  return a.length - b.length;
}

/** Moves surrogates above the rest of the basic plane. */
function codePointWeight(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function compareLists(a: readonly FieldValue[], b: readonly FieldValue[]): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const order = compareValues(a[at], b[at]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function rankOf(value: FieldValue): number {
  switch (typeof value) {
    case 'boolean':
      return 0;
    case 'number':
      return 1;
    case 'string':
      return 2;
    default:
      return Array.isArray(value) ? 3 : 4;
  }
}
