import { describe, expect, it } from '@jest/globals';
import { InvariantViolation } from '#platform/foundation';
import { clusterConfig, ClusterWorld } from '../../test/cluster-world.ts';
import { Retries } from './retries.ts';

/** Takes this many permits, each released at once. */
function take(retries: Retries, times: number, budgetPercent: number, nowMs = 0): number {
  const permits = Array.from({ length: times }, () => {
    const permit = retries.take(1, budgetPercent, nowMs);
    permit?.release();
    return permit;
  });
  return permits.filter((permit) => permit !== undefined).length;
}

describe('Retries', () => {
  it('limits simultaneous retries', () => {
    const retries = new Retries();
    const [first, second] = [retries.take(2, 100, 0), retries.take(2, 100, 0)];

    const third = retries.take(2, 100, 0);
    first?.release();
    const fourth = retries.take(2, 100, 0);
    second?.release();
    fourth?.release();

    expect(third).toBeUndefined();
    expect(fourth).toBeDefined();
    expect(retries.snapshot(2)).toEqual({ active: 0, limit: 2, made: 3, overLimit: 1, overBudget: 0 });
  });

  it('allows a share of the recent requests, and at least ten', () => {
    const retries = new Retries();

    const inAnyCase = take(retries, 20, 20);
    for (let request = 0; request < 100; request++) retries.noteRequest(0);
    const ofHundred = take(retries, 20, 20);

    expect(inAnyCase).toBe(10);
    expect(ofHundred).toBe(10);
    expect(retries.snapshot(1).overBudget).toBe(20);
  });

  it('restores the budget after ten seconds, and keeps it across the change of a window', () => {
    const retries = new Retries();
    take(retries, 20, 20, 0);

    expect(take(retries, 5, 20, 5_000)).toBe(0);
    expect(take(retries, 5, 20, 10_000)).toBe(5);
    expect(take(retries, 20, 20, 60_000)).toBe(10);
  });

  it('releases a permit once', () => {
    const permit = new Retries().take(1, 100, 0);
    permit?.release();

    expect(() => permit?.release()).toThrow(InvariantViolation);
  });

  it('applies the limits of the cluster', async () => {
    const retry = {
      on: { connectFailure: true, resetBeforeHeaders: true, statusCodes: [] },
      max: 1,
      methods: 'idempotent',
      budgetPercent: 20,
    } as const;
    const world = new ClusterWorld();
    const never = await world.configure(clusterConfig(1, { name: 'never' }));
    const cluster = await world.configure(clusterConfig(1, { retry }));

    const permits = Array.from({ length: 4 }, () => cluster.acquireRetry());

    expect(never.acquireRetry()).toBeUndefined();
    expect(permits.map((permit) => permit !== undefined)).toEqual([true, true, true, false]);
    expect(cluster.snapshot().retries).toMatchObject({ active: 3, limit: 3, overLimit: 1 });
  });
});
