/**
 * Counter-based randomness: a value depends only on its coordinates, so nothing has to be stored or replayed.
 */

/** 32 well-mixed bits of three integers. */
export function mix(seed: number, index: number, salt: number): number {
  let h = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xcc9e2d51);
  h = Math.imul(h ^ (h >>> 15) ^ Math.imul(salt + 1, 0x1b873593), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  return (h ^ (h >>> 13)) >>> 0;
}

/** A fraction in [0, 1) of three integers. */
export function fraction(seed: number, index: number, salt: number): number {
  return mix(seed, index, salt) / 0x1_0000_0000;
}
