import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sortedInSteps } from './sorted-in-steps.ts';
import { completed } from './steps.ts';
import { type WideKey, WideMap } from './wide-map.ts';

describe('sortedInSteps', () => {
  it('returns the order of a stable sort', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(500), { maxLength: 1_500, size: 'max' }), (keys) => {
        const compare = (a: number, b: number): number => (keys[a] ?? 0) - (keys[b] ?? 0);
        const places = Uint32Array.from(keys.keys());
        const expected = [...keys.keys()].sort(compare);

        expect([...completed(sortedInSteps(places, compare))]).toEqual(expected);
      }),
    );
  });

  it('makes few comparisons per step', () => {
    const items = Uint32Array.from({ length: 20_000 }, (_, at) => (at * 7_919) % 20_000);
    let [compared, most] = [0, 0];
    const steps = sortedInSteps(items, (a, b) => {
      compared++;
      return a - b;
    });
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) {
      most = Math.max(most, compared);
      compared = 0;
    }

    expect([...step.value]).toEqual(Array.from(items.keys()));
    expect(most).toBeLessThan(100);
  });
});

describe('WideMap', () => {
  it('holds the same entries as a Map, in insertion order', () => {
    const key = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
    fc.assert(
      fc.property(fc.array(fc.tuple(key, fc.nat()), { maxLength: 300, size: 'max' }), (pairs) => {
        const map = new Map<WideKey, number>();
        const wide = new WideMap<number>();
        for (const [name, value] of pairs) {
          expect(wide.get(name)).toBe(map.get(name));
          if (!map.has(name)) wide.add(name, value);
          if (!map.has(name)) map.set(name, value);
        }

        for (const [name] of pairs) expect(wide.get(name)).toBe(map.get(name));
        expect([...wide.values()]).toEqual([...map.values()]);
      }),
    );
  });

  it('keeps the order for any number of keys', () => {
    const KEYS = 150_000;
    const wide = new WideMap<number>();
    const keyOf = (at: number): WideKey => (at % 2 === 0 ? `key ${String(at * 7_919)}` : at);
    for (let at = 0; at < KEYS; at++) wide.add(keyOf(at), at);
    const wrong = Array.from({ length: KEYS }, (_, at) => at).filter((at) => wide.get(keyOf(at)) !== at);
    const moved = [...wide.values()].filter((value, at) => value !== at);

    expect(wrong).toEqual([]);
    expect(moved).toEqual([]);
    expect([wide.get('key'), wide.get(0), wide.get(null)]).toEqual([undefined, undefined, undefined]);
  });
});
