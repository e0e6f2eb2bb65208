import { describe, expect, it } from '@jest/globals';
import { clusterConfig, ClusterWorld, endpoint, healthCheck, leaseOf } from '../../test/cluster-world.ts';
import { settled } from '../../test/turned-timers.ts';
import type { ProbeResult } from './target/target.ts';

const NAME = 'api.internal:80';
const named = (changes: Parameters<typeof clusterConfig>[1] = {}): ReturnType<typeof clusterConfig> =>
  clusterConfig(0, { endpoints: [endpoint(NAME, 3)], ...changes });

describe('Endpoint with a host name', () => {
  it('has a target for each address, with its weight, and is one row', async () => {
    const world = new ClusterWorld();
    world.names.set('api.internal', ['10.0.0.1', '::1']);
    const cluster = await world.configure(named());

    leaseOf(cluster.acquire(''));
    leaseOf(cluster.acquire(''));

    expect(cluster.targets.map(({ address, weight }) => [address, weight])).toEqual([
      ['10.0.0.1:80', 3],
      ['[::1]:80', 3],
    ]);
    expect(cluster.snapshot().endpoints).toMatchObject([
      {
        address: NAME,
        healthy: true,
        activeRequests: 2,
        targets: [{ activeRequests: 1 }, { activeRequests: 1 }],
      },
    ]);
  });

  it('is healthy while any of its addresses is', async () => {
    const world = new ClusterWorld();
    world.names.set('api.internal', ['10.0.0.1', '10.0.0.2']);
    world.fail('10.0.0.1:80');
    const cluster = await world.configure(named({ healthCheck: healthCheck() }));

    const [row] = cluster.snapshot().endpoints;

    expect(row).toMatchObject({ healthy: true, targets: [{ healthy: false }, { healthy: true }] });
    expect(leaseOf(cluster.acquire('')).target.address).toBe('10.0.0.2:80');
  });

  it('is resolved again, keeps remaining targets, and retires the others', async () => {
    const world = new ClusterWorld();
    world.names.set('api.internal', ['10.0.0.1', '10.0.0.2']);
    const cluster = await world.configure(named());
    const [first, second] = cluster.targets;
    const lease = leaseOf(cluster.acquire(''));
    let retired = 0;
    first!.onRetired(() => (retired += 1));

    world.names.set('api.internal', ['10.0.0.2', '10.0.0.3']);
    await world.timers.turn(30_000);

    expect(cluster.targets.map(({ address }) => address)).toEqual(['10.0.0.2:80', '10.0.0.3:80']);
    expect(cluster.targets[0]).toBe(second);
    expect([first!.isRetired, second!.isRetired, retired]).toEqual([true, false, 1]);
    expect(cluster.snapshot().endpoints[0]).toMatchObject({ activeRequests: 1 });
    lease.release('success', 200);
    expect(cluster.snapshot().endpoints[0]).toMatchObject({
      activeRequests: 0,
      requestsByClass: { '2xx': 1 },
    });
    expect(world.eventsOf('endpoint_resolved').map(({ targets }) => targets)).toEqual([
      ['10.0.0.1:80', '10.0.0.2:80'],
      ['10.0.0.2:80', '10.0.0.3:80'],
    ]);
  });

  it('checks new addresses before they replace the old ones', async () => {
    const world = new ClusterWorld();
    world.names.set('api.internal', ['10.0.0.1']);
    const cluster = await world.configure(named({ healthCheck: healthCheck() }));
    let answer: (result: ProbeResult) => void = () => undefined;
    world.health.set('10.0.0.2:80', new Promise((resolve) => (answer = resolve)));

    world.names.set('api.internal', ['10.0.0.2']);
    await world.timers.turn(30_000);
    const during = cluster.available.map(({ address }) => address);
    answer({ isPassed: true, reason: 'status 200' });
    await settled();

    expect(during).toEqual(['10.0.0.1:80']);
    expect(cluster.available.map(({ address }) => address)).toEqual(['10.0.0.2:80']);
  });

  it.each([
    ['changed', healthCheck({ intervalMs: 7_000 })],
    ['switched off', undefined],
  ])('puts new addresses in service also when checks are %s while they run', async (_, check) => {
    const world = new ClusterWorld();
    world.names.set('api.internal', ['10.0.0.1']);
    const cluster = await world.configure(named({ healthCheck: healthCheck() }));
    let answer: (result: ProbeResult) => void = () => undefined;
    world.health.set('10.0.0.2:80', new Promise((resolve) => (answer = resolve)));
    world.names.set('api.internal', ['10.0.0.2']);
    await world.timers.turn(30_000);

    await world.configure(named({ healthCheck: check }));
    answer({ isPassed: true, reason: 'status 200' });
    await settled();

    expect(cluster.available.map(({ address }) => address)).toEqual(['10.0.0.2:80']);
    const probes = world.probes;
    await world.timers.turn(21_000);
    expect(world.probes > probes).toBe(check !== undefined);
  });

  it('keeps its targets when the name cannot be resolved, reports it once, and retries sooner', async () => {
    const world = new ClusterWorld();
    world.names.set('api.internal', ['10.0.0.1']);
    const cluster = await world.configure(named());

    world.names.delete('api.internal');
    await world.timers.turn(30_000 + 1_000 + 2_000);
    const during = cluster.snapshot().endpoints[0];
    world.names.set('api.internal', ['10.0.0.1']);
    await world.timers.turn(4_000);
    const after = cluster.snapshot().endpoints[0];

    expect(during).toMatchObject({
      healthy: true,
      resolveFault: 'ENOTFOUND',
      targets: [{ address: '10.0.0.1:80' }],
    });
    expect(after).toMatchObject({ healthy: true, resolveFault: undefined });
    expect(world.eventsOf('endpoint_resolved').map(({ fault }) => fault)).toEqual([
      undefined,
      'ENOTFOUND',
      undefined,
    ]);
  });

  it('has no target before its first resolution', async () => {
    const world = new ClusterWorld();
    const cluster = await world.configure(named());

    const before = [cluster.acquire(''), cluster.snapshot().endpoints[0]?.healthy];
    world.names.set('api.internal', []);
    await world.timers.turn(1_000);
    const empty = cluster.snapshot().endpoints[0];
    world.names.set('api.internal', ['10.0.0.1']);
    await world.timers.turn(2_000);

    expect(before).toEqual([{ kind: 'no_healthy_endpoint' }, false]);
    expect(empty).toMatchObject({ resolveFault: 'ENODATA', targets: [] });
    expect(cluster.acquire('').kind).toBe('lease');
  });

  it('never resolves later than its interval', async () => {
    const world = new ClusterWorld();
    const cluster = await world.configure(named({ dnsRefreshMs: 5_000 }));
    await world.timers.turn(300_000);

    world.names.set('api.internal', ['10.0.0.1']);
    await world.timers.turn(5_000);

    expect(cluster.available).toHaveLength(1);
  });
});

