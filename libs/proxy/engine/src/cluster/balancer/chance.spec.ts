import { describe, expect, it } from '@jest/globals';
import { targetsOf } from '../../../test/targets-of.ts';
import type { Target } from '../target/target.ts';
import type { Balancer } from './balancer.ts';
import { LeastRequest, RandomBalancer } from './random-balancers.ts';
import { seededRandom } from '#platform/foundation';

const PICKS = 20_000;

function shares(balancer: Balancer, targets: readonly Target[]): number[] {
  const picked = Array.from({ length: PICKS }, () => balancer.pick('', []));
  return targets.map((target) => picked.filter((one) => one === target).length / PICKS);
}

describe.each([
  ['random', RandomBalancer],
  ['least_request without load', LeastRequest],
])('%s', (_, Type) => {
  it.each([[[1, 1, 1, 1]], [[1, 2, 5]], [[1000, 1]], [[7]]])(
    'picks each target in proportion to its weight: %j',
    (weights) => {
      const targets = targetsOf(weights);
      const sum = weights.reduce((total, weight) => total + weight, 0);

      const found = shares(new Type(targets, seededRandom(7)), targets);

      for (const [index, share] of found.entries()) {
        expect(Math.abs(share - weights[index]! / sum)).toBeLessThan(0.02);
      }
    },
  );

  it('skips tried targets, and returns undefined without targets', () => {
    const [a, b] = targetsOf([1, 1000]);
    const balancer = new Type([a!, b!], seededRandom(7));

    expect(balancer.pick('', [b!])).toBe(a);
    expect(balancer.pick('', [a!, b!])).toBeDefined();
    expect(balancer.peek()).toBeUndefined();
    expect(new Type([a!], seededRandom(7)).peek()).toBe(a);
    expect(new Type([], seededRandom(7)).pick('', [])).toBeUndefined();
  });
});

describe('least_request', () => {
  it('picks the less loaded of two', () => {
    const [busy, free] = targetsOf([1, 1]);
    busy!.activeRequests = 3;
    free!.activeRequests = 2;

    expect(shares(new LeastRequest([busy!, free!], seededRandom(7)), [busy!, free!])).toEqual([0, 1]);
  });

  it('relates load to weight', () => {
    const [heavy, light] = targetsOf([10, 1]);
    heavy!.activeRequests = 9;
    light!.activeRequests = 1;

    expect(shares(new LeastRequest([heavy!, light!], seededRandom(7)), [heavy!, light!])).toEqual([1, 0]);
  });

  it('draws up to four times to find a second target beside a heavy one', () => {
    const [heavy, light, other] = targetsOf([1_000, 1, 1]);
    heavy!.activeRequests = 5_000;
    const pickedAfter = (heavyDraws: number): Target | undefined => {
      const draws = [...Array<number>(heavyDraws).fill(0), 0.9985];
      const balancer = new LeastRequest([heavy!, light!, other!], () => draws.shift() ?? 0);
      return balancer.pick('', []);
    };

    expect([1, 2, 3, 4].map(pickedAfter)).toEqual([light, light, light, light]);
    expect(pickedAfter(5)).toBe(heavy);
  });

  it('keeps loads within a few requests of each other, where random lets them diverge', () => {
    const spread = (Type: typeof LeastRequest | typeof RandomBalancer): number => {
      const targets = targetsOf(Array.from({ length: 10 }, () => 1));
      const balancer = new Type(targets, seededRandom(7));
      for (let request = 0; request < 2_000; request++) balancer.pick('', [])!.activeRequests += 1;
      const loads = targets.map((target) => target.activeRequests);
      return Math.max(...loads) - Math.min(...loads);
    };

    expect(spread(LeastRequest)).toBeLessThanOrEqual(6);
    expect(spread(RandomBalancer)).toBeGreaterThan(12);
  });
});
