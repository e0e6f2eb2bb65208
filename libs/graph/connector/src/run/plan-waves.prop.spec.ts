import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { planWaves } from './plan-waves.ts';

/** Acyclic steps, in any order. */
const plannable = fc
  .array(fc.array(fc.nat(), { maxLength: 5 }), { maxLength: 60 })
  .map((links) =>
    links.map((targets, index) => ({
      id: `s${index}`,
      dependsOn: index === 0 ? [] : targets.map((target) => `s${target % index}`),
    })),
  )
  .chain((steps) => fc.shuffledSubarray(steps, { minLength: steps.length }));

describe('planWaves', () => {
  it('plans every step once, in the earliest wave after its dependencies', () => {
    fc.assert(
      fc.property(plannable, (steps) => {
        const waves = planWaves(steps);

        const waveOf = new Map(waves.flatMap((wave, index) => wave.map(({ id }) => [id, index] as const)));
        expect(waves.flat()).toHaveLength(steps.length);
        for (const { id, dependsOn } of steps) {
          const before = dependsOn.map((other) => waveOf.get(other) ?? Infinity);
          expect(waveOf.get(id)).toBe(Math.max(-1, ...before) + 1);
        }
      }),
    );
  });

  it('detects any cycle', () => {
    const cyclic = fc.tuple(plannable, fc.integer({ min: 1, max: 5 })).map(([steps, length]) => {
      const cycle = Array.from({ length }, (_, index) => ({
        id: `c${index}`,
        dependsOn: [`c${(index + 1) % length}`],
      }));
      return [...steps, ...cycle];
    });

    fc.assert(
      fc.property(cyclic, (steps) => {
        expect(() => planWaves(steps)).toThrow(/wait for each other: c(\d) → .*c\1$|: c0 → c0$/);
      }),
    );
  });
});
