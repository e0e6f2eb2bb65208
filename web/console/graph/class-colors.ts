/**
 * The colour of a class follows from its name alone, so that it is the same in every graph and for everybody.
 * Distinguishable in light and dark mode, and most with colour vision deficiencies.
 */
const PALETTE = [
  '#3b82c4',
  '#d97b29',
  '#4c9a5f',
  '#b65bb0',
  '#c9a227',
  '#3aa6a6',
  '#c4524e',
  '#7b6fd0',
  '#8a6d4b',
  '#2f6f9f',
  '#a8485f',
  '#6a9a1f',
  '#d0679a',
  '#5577e0',
  '#7a8794',
  '#b0703a',
] as const;

/** Chosen so that sixteen common classes have different colours, and so have those of threat intelligence. */
const SEED = 16_508_622;

/** Of classes whose hash is that of another with which they are drawn. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ['Table', '#c9a227'],
  ['Schema', '#7a8794'],
  ['Image', '#7b6fd0'],
]);

export function classColor(name: string): string {
  return EXCEPTIONS.get(name) ?? hashedColor(name);
}

function hashedColor(name: string): string {
  let hash = SEED;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 16_777_619) >>> 0;
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 2_246_822_507) >>> 0;
  hash ^= hash >>> 13;
  return PALETTE[(hash >>> 0) % PALETTE.length] ?? PALETTE[0];
}
