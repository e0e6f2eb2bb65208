/**
 * Consistent hashing in the manner of ketama. Hot path: `pick`.
 *
 * 1. Each target has points on a ring of 2^32, 160 for each unit of weight; fewer when the ring would exceed
 *    2^17 points.
 * 2. A key belongs to the first point at or after its hash whose target is available: when a target becomes
 *    unavailable, only its own keys move, and they move back when it returns.
 * 3. The ring is built from all targets, so that health does not change it.
 *
 * A point is its hash and the number of its target in one float, so that a native sort orders the points.
 */
import type { Target } from '../target/target.ts';
import type { Balancer } from './balancer.ts';

const POINTS_PER_WEIGHT = 160;
const POINTS_MAX = 2 ** 17;
const TARGET_BITS = 2 ** 20;

export class RingHash implements Balancer {
  readonly targets: readonly Target[];
  readonly #hashes: Uint32Array;
  readonly #owners: Uint32Array;

  constructor(targets: readonly Target[]) {
    this.targets = targets;
    const points = pointsOf(targets);
    this.#hashes = Uint32Array.from(points, (point) => Math.floor(point / TARGET_BITS));
    this.#owners = Uint32Array.from(points, (point) => point % TARGET_BITS);
  }

  pick(key: string, tried: readonly Target[]): Target | undefined {
    const start = this.#firstAtOrAfter(murmurHash(key));
    let untried: Target | undefined;
    let available: Target | undefined;
    for (let step = 0; step < this.#owners.length; step++) {
      const target = this.targets[this.#owners[(start + step) % this.#owners.length]!]!;
      if (!target.isAvailable) continue;
      const isTried = tried.includes(target);
      if (!isTried && !target.isPassedOver) return target;
      if (!isTried) untried ??= target;
      available ??= target;
    }
    return untried ?? available;
  }

  peek(key: string): Target | undefined {
    return this.pick(key, []);
  }

  /** The ring wraps around after the last point. */
  #firstAtOrAfter(hash: number): number {
    let low = 0;
    let high = this.#hashes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#hashes[middle]! >= hash) high = middle;
      else low = middle + 1;
    }
    return low === this.#hashes.length ? 0 : low;
  }
}

function pointsOf(targets: readonly Target[]): Float64Array {
  const weights = targets.reduce((sum, target) => sum + target.weight, 0);
  const perWeight = Math.min(POINTS_PER_WEIGHT, POINTS_MAX / weights);
  const points = targets.flatMap((target, index) => {
    const count = target.weight === 0 ? 0 : Math.max(1, Math.floor(target.weight * perWeight));
    return Array.from(
      { length: count },
      (_, point) => murmurHash(`${target.address}_${point}`) * TARGET_BITS + index,
    );
  });
  return Float64Array.from(points).sort();
}

/**
 * MurmurHash3, 32 bits, over the UTF-8 bytes of a text: fast, and even enough for a ring. Hot path. Not
 * resistant to deliberate collisions.
 */
const ENCODER = new TextEncoder();

let scratch = new Uint8Array(1_024);

export function murmurHash(text: string, seed = 0): number {
  if (text.length * 3 > scratch.length) scratch = new Uint8Array(text.length * 3);
  const length = ENCODER.encodeInto(text, scratch).written;
  let hash = seed;
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    const word = scratch[at]! | (scratch[at + 1]! << 8) | (scratch[at + 2]! << 16) | (scratch[at + 3]! << 24);
    hash ^= scramble(word);
    hash = (hash << 13) | (hash >>> 19);
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0;
  }
  let tail = 0;
  for (let end = length - 1; end >= at; end--) tail = (tail << 8) | scratch[end]!;
  hash ^= scramble(tail) ^ length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function scramble(word: number): number {
  const mixed = Math.imul(word, 0xcc9e2d51);
  return Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593);
}
