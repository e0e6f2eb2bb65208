import type { LoadPlan } from '../plan/edge-plan.ts';
import type { RandomSource } from './random-source.ts';
import type { LoadCurve, LoadPoint } from './load-curve.ts';

/**
 * Intended send times of the open model, one after another, whatever becomes of the sends: exponential
 * (Poisson) or equal distances, in shares of the load curve. The same seed gives the same times.
 */
export class Arrivals {
  readonly #curve: LoadCurve;
  readonly #random: RandomSource;
  readonly #isPoisson: boolean;
  #next: LoadPoint | undefined;

  constructor(curve: LoadCurve, random: RandomSource, arrival: LoadPlan['arrival']) {
    this.#curve = curve;
    this.#random = random;
    this.#isPoisson = arrival === 'poisson';
    // Edges with equal distances do not all send at the same instants.
    this.#next = curve.after(0, this.#isPoisson ? random.exponential() : random.fraction());
  }

  /** The next one; undefined when there are no more. */
  get next(): LoadPoint | undefined {
    return this.#next;
  }

  /** On to the one after it. */
  advance(): void {
    if (this.#next !== undefined) this.#next = this.#curve.after(this.#next.atMs, this.#distance());
  }

  #distance(): number {
    return this.#isPoisson ? this.#random.exponential() : 1;
  }
}
