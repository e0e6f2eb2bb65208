/**
 * Smooth weighted round robin, as in nginx. Hot path.
 *
 * Each target has a credit. A pick adds each target's weight to its credit, chooses the target with the
 * highest credit, and subtracts the sum of all weights from it. In any run of picks as long as that sum each
 * target is picked as often as its weight, and heavy targets are spread over the run. Equal weights need no
 * credits: the targets take turns.
 */
import type { Random } from '../target/cluster-context.ts';
import type { Target } from '../target/target.ts';
import { type Balancer, others } from './balancer.ts';
import { WeightedChoice } from './random-balancers.ts';

export class RoundRobin implements Balancer {
  readonly #targets: readonly Target[];
  readonly #random: Random;
  readonly #weights: Float64Array;
  readonly #credits: Float64Array;
  readonly #sum: number;
  readonly #isEqual: boolean;
  #turn = 0;

  constructor(targets: readonly Target[], random: Random) {
    this.#targets = targets;
    this.#random = random;
    this.#weights = Float64Array.from(targets, (target) => target.weight);
    this.#credits = new Float64Array(targets.length);
    this.#sum = this.#weights.reduce((sum, weight) => sum + weight, 0);
    this.#isEqual = this.#weights.every((weight) => weight === this.#weights[0]);
  }

  pick(_key: string, tried: readonly Target[]): Target | undefined {
    if (this.#targets.length === 0) return undefined;
    if (tried.length > 0) return this.#another(tried) ?? this.#next();
    const chosen = this.#next();
    return chosen.isPassedOver ? this.#another(tried) : chosen;
  }

  peek(): Target | undefined {
    return this.#targets[this.#isEqual ? this.#turn : this.#richest()];
  }

  #next(): Target {
    return this.#targets[this.#isEqual ? this.#nextTurn() : this.#nextCredit()]!;
  }

  /** Chooses at random by weight, so that the share of a failed target is spread over all others. */
  #another(tried: readonly Target[]): Target | undefined {
    return new WeightedChoice(others(this.#targets, tried), this.#random).choose();
  }

  #nextTurn(): number {
    const turn = this.#turn;
    this.#turn = turn + 1 === this.#targets.length ? 0 : turn + 1;
    return turn;
  }

  #nextCredit(): number {
    const richest = this.#richest();
    for (let index = 0; index < this.#credits.length; index++) {
      this.#credits[index] = this.#credits[index]! + this.#weights[index]!;
    }
    this.#credits[richest] = this.#credits[richest]! - this.#sum;
    return richest;
  }

  #richest(): number {
    let richest = 0;
    let most = -Infinity;
    for (let index = 0; index < this.#credits.length; index++) {
      const credit = this.#credits[index]! + this.#weights[index]!;
      if (credit <= most) continue;
      most = credit;
      richest = index;
    }
    return richest;
  }
}
