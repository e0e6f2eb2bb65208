/** JSON whose integers are exact: those that a number cannot hold exactly are bigints. */

const INTEGER = /^-?\d+$/;
/** Longer ones are no finite numbers, and stay so. */
const DIGITS_MAX = 300;

/** As `JSON.parse`; integers beyond ±(2^53 − 1) become bigints. Slower: for texts that may hold some. */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown, context?: { readonly source?: string }) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    const { source = '' } = context ?? {};
    return source.length <= DIGITS_MAX && INTEGER.test(source) ? BigInt(source) : value;
  }) as unknown;
}
