import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { targetsOf } from '../../../test/targets-of.ts';
import { RingHash } from './ring-hash.ts';

const KEYS = Array.from({ length: 1_000 }, (_, index) => `client-${index}`);
const weights = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 2, maxLength: 8 });

/** Compares addresses, because comparing targets is slow. */
const ownersOn = (ring: RingHash): (string | undefined)[] => KEYS.map((key) => ring.pick(key, [])?.address);

describe('RingHash', () => {
  it('moves only the keys of a removed target, and moves them back when it returns', () => {
    fc.assert(
      fc.property(weights, fc.nat(), (given, choice) => {
        const targets = targetsOf(given);
        const gone = targets[choice % targets.length]!;
        const ring = new RingHash(targets);
        const before = ownersOn(ring);

        gone.isHealthy = false;
        const without = ownersOn(ring);
        gone.isHealthy = true;

        const moved = KEYS.filter((_, index) => before[index] !== without[index]);
        const owned = KEYS.filter((_, index) => before[index] === gone.address);
        expect(moved).toEqual(owned);
        expect(without).not.toContain(gone.address);
        expect(ownersOn(ring)).toEqual(before);
      }),
      { numRuns: 20 },
    );
  });

  it('treats an unavailable target like a removed one', () => {
    fc.assert(
      fc.property(weights, (given) => {
        const targets = targetsOf(given);
        const [gone, ...others] = targets;
        const whole = new RingHash(targets);
        gone!.isDisabled = true;

        expect(ownersOn(whole)).toEqual(ownersOn(new RingHash(others)));
      }),
      { numRuns: 20 },
    );
  });

  it('assigns each target about its share of keys', () => {
    const targets = targetsOf([1, 1, 2]);
    const owners = ownersOn(new RingHash(targets));

    const shares = targets.map(
      (target) => owners.filter((owner) => owner === target.address).length / KEYS.length,
    );

    for (const [index, share] of [0.25, 0.25, 0.5].entries()) {
      expect(Math.abs((shares[index] ?? 0) - share)).toBeLessThan(0.08);
    }
  });

  it('skips tried targets, and returns undefined when all were tried', () => {
    const targets = targetsOf([1, 1, 1]);
    const ring = new RingHash(targets);
    const first = ring.pick('key', [])!;
    const second = ring.pick('key', [first])!;

    first.isEjected = true;

    expect(second).not.toBe(first);
    expect(ring.pick('key', [])).toBe(second);
    expect(ring.pick('key', targets)).toBe(second);
    expect(ring.peek('key')).toBe(second);
  });

  it('stays within its size for any number and weight of targets', () => {
    const targets = targetsOf(Array.from({ length: 200 }, (_, index) => (index === 0 ? 1 : 1_000)));
    const ring = new RingHash(targets);

    const owners = new Set(KEYS.map((key) => ring.pick(key, [])));

    expect(owners.size).toBeGreaterThan(150);
  });
});
