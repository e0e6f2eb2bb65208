import type { EdgePlan, LoadPlan } from '../plan/edge-plan.ts';
import { LoadCurve, type LoadPoint, type RateChange } from './load-curve.ts';

/** Seeded pseudo-random numbers: xoshiro128** by Blackman and Vigna, initialized by splitmix32. */
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

  /** A random number in the interval [0, 1). */
  fraction(): number {
    return this.bits() / 2 ** 32;
  }

  /** Exponentially distributed with mean 1: the time between independent events. */
  exponential(): number {
    return -Math.log(1 - this.fraction());
  }
}

function rotate(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

type ArrivalPlan = Pick<LoadPlan, 'arrival' | 'phase'>;

/**
 * The phase of one of `count` edges with uniform arrivals: all together they send at equal distances, and as
 * many transactions as one edge would.
 */
export function uniformPhase(randomSeed: number, index: number, count: number): number {
  return (new RandomSource(randomSeed).fraction() + index) / count;
}

/**
 * The intended send times of the open model, independent of the actual sends: with exponential (Poisson) or
 * equal distances, measured along the load curve. Equal seeds give equal times.
 */
export class Arrivals {
  readonly #curve: LoadCurve;
  readonly #random: RandomSource;
  readonly #isPoisson: boolean;
  /** The last arrival, and the distance of the next one to it along the curve. */
  #fromMs = 0;
  #share: number;
  #next: LoadPoint | undefined;

  constructor(curve: LoadCurve, random: RandomSource, { arrival, phase }: ArrivalPlan) {
    this.#curve = curve;
    this.#random = random;
    this.#isPoisson = arrival === 'poisson';
    this.#share = this.#isPoisson ? random.exponential() : (phase ?? random.fraction());
    this.#next = curve.after(0, this.#share);
  }

  /** The next arrival; undefined after the last. */
  get next(): LoadPoint | undefined {
    return this.#next;
  }

  /** The number of remaining arrivals. */
  get left(): number {
    return this.#next === undefined ? 0 : this.#curve.left(this.#next.atMs);
  }

  /** Moves on to the next arrival. */
  advance(): void {
    if (this.#next === undefined) return;
    this.#fromMs = this.#next.atMs;
    this.#share = this.#distance();
    this.#next = this.#curve.after(this.#fromMs, this.#share);
  }

  /**
   * Changes the rate of the curve: past arrivals stay, the next one moves. Returns the time from which it
   * holds, in whole microseconds: the last arrival may be later than the given time.
   */
  change({ atMs, rate }: RateChange): number {
    const fromMs = Math.max(atMs, Math.ceil(this.#fromMs * US_PER_MS) / US_PER_MS);
    this.#curve.change({ atMs: fromMs, rate });
    this.#next = this.#curve.after(this.#fromMs, this.#share);
    return fromMs;
  }

  #distance(): number {
    return this.#isPoisson ? this.#random.exponential() : 1;
  }
}

/** Draws between two turns of the event loop. */
const DRAWN_A_TURN = 10_000;
/** A longer schedule is not drawn: the area of its curve is exact to less than 0.1 %. */
const DRAWN_MAX = 50_000_000;
const US_PER_MS = 1_000;

/**
 * The planned number of transactions of each stage: drawn from the load curve and the seed as on the edge,
 * with the changes of the rate that it has applied, independent of what the edge sends. Null in the closed
 * model, and after an abort.
 */
export async function scheduleLengths(
  { load, randomSeed }: Pick<EdgePlan, 'load' | 'randomSeed'>,
  changes: readonly RateChange[] = [],
  signal?: AbortSignal,
): Promise<readonly number[] | null> {
  if (load.model === 'closed') return null;
  const curve = new LoadCurve(load.stages);
  for (const change of changes) curve.change(change);
  const areas = load.stages.map((_, stage) => Math.round(curve.areaOf(stage)));
  if (areas.reduce((sum, area) => sum + area, 0) > DRAWN_MAX) return areas;
  const lengths = load.stages.map(() => 0);
  const arrivals = new Arrivals(curve, new RandomSource(randomSeed), load);
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
