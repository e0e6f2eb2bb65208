/** One of many by chance, as often as its weight says. Hot path. */
import type { Target } from '../target/target.ts';
import type { Random } from '../target/cluster-surroundings.ts';

export class WeightedChoice {
  readonly #targets: readonly Target[];
  readonly #random: Random;
  /** Sums of the weights up to and with each; undefined when all weights are equal. */
  readonly #sums: Float64Array | undefined;

  constructor(targets: readonly Target[], random: Random) {
    this.#targets = targets;
    this.#random = random;
    if (targets.every((target) => target.weight === targets[0]?.weight)) return;
    let sum = 0;
    this.#sums = Float64Array.from(targets, (target) => (sum += target.weight));
  }

  choose(): Target | undefined {
    const sums = this.#sums;
    if (sums === undefined) return this.#targets[Math.floor(this.#random() * this.#targets.length)];
    const point = this.#random() * sums[sums.length - 1]!;
    let low = 0;
    let high = sums.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sums[middle]! > point) high = middle;
      else low = middle + 1;
    }
    return this.#targets[low];
  }
}
