/** Numbers that look random and follow from a seed: xoshiro128** by Blackman and Vigna, after splitmix32. */
export class RandomSource {
  readonly #state: Uint32Array;

  constructor(seed: number) {
    let mixed = seed >>> 0;
    this.#state = Uint32Array.from({ length: 4 }, () => {
      mixed = (mixed + 0x9e3779b9) >>> 0;
      let word = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
      word = Math.imul(word ^ (word >>> 15), 0x735a2d97);
      return (word ^ (word >>> 15)) >>> 0;
    });
  }

  /** 32 random bits. */
  bits(): number {
    const [a = 0, b = 0, c = 0, d = 0] = this.#state;
    const scrambled = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0;
    const third = c ^ a;
    const fourth = d ^ b;
    this.#state.set([a ^ fourth, b ^ third, third ^ (b << 9), rotate(fourth, 11)]);
    return scrambled;
  }

  /** From 0 up to but not including 1. */
  fraction(): number {
    return this.bits() / 2 ** 32;
  }

  /** Exponentially distributed with mean 1: the time between events that know nothing of each other. */
  exponential(): number {
    return -Math.log(1 - this.fraction());
  }
}

function rotate(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}
