const DIGITS_OF_52_BITS = 13;

/**
 * The number of a node or relationship for clients that know no element ids, and of `id()`: the first 53 bits
 * of its element id, so that it stays as long as the record is in a store.
 */
export function numericId(elementId: string): number {
  const high = Number.parseInt(elementId.slice(0, DIGITS_OF_52_BITS), 16);
  return high * 2 + (Number.parseInt(elementId.charAt(DIGITS_OF_52_BITS), 16) >>> 3);
}
