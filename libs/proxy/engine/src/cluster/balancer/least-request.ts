import type { Target } from '../target/target.ts';
import type { Balancer } from './balancer.ts';
import type { Random } from '../target/cluster-surroundings.ts';
import { untried } from './untried.ts';
import { WeightedChoice } from './weighted-choice.ts';

const TRIES_FOR_ANOTHER = 4;

/**
 * Power of two choices: two by chance, as often as their weights say, and of these the one with fewer active
 * requests for its weight; the first when it is the same. Looking at all would send every request of a burst
 * to the one that was least loaded before it.
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
    return tried.length === 0 ? chosen : untried(this.#targets, tried, chosen, this.#random);
  }

  peek(): Target | undefined {
    return this.#targets.length === 1 ? this.#targets[0] : undefined;
  }

  /** A heavy one may be drawn again and again: then it is compared with itself. */
  #another(first: Target): Target {
    if (this.#targets.length <= 2) return this.#targets.find((target) => target !== first) ?? first;
    for (let tries = 0; tries < TRIES_FOR_ANOTHER; tries++) {
      const second = this.#choice.choose();
      if (second !== undefined && second !== first) return second;
    }
    return first;
  }
}
