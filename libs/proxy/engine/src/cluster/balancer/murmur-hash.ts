/**
 * MurmurHash3, 32 bits, over the UTF-8 bytes of a text: fast, and even enough for a ring. Hot path. Not for
 * keys that must resist someone who looks for collisions.
 */
const ENCODER = new TextEncoder();
let scratch = new Uint8Array(1_024);

export function murmurHash(text: string, seed = 0): number {
  if (text.length * 3 > scratch.length) scratch = new Uint8Array(text.length * 3);
  const length = ENCODER.encodeInto(text, scratch).written;
  let hash = seed;
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    const word = scratch[at]! | (scratch[at + 1]! << 8) | (scratch[at + 2]! << 16) | (scratch[at + 3]! << 24);
    hash ^= scramble(word);
    hash = (hash << 13) | (hash >>> 19);
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0;
  }
  let tail = 0;
  for (let end = length - 1; end >= at; end--) tail = (tail << 8) | scratch[end]!;
  hash ^= scramble(tail) ^ length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function scramble(word: number): number {
  const mixed = Math.imul(word, 0xcc9e2d51);
  return Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593);
}
