import { describe, expect, it } from '@jest/globals';
import { InvariantViolation } from '#platform/foundation';
import { clusterConfig, ClusterWorld, endpoint, healthCheck, leaseOf } from '../../test/cluster-world.ts';
import { settled } from '../../test/turned-timers.ts';
import type { ProbeResult } from './target/target.ts';

describe('Clusters, on a reload', () => {
  it('keeps clusters by name and targets by address, with their health, counts and ejections', async () => {
    const world = new ClusterWorld();
    const outlierDetection = {
      consecutive5xx: 1,
      consecutiveConnectFailures: 1,
      baseEjectionTimeMs: 30_000,
      maxEjectionPercent: 100,
    };
    world.fail('10.0.0.3:80');
    const config = clusterConfig(3, { outlierDetection, healthCheck: healthCheck() });
    const cluster = await world.configure(config);
    leaseOf(cluster.acquire('')).release('status_5xx', 500);
    const [first, second, third] = cluster.targets;
    const inFlight = leaseOf(cluster.acquire(''));

    const same = await world.configure({
      ...config,
      lbPolicy: 'random',
      endpoints: [endpoint('10.0.0.3:80', 9), endpoint('10.0.0.2:80'), endpoint('10.0.0.1:80')],
    });

    expect(same).toBe(cluster);
    expect(same.targets).toEqual([third, second, first]);
    expect(same.targets.map(({ weight }) => weight)).toEqual([9, 1, 1]);
    expect(same.snapshot()).toMatchObject({
      lbPolicy: 'random',
      breaker: { max_connections: { used: 1 } },
      endpoints: [
        { address: '10.0.0.3:80', healthy: false, weight: 9, isEjected: false },
        { address: '10.0.0.2:80', healthy: true, activeRequests: 1 },
        { address: '10.0.0.1:80', healthy: false, isEjected: true, requestsByClass: { '5xx': 1 } },
      ],
    });
    expect(world.probes).toBe(3);
    inFlight.release('success', 200);
    expect(same.snapshot().breaker.max_connections.used).toBe(0);
  });

  it('checks new endpoints before they are in service', async () => {
    const world = new ClusterWorld();
    const config = clusterConfig(1, { healthCheck: healthCheck() });
    const cluster = await world.configure(config);
    let answer: (result: ProbeResult) => void = () => undefined;
    world.health.set('10.0.0.2:80', new Promise((resolve) => (answer = resolve)));

    const change = world.clusters.prepare([{ ...config, endpoints: [endpoint('10.0.0.2:80')] }]);
    const warm = change.warm();
    await settled();
    const during = cluster.available.map(({ address }) => address);
    answer({ isPassed: true, reason: 'status 200' });
    await warm;
    change.commit();

    expect(during).toEqual(['10.0.0.1:80']);
    expect(cluster.available.map(({ address }) => address)).toEqual(['10.0.0.2:80']);
  });

  it('limits the wait for new endpoints', async () => {
    const world = new ClusterWorld();
    world.health.set('10.0.0.1:80', new Promise<ProbeResult>(() => undefined));
    const change = world.clusters.prepare([clusterConfig(1, { healthCheck: healthCheck() })]);

    const warm = change.warm();
    await world.timers.turn(10_000);

    await expect(warm).resolves.toBeUndefined();
  });

  it('changes nothing when the reload is abandoned', async () => {
    const world = new ClusterWorld();
    const config = clusterConfig(1, { healthCheck: healthCheck() });
    const cluster = await world.configure(config);
    const before = world.clusters.live;
    const timersBefore = world.timers.pending;

    const change = world.clusters.prepare([
      clusterConfig(2, { healthCheck: healthCheck() }),
      clusterConfig(1, { name: 'other', healthCheck: healthCheck() }),
    ]);
    await change.warm();
    change.abandon();

    expect(world.clusters.live).toBe(before);
    expect(cluster.config).toBe(config);
    expect(cluster.targets).toHaveLength(1);
    expect(world.timers.pending).toBe(timersBefore);
    expect(() => change.commit()).toThrow(InvariantViolation);
  });

  it('allows one change at a time', () => {
    const { clusters } = new ClusterWorld();
    const change = clusters.prepare([]);

    expect(() => clusters.prepare([])).toThrow(InvariantViolation);
    change.commit();
    expect(() => clusters.prepare([])).not.toThrow();
  });

  it('lets requests of a removed cluster complete, and keeps its breaker counts', async () => {
    const world = new ClusterWorld();
    const circuitBreaker = {
      maxConnections: 1,
      maxPendingRequests: 1,
      maxRequests: 9,
      maxRetries: 0,
      maxRequestsPerClient: undefined,
    };
    const old = await world.configure(clusterConfig(1, { circuitBreaker }));
    const lease = leaseOf(old.acquire(''));
    const placed: string[] = [];
    const waiter = { placed: ({ kind }: { kind: string }) => void placed.push(kind) };
    old.acquire('', waiter);
    old.acquire('', waiter);

    await world.configure(clusterConfig(1, { name: 'other' }));
    lease.release('success', 200);

    expect(placed).toEqual(['lease']);
    expect(lease.target.isRetired).toBe(true);
    expect(world.clusters.snapshot().map(({ name }) => name)).toEqual(['other']);
    expect(world.clusters.breakerRejections()).toMatchObject([
      { cluster: 'api', rejected: { max_pending_requests: 1 } },
      { cluster: 'other', rejected: { max_pending_requests: 0 } },
    ]);
    const again = await world.configure(clusterConfig(1, { circuitBreaker }));
    expect(again).not.toBe(old);
    expect(again.snapshot().breaker.max_pending_requests.rejected).toBe(1);
  });

  it.each(['turned on', 'turned off', 'changed'])(
    'keeps the state of targets when checks are %s',
    async (how) => {
      const world = new ClusterWorld();
      const [without, with_] = [clusterConfig(1), clusterConfig(1, { healthCheck: healthCheck() })];
      const changed = clusterConfig(1, { healthCheck: healthCheck({ intervalMs: 1_000 }) });
      world.fail('10.0.0.1:80');
      const [before, after] =
        how === 'turned on' ? [without, with_] : [with_, how === 'changed' ? changed : without];
      const cluster = await world.configure(before);
      const [target] = cluster.targets;
      const wasHealthy = target!.isHealthy;

      const change = world.clusters.prepare([after]);
      change.commit();
      const isHealthy = target!.isHealthy;
      await world.timers.turn(3_000);

      expect(cluster.targets).toEqual([target]);
      expect(wasHealthy).toBe(how === 'turned on');
      expect(isHealthy).toBe(how !== 'changed');
      expect(cluster.available).toHaveLength(how === 'turned off' ? 1 : 0);
      expect(world.probes).toBe({ 'turned on': 1, 'turned off': 1, changed: 4 }[how]);
    },
  );
});

