import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { effort } from '#testing';
import { type NoncePlace, SeenNonces } from './seen-nonces.ts';

const FIRST = 3;
const nonce = fc.integer({ min: FIRST, max: FIRST + 12 });
const STEPS = fc.array(
  fc.record({ kind: fc.constantFrom('see', 'see', 'see', 'takeBack', 'cut'), nonce } as const),
  { maxLength: 200 },
);

/** The model: a plain set. */
class Model {
  readonly #seen = new Set<number>();

  get due(): number {
    return Math.max(FIRST - 1, ...this.#seen) + 1;
  }

  get count(): number {
    return this.#seen.size;
  }

  see(one: number): NoncePlace {
    const { due } = this;
    const isKnown = this.#seen.has(one);
    this.#seen.add(one);
    if (isKnown) return 'again';
    return one === due ? 'next' : one > due ? 'ahead' : 'fills';
  }

  takeBack(one: number): void {
    this.#seen.delete(one);
  }

  cut(from: number): void {
    for (const one of [...this.#seen]) if (one >= from) this.#seen.delete(one);
  }
}

describe('SeenNonces', () => {
  it('matches a plain set after any sequence of additions, removals and cuts', () => {
    fc.assert(
      fc.property(STEPS, (steps) => {
        const seen = new SeenNonces(FIRST);
        const model = new Model();
        for (const step of steps) {
          if (step.kind === 'see') expect(seen.see(step.nonce)).toBe(model.see(step.nonce));
          else if (step.kind === 'cut') {
            seen.cut(step.nonce);
            model.cut(step.nonce);
          } else {
            seen.takeBack(step.nonce);
            model.takeBack(step.nonce);
          }
          expect([seen.due, seen.count]).toEqual([model.due, model.count]);
          expect(seen.isWhole).toBe(model.count === model.due - FIRST);
        }
      }),
      { numRuns: effort(300, 60) },
    );
  });
});
