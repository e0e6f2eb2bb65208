import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { targetsOf } from '../../../test/targets-of.ts';
import { RoundRobin } from './round-robin.ts';

const weights = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 8 });
const zero = (): number => 0;

describe('RoundRobin', () => {
  it('picks each target in proportion to its weight, in any run as long as the sum of weights', () => {
    fc.assert(
      fc.property(weights, fc.nat(200), (given, skipped) => {
        const targets = targetsOf(given);
        const balancer = new RoundRobin(targets, zero);
        const sum = given.reduce((total, weight) => total + weight, 0);
        for (let pick = 0; pick < skipped; pick++) balancer.pick('', []);

        const picked = Array.from({ length: sum }, () => balancer.pick('', []));

        const counts = targets.map((target) => picked.filter((one) => one === target).length);
        expect(counts).toEqual(new Set(given).size === 1 ? given.map(() => sum / given.length) : given);
      }),
    );
  });

  it('predicts its pick', () => {
    fc.assert(
      fc.property(weights, (given) => {
        const balancer = new RoundRobin(targetsOf(given), zero);

        for (let pick = 0; pick < 50; pick++) expect(balancer.peek()).toBe(balancer.pick('', []));
      }),
    );
  });

  it('spreads a heavy target over the run', () => {
    const targets = targetsOf([5, 1, 1]);
    const balancer = new RoundRobin(targets, zero);

    const picked = Array.from({ length: 7 }, () => targets.indexOf(balancer.pick('', []) ?? targets[0]!));

    expect(picked).toEqual([0, 0, 1, 0, 2, 0, 0]);
  });

  it('skips tried targets while there are others', () => {
    const [a, b, c] = targetsOf([1, 1, 1]);
    const balancer = new RoundRobin([a!, b!, c!], zero);

    const others = Array.from({ length: 6 }, () => balancer.pick('', [a!, c!]));

    expect(new Set(others)).toEqual(new Set([b]));
    expect(balancer.pick('', [a!, b!, c!])).toBeDefined();
    expect(new RoundRobin([], zero).pick('', [])).toBeUndefined();
  });
});
