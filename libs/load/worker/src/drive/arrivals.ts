import type { EdgePlan, LoadPlan } from '../plan/edge-plan.ts';
import { LoadCurve, type LoadPoint } from './load-curve.ts';

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

  /** How many are yet to come. */
  get left(): number {
    return this.#next === undefined ? 0 : this.#curve.left(this.#next.atMs);
  }

  /** On to the one after it. */
  advance(): void {
    if (this.#next !== undefined) this.#next = this.#curve.after(this.#next.atMs, this.#distance());
  }

  #distance(): number {
    return this.#isPoisson ? this.#random.exponential() : 1;
  }
}

/** Drawn in a row, before others get their turn. */
const DRAWN_A_TURN = 10_000;
/** A longer schedule is not drawn: its curve's own area is as good, to less than a part in a thousand. */
const DRAWN_MAX = 50_000_000;
const MS_PER_S = 1_000;

/**
 * How many transactions each stage of a plan asks for: drawn from its load curve and seed as the edge draws
 * them, whatever becomes of the edge. Null in the closed model, where users ask, and when it is aborted.
 */
export async function scheduleLengths(
  { load, randomSeed }: Pick<EdgePlan, 'load' | 'randomSeed'>,
  signal?: AbortSignal,
): Promise<readonly number[] | null> {
  if (load.model === 'closed') return null;
  const areas = load.stages.map(({ startRate, endRate, durationMs }) => {
    return Math.round((((startRate + endRate) / 2) * durationMs) / MS_PER_S);
  });
  if (areas.reduce((sum, area) => sum + area, 0) > DRAWN_MAX) return areas;
  const lengths = load.stages.map(() => 0);
  const arrivals = new Arrivals(new LoadCurve(load.stages), new RandomSource(randomSeed), load.arrival);
  for (let drawn = 1; arrivals.next !== undefined; drawn++) {
    const { stage } = arrivals.next;
    lengths[stage] = (lengths[stage] ?? 0) + 1;
    arrivals.advance();
    if (drawn % DRAWN_A_TURN !== 0) continue;
    await new Promise((resolve) => setImmediate(resolve));
    if (signal?.aborted === true) return null;
  }
  return lengths;
}