describe('a first check that is not answered', () => {
  const config = clusterConfig(1, { healthCheck: healthCheck() });
  const unanswered = async () => {
    const world = new ClusterWorld();
    world.health.set('10.0.0.1:80', new Promise<ProbeResult>(() => undefined));
    const change = world.clusters.prepare([config]);
    void change.warm();
    await world.timers.turn(10_000);
    return { world, change };
  };

  it.each<[string, (found: Awaited<ReturnType<typeof unanswered>>) => unknown]>([
    [
      'the end of the clusters',
      ({ world, change }) => {
        change.commit();
        world.clusters.stop();
      },
    ],
    ['an abandoned change', ({ change }) => change.abandon()],
    [
      'a reload that removes the endpoint',
      ({ world, change }) => {
        change.commit();
        world.clusters.prepare([clusterConfig(0)]).commit();
      },
    ],
  ])('ends with %s, without a result', async (_, end) => {
    const found = await unanswered();
    const { world } = found;
    expect(world.probing).toBe(1);

    await end(found);
    await settled();

    expect([world.probing, world.timers.pending, world.events]).toEqual([0, 0, []]);
  });
});

describe('many endpoints', () => {
  it('share the durations of their cluster beyond the first thousand', async () => {
    const world = new ClusterWorld();
    const endpoints = (from: number, count: number): ReturnType<typeof endpoint>[] =>
      Array.from({ length: count }, (_, index) =>
        endpoint(`10.1.${(from + index) >> 8}.${(from + index) & 255}:80`),
      );
    const first = clusterConfig(0, { endpoints: endpoints(0, 999) });
    const second = clusterConfig(0, { name: 'second', endpoints: endpoints(999, 3) });
    await world.configure(first, second);
    const cluster = world.clusters.live.get('second')!;

    cluster.targets.forEach(() => leaseOf(cluster.acquire('')).release('success', 200));
    const { endpoints: rows, durations } = cluster.snapshot();

    expect(rows.map((row) => row.durations?.count)).toEqual([1, undefined, undefined]);
    expect(durations?.count).toBe(2);
    expect(world.clusters.live.get('api')!.snapshot().durations).toBeUndefined();
  });
});

describe('Clusters.stop', () => {
  it('leaves no timer behind, and takes leases back', async () => {
    const world = new ClusterWorld();
    world.names.set('a.internal', ['10.0.0.9']);
    const endpoints = [endpoint('a.internal:80'), endpoint('10.0.0.1:80')];
    const cluster = await world.configure(clusterConfig(0, { endpoints, healthCheck: healthCheck() }));
    const lease = leaseOf(cluster.acquire(''));

    world.clusters.stop();
    lease.release('success', 200);

    expect(world.timers.pending).toBe(0);
    expect(cluster.snapshot().breaker.max_connections.used).toBe(0);
  });
});
