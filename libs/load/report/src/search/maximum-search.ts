import type { MaximumFound, SearchStep } from './search-step.ts';

export interface SearchBounds {
  /** The rate of the first step. */
  readonly from: number;
  /** The highest rate that is tried. */
  readonly to: number;
  /** The search ends when the refused rate is above the held one by at most this share. */
  readonly precision: number;
}

/** The first rate is halved at most so often. */
const HALVINGS_MAX = 10;
const FACTOR = 2;

/**
 * Chooses the rates of the steps: doubled while they hold, then by bisection between the highest that held
 * and the lowest that did not. A first step that does not hold is halved instead. A failed run is the end.
 */
export class MaximumSearch {
  readonly #bounds: SearchBounds;
  readonly #steps: SearchStep[] = [];
  #held: number | null = null;
  #refused: SearchStep | null = null;

  constructor(bounds: SearchBounds) {
    this.#bounds = bounds;
  }

  /** The rate of the next step; undefined when the maximum is known, or cannot be found. */
  get next(): number | undefined {
    const { from, to } = this.#bounds;
    const last = this.#steps.at(-1);
    if (last === undefined) return Math.min(from, to);
    if (last.end === 'failed') return undefined;
    return this.#held === null ? this.#lower() : this.#higher(this.#held);
  }

  add(step: SearchStep): void {
    this.#steps.push(step);
    if (step.end === 'held') this.#held = Math.max(this.#held ?? 0, step.rate);
    else if (step.rate < (this.#refused?.rate ?? Infinity)) this.#refused = step;
  }

  /** While no rate has held. */
  #lower(): number | undefined {
    const refused = this.#refused?.rate ?? 0;
    return this.#steps.length > HALVINGS_MAX || refused <= 1 ? undefined : rounded(refused / FACTOR);
  }

  #higher(held: number): number | undefined {
    const { to, precision } = this.#bounds;
    const refused = this.#refused?.rate;
    if (refused === undefined) return held < to ? Math.min(rounded(held * FACTOR), to) : undefined;
    const middle = rounded((held + refused) / 2);
    const isFine = refused - held <= held * precision;
    return isFine || middle <= held || middle >= refused ? undefined : middle;
  }

  /** The result so far; `isInterrupted`: the search was ended from outside. */
  found(isInterrupted: boolean): Pick<MaximumFound, 'maximum' | 'refused' | 'limited_by' | 'steps'> {
    const refused = this.#refused;
    const end = refused === null || refused.end === 'held' ? 'search_limit' : refused.end;
    return {
      maximum: this.#held,
      refused: refused?.rate ?? null,
      limited_by: isInterrupted && this.next !== undefined ? 'interrupted' : end,
      steps: this.#steps,
    };
  }
}

/** Three digits: a rate is not known better than that. */
function rounded(rate: number): number {
  return Number(rate.toPrecision(3));
}
