/** JSON with exact integers: those that a number cannot represent become bigints. */

const INTEGER = /^-?\d+$/;
/** Longer integers are not finite as numbers, and stay numbers. */
const DIGITS_MAX = 300;

/**
 * As `JSON.parse`, but integers beyond ±(2^53 − 1) become bigints. Slower: use it only for texts that may
 * contain them.
 */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown, context?: { readonly source?: string }) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    const { source = '' } = context ?? {};
    return source.length <= DIGITS_MAX && INTEGER.test(source) ? BigInt(source) : value;
  }) as unknown;
}