describe('Endpoint, switched by an operator', () => {
  it('gets no new requests while it is disabled, and keeps those it has', async () => {
    const world = new ClusterWorld();
    const cluster = await world.configure(clusterConfig(2));
    const change = { cluster: 'api', address: '10.0.0.1:80', isEnabled: false };
    const lease = leaseOf(cluster.acquire(''));

    const isDone = world.clusters.setEndpoint(change);
    const targets = [leaseOf(cluster.acquire('')), leaseOf(cluster.acquire(''))].map(
      ({ target }) => target.ip,
    );

    expect(isDone).toBe(true);
    expect(lease.target.ip).toBe('10.0.0.1');
    expect(targets).toEqual(['10.0.0.2', '10.0.0.2']);
    expect(cluster.snapshot().endpoints[0]).toMatchObject({
      healthy: false,
      isDisabled: true,
      activeRequests: 1,
    });
    world.clusters.setEndpoint({ ...change, isEnabled: true });
    world.clusters.setEndpoint({ ...change, isEnabled: true });
    expect(cluster.available).toHaveLength(2);
    expect(world.eventsOf('endpoint_switched').map(({ isEnabled }) => isEnabled)).toEqual([false, true]);
  });

  it('stays disabled when its name is resolved again', async () => {
    const world = new ClusterWorld();
    world.names.set('api.internal', ['10.0.0.1']);
    const cluster = await world.configure(named());
    world.clusters.setEndpoint({ cluster: 'api', address: NAME, isEnabled: false });

    world.names.set('api.internal', ['10.0.0.2']);
    await world.timers.turn(30_000);

    expect(cluster.targets).toHaveLength(1);
    expect(cluster.available).toEqual([]);
  });

  it('is not found when it does not exist', async () => {
    const world = new ClusterWorld();
    await world.configure(clusterConfig(1));

    expect(world.clusters.setEndpoint({ cluster: 'api', address: '10.0.0.9:80', isEnabled: true })).toBe(
      false,
    );
    expect(world.clusters.setEndpoint({ cluster: 'no', address: '10.0.0.1:80', isEnabled: true })).toBe(
      false,
    );
  });
});
