import { describe, expect, it } from '@jest/globals';
import { clusterConfig, ClusterWorld, healthCheck, leaseOf } from '../../test/cluster-world.ts';
import { explainCluster } from './explain-request.ts';

describe('explainCluster', () => {
  it.each([
    ['round_robin', '10.0.0.1:80', 'next in turn'],
    ['ring_hash', undefined, 'first on the ring'],
    ['random', undefined, 'one of 3, at random'],
    ['least_request', undefined, 'one of 3, at random'],
  ] as const)('reports the choice of %s, and takes no place', async (lbPolicy, endpoint, reason) => {
    const cluster = await new ClusterWorld().configure(clusterConfig(3, { lbPolicy }));

    const verdict = explainCluster(cluster, 'key');

    expect(verdict).toMatchObject({ name: 'api', lbPolicy, reason });
    if (endpoint !== undefined) expect(verdict.endpoint).toBe(endpoint);
    if (lbPolicy !== 'random' && lbPolicy !== 'least_request') {
      expect(leaseOf(cluster.acquire('key')).target.endpoint.text).toBe(verdict.endpoint);
    } else expect(verdict.endpoint).toBeUndefined();
    expect(cluster.snapshot().retries.active).toBe(0);
  });

  it('reports why a target is skipped', async () => {
    const world = new ClusterWorld();
    world.fail('10.0.0.2:80');
    const outlierDetection = {
      consecutive5xx: 1,
      consecutiveConnectFailures: 1,
      baseEjectionTimeMs: 30_000,
      maxEjectionPercent: 100,
    };
    const cluster = await world.configure(clusterConfig(4, { healthCheck: healthCheck(), outlierDetection }));
    leaseOf(cluster.acquire('')).release('status_5xx', 500);
    world.clusters.setEndpoint({ cluster: 'api', address: '10.0.0.3:80', isEnabled: false });

    const { targets, endpoint, reason } = explainCluster(cluster, '');

    expect([endpoint, reason]).toEqual(['10.0.0.4:80', 'the only available endpoint']);
    expect(targets.map(({ isAvailable }) => isAvailable)).toEqual([false, false, false, true]);
    expect(targets.map((target) => target.reason)).toEqual([
      `ejected until ${new Date(world.timers.nowMs() + 30_000).toISOString()}`,
      'unhealthy: status 500 is not expected',
      'disabled by an operator',
      'last check: status 200',
    ]);
  });

  it('reports that no target is available', async () => {
    const world = new ClusterWorld();
    world.fail('10.0.0.1:80');
    const cluster = await world.configure(
      clusterConfig(1, { lbPolicy: 'ring_hash', healthCheck: healthCheck() }),
    );

    expect(explainCluster(cluster, 'key')).toMatchObject({
      endpoint: undefined,
      reason: 'no endpoint is available: the answer would be 503',
    });
  });
});
