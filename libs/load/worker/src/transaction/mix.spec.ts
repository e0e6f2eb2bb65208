import { describe, expect, it } from '@jest/globals';
import { Mix } from './blueprint.ts';

const ENTRIES = [
  { kind: 'transfer', weight: 80 },
  { kind: 'deploy', weight: 0 },
  { kind: 'calldata', weight: 20 },
] as const;

describe('a mix', () => {
  it('draws by weight, for each account and over all of them', () => {
    const mix = new Mix(ENTRIES, 7);
    const draws = (account: number): number[] =>
      Array.from({ length: 2_000 }, (_, n) => mix.entryOf(account, n));

    for (const account of [0, 1, 2, 999_999]) {
      const share = draws(account).filter((entry) => entry === 0).length / 2_000;
      expect(share).toBeGreaterThan(0.76);
      expect(share).toBeLessThan(0.84);
    }
    const firsts = Array.from({ length: 2_000 }, (_, account) => mix.entryOf(account, 0));
    const share = firsts.filter((entry) => entry === 2).length / 2_000;
    expect(share).toBeGreaterThan(0.16);
    expect(share).toBeLessThan(0.24);
    expect(firsts).not.toContain(1);
  });

  it('draws equally for equal seeds, and differently for different seeds', () => {
    const draw = (seed: number): number[] =>
      Array.from({ length: 64 }, (_, n) => new Mix(ENTRIES, seed).entryOf(3, n));

    expect(draw(1)).toEqual(draw(1));
    expect(draw(1)).not.toEqual(draw(2));
  });
});
