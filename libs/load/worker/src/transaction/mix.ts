import type { MixEntry } from '../plan/edge-plan.ts';

/**
 * Which entry of the mix an account's n-th transaction is made from: by weight, from a seed, and the same
 * whatever happens in which order.
 */
export class Mix {
  readonly #bounds: readonly number[];
  readonly #seed: number;

  constructor(entries: readonly MixEntry[], seed: number) {
    const total = entries.reduce((sum, { weight }) => sum + weight, 0);
    let sum = 0;
    this.#bounds = entries.map(({ weight }) => (sum += weight) / total);
    this.#seed = seed;
  }

  /** The entry's position. */
  entryOf(account: number, drawn: number): number {
    const fraction = scrambled(this.#seed ^ scrambled(account ^ scrambled(drawn))) / 2 ** 32;
    const entry = this.#bounds.findIndex((bound) => fraction < bound);
    return entry < 0 ? this.#bounds.length - 1 : entry;
  }
}

/** The finaliser of splitmix32: every bit of the word changes half the bits of the result. */
function scrambled(input: number): number {
  let word = (input + 0x9e3779b9) >>> 0;
  word = Math.imul(word ^ (word >>> 16), 0x21f0aaad);
  word = Math.imul(word ^ (word >>> 15), 0x735a2d97);
  return (word ^ (word >>> 15)) >>> 0;
}
