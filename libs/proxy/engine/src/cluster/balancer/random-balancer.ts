import type { Target } from '../target/target.ts';
import type { Balancer } from './balancer.ts';
import type { Random } from '../target/cluster-surroundings.ts';
import { untried } from './untried.ts';
import { WeightedChoice } from './weighted-choice.ts';

/** Any of them, as often as its weight says. */
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
    if (chosen === undefined || tried.length === 0) return chosen;
    return untried(this.#targets, tried, chosen, this.#random);
  }

  peek(): Target | undefined {
    return this.#targets.length === 1 ? this.#targets[0] : undefined;
  }
}
