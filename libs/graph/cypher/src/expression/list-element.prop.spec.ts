/** A list that was looked through once tells what a search of it tells. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { contains } from '../value/equality.ts';
import type { Value } from '../value/value.ts';
import { isElement } from './list-element.ts';

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

const scalar: fc.Arbitrary<Value> = fc.oneof(
  fc.constantFrom<Value>(null, true, false, '', '1', 'a', 0n, 1n, 1, 0, -0, 0.5, NaN, Infinity, -Infinity),
  fc.constantFrom<Value>(SAFE, SAFE + 1n, SAFE + 2n, Number.MAX_SAFE_INTEGER, 2 ** 53, 2 ** 60, 2n ** 60n),
);
const value: fc.Arbitrary<Value> = fc.oneof(
  { weight: 9, arbitrary: scalar },
  fc.array(scalar, { maxLength: 2 }),
);
const list = fc.oneof(
  fc.array(scalar, { minLength: 17, maxLength: 30 }),
  fc.array(fc.integer({ min: -2, max: 2 }).map(BigInt), { minLength: 17, maxLength: 30 }),
  fc.array(value, { minLength: 17, maxLength: 30 }),
);

describe('whether a list has a value', () => {
  it('is the same each time it is asked', () => {
    fc.assert(
      fc.property(list, fc.array(value, { minLength: 4, maxLength: 12 }), (values, asked) => {
        for (const each of asked) expect(isElement(each, values, RUN)).toBe(contains(values, each));
      }),
      { numRuns: 1_000, seed: 1 },
    );
  });

  it('is looked for once in a list of thousands', () => {
    let steps = 0;
    const run = { tick: (count = 1): void => void (steps += count) };
    const numbers = Array.from({ length: 16_000 }, (_, at) => BigInt(at));
    for (let at = 0; at < 1_000; at++) isElement(-1n, numbers, run);

    expect(steps).toBeLessThan(10_000);
  });
});

const RUN = { tick: (): void => undefined };
