/** Random choice of a target in proportion to its weight. Hot path. */

import type { Random } from '../target/cluster-context.ts';
import type { Target } from '../target/target.ts';
import { type Balancer, others } from './balancer.ts';

const NONE: readonly Target[] = [];

export class WeightedChoice {
  readonly #targets: readonly Target[];
  readonly #random: Random;
  /** Cumulative weights; undefined when all weights are equal. */
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

/** Picks a target at random, in proportion to its weight. */
export class RandomBalancer implements Balancer {
  readonly #targets: readonly Target[];
  readonly #random: Random;
  readonly #choice: WeightedChoice;

  constructor(targets: readonly Target[], random: Random) {
    this.#targets = targets;
    this.#random = random;
    this.#choice = new WeightedChoice(targets, random);
  }

  pick(_key: string, tried: readonly Target[]): Target | undefined {
    const chosen = this.#choice.choose();
    if (tried.length === 0 && chosen?.isPassedOver !== true) return chosen;
    return new WeightedChoice(others(this.#targets, tried), this.#random).choose() ?? chosen;
  }

  peek(): Target | undefined {
    return this.#targets.length === 1 ? this.#targets[0] : undefined;
  }
}

const TRIES_FOR_ANOTHER = 4;

/**
 * Power of two choices: draws two targets at random by weight, and picks the one with fewer active requests
 * per weight; the first on a tie. Comparing all targets would send every request of a burst to the one that
 * was least loaded before it.
 */
export class LeastRequest implements Balancer {
  readonly #targets: readonly Target[];
  readonly #random: Random;
  readonly #choice: WeightedChoice;

  constructor(targets: readonly Target[], random: Random) {
    this.#targets = targets;
    this.#random = random;
    this.#choice = new WeightedChoice(targets, random);
  }

  pick(_key: string, tried: readonly Target[]): Target | undefined {
    const first = this.#choice.choose();
    if (first === undefined) return undefined;
    const second = this.#another(first);
    const isSecondFreer = second.activeRequests * first.weight < first.activeRequests * second.weight;
    const chosen = isSecondFreer ? second : first;
    if (tried.length === 0 && !chosen.isPassedOver) return chosen;
    return this.#amongOthers(tried) ?? chosen;
  }

  peek(): Target | undefined {
    return this.#targets.length === 1 ? this.#targets[0] : undefined;
  }

  #amongOthers(tried: readonly Target[]): Target | undefined {
    const targets = others(this.#targets, tried);
    if (targets.length === this.#targets.length) return undefined;
    return new LeastRequest(targets, this.#random).pick('', NONE);
  }

  /** A heavy target may be drawn repeatedly: then it is compared with itself. */
  #another(first: Target): Target {
    if (this.#targets.length <= 2) return this.#targets.find((target) => target !== first) ?? first;
    for (let tries = 0; tries < TRIES_FOR_ANOTHER; tries++) {
      const second = this.#choice.choose();
      if (second !== undefined && second !== first) return second;
    }
    return first;
  }
}
