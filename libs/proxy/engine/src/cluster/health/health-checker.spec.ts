import { describe, expect, it } from '@jest/globals';
import { clusterConfig, ClusterWorld, healthCheck } from '../../../test/cluster-world.ts';
import type { Cluster } from '../cluster.ts';
import type { ProbeResult } from '../target/target.ts';

const ADDRESS = '10.0.0.1:80';
/** The longest interval. */
const PAUSE_MS = 5_500;

const checked = (world: ClusterWorld): Promise<Cluster> =>
  world.configure(clusterConfig(1, { healthCheck: healthCheck() }));
const isHealthy = (cluster: Cluster): boolean => cluster.snapshot().endpoints[0]?.healthy ?? false;

/** Whether the target is healthy after each check. */
async function afterEach(
  world: ClusterWorld,
  cluster: Cluster,
  results: readonly boolean[],
): Promise<boolean[]> {
  const seen: boolean[] = [];
  for (const result of results) {
    if (result) world.pass(ADDRESS);
    else world.fail(ADDRESS);
    const probesBefore = world.probes;
    while (world.probes === probesBefore) await world.timers.turn(100);
    seen.push(isHealthy(cluster));
  }
  return seen;
}

describe('HealthChecker', () => {
  it.each([true, false])('decides at the first check: %s', async (isPassed) => {
    const world = new ClusterWorld();
    if (!isPassed) world.fail(ADDRESS);

    const cluster = await checked(world);

    expect(isHealthy(cluster)).toBe(isPassed);
    expect(world.eventsOf('endpoint_health')).toMatchObject([
      { cluster: 'api', address: ADDRESS, target: ADDRESS, healthy: isPassed },
    ]);
  });

  it('reports no target healthy before the first check', async () => {
    const world = new ClusterWorld();
    world.health.set(ADDRESS, new Promise<ProbeResult>(() => undefined));
    const change = world.clusters.prepare([clusterConfig(1, { healthCheck: healthCheck() })]);
    const [cluster] = change.commit().values();

    expect(isHealthy(cluster!)).toBe(false);
    expect(cluster!.acquire('')).toEqual({ kind: 'no_healthy_endpoint' });
  });

  it('requires its thresholds in a row afterwards', async () => {
    const world = new ClusterWorld();
    const cluster = await checked(world);

    const down = await afterEach(world, cluster, [false, false, true, false, false, false]);
    const up = await afterEach(world, cluster, [true, false, true, true]);

    expect(down).toEqual([true, true, true, true, true, false]);
    expect(up).toEqual([false, false, false, true]);
    expect(world.eventsOf('endpoint_health').map(({ healthy }) => healthy)).toEqual([true, false, true]);
  });

  it('shows the last check', async () => {
    const world = new ClusterWorld();
    const cluster = await checked(world);

    await afterEach(world, cluster, [true, false, false]);

    expect(cluster.snapshot().endpoints[0]).toMatchObject({
      checksPassed: 2,
      checksFailed: 2,
      lastCheck: { latencyMs: 0, result: 'failed', streak: 2, reason: 'status 500 is not expected' },
    });
  });

  it('reports the time of a check by the wall clock', async () => {
    const world = new ClusterWorld();
    const cluster = await checked(world);

    expect(cluster.snapshot().endpoints[0]?.lastCheck?.at).toBe(world.timers.nowMs());
  });

  it('pauses for the interval, ± a tenth, after a check is done', async () => {
    const world = new ClusterWorld();
    await world.configure(clusterConfig(200, { healthCheck: healthCheck() }));

    await world.timers.turn(4_499);
    const early = world.probes;
    await world.timers.turn(501);
    const middle = world.probes;
    await world.timers.turn(500);
    const late = world.probes;

    expect(early).toBe(200);
    expect(middle).toBeGreaterThan(250);
    expect(middle).toBeLessThan(350);
    expect(late).toBe(400);
  });

  it('starts no check while one runs', async () => {
    const world = new ClusterWorld();
    const cluster = await checked(world);
    world.health.set(ADDRESS, new Promise<ProbeResult>(() => undefined));

    await world.timers.turn(10 * PAUSE_MS);

    expect(world.probes).toBe(2);
    expect(isHealthy(cluster)).toBe(true);
  });

  it('stops with its endpoint', async () => {
    const world = new ClusterWorld();
    await checked(world);

    await world.configure(clusterConfig(0, { name: 'other' }));
    await world.timers.turn(10 * PAUSE_MS);

    expect(world.probes).toBe(1);
    expect(world.timers.pending).toBe(0);
  });
});
