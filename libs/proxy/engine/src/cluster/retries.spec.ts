import { describe, expect, it } from '@jest/globals';
import { InvariantViolation } from '#platform/foundation';
import { clusterConfig, ClusterWorld } from '../../test/cluster-world.ts';
import { Retries } from './retries.ts';

/** So many permits, each given back at once. */
function take(retries: Retries, times: number, budgetPercent: number, nowMs = 0): number {
  const permits = Array.from({ length: times }, () => {
    const permit = retries.take(1, budgetPercent, nowMs);
    permit?.release();
    return permit;
  });
  return permits.filter((permit) => permit !== undefined).length;
}

describe('retries', () => {
  it('are at most so many at the same time', () => {
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

  it('are a share of the requests of the last seconds, and ten in any case', () => {
    const retries = new Retries();

    const inAnyCase = take(retries, 20, 20);
    for (let request = 0; request < 100; request++) retries.noteRequest(0);
    const ofHundred = take(retries, 20, 20);

    expect(inAnyCase).toBe(10);
    expect(ofHundred).toBe(10);
    expect(retries.snapshot(1).overBudget).toBe(20);
  });

  it('have their budget back after ten seconds, and keep it over the turn of five', () => {
    const retries = new Retries();
    take(retries, 20, 20, 0);

    expect(take(retries, 5, 20, 5_000)).toBe(0);
    expect(take(retries, 5, 20, 10_000)).toBe(5);
    expect(take(retries, 20, 20, 60_000)).toBe(10);
  });

  it('give a permit back once', () => {
    const permit = new Retries().take(1, 100, 0);
    permit?.release();

    expect(() => permit?.release()).toThrow(InvariantViolation);
  });

  it('are allowed by the limits of their cluster', async () => {
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
