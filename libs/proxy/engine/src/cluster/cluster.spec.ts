import { describe, expect, it } from '@jest/globals';
import { InvariantViolation } from '#platform/foundation';
import { clusterConfig, ClusterWorld, endpoint, healthCheck, leaseOf } from '../../test/cluster-world.ts';
import type { CircuitBreakerConfig } from '../config/proxy-config.ts';
import type { Cluster } from './cluster.ts';
import type { Lease, Refusal } from './lease.ts';
import type { WaitingPlace } from './waiting-line.ts';

const limits = (changes: Partial<CircuitBreakerConfig>): CircuitBreakerConfig => {
  return {
    maxConnections: 100,
    maxPendingRequests: 100,
    maxRequests: 100,
    maxRetries: 3,
    maxRequestsPerClient: undefined,
    ...changes,
  };
};

/** A request that keeps its lease or refusal. */
class Request {
  place: Lease | Refusal | WaitingPlace | undefined;

  constructor(cluster: Cluster) {
    const waiter = { placed: (place: Lease | Refusal): void => void (this.place = place) };
    this.place = cluster.acquire('', waiter);
  }
}

describe('Cluster.acquire', () => {
  it('returns a lease, which counts as active until it is released', async () => {
    const cluster = await new ClusterWorld().configure(clusterConfig(1));

    const lease = leaseOf(cluster.acquire(''));
    const [during] = cluster.snapshot().endpoints;
    lease.release('success', 204);
    const [after] = cluster.snapshot().endpoints;

    expect(lease.target.address).toBe('10.0.0.1:80');
    expect(during).toMatchObject({ activeRequests: 1, requestsTotal: 1 });
    expect(after).toMatchObject({ activeRequests: 0, requestsTotal: 1, requestsByClass: { '2xx': 1 } });
  });

  it('reports a second release as a defect', async () => {
    const cluster = await new ClusterWorld().configure(clusterConfig(1));
    const lease = leaseOf(cluster.acquire(''));
    lease.release('success', 200);

    expect(() => lease.release('reset')).toThrow(InvariantViolation);
    expect(cluster.snapshot().breaker.max_connections.used).toBe(0);
  });

  it('rejects when no target is healthy, and counts that apart from the breaker', async () => {
    const world = new ClusterWorld();
    world.fail('10.0.0.1:80');
    const cluster = await world.configure(clusterConfig(1, { healthCheck: healthCheck() }));

    expect(cluster.acquire('')).toEqual({ kind: 'no_healthy_endpoint' });
    expect(cluster.acquireConnection('')).toEqual({ kind: 'no_healthy_endpoint' });
    expect(cluster.snapshot().noHealthyEndpoint).toBe(2);
    expect(world.clusters.breakerRejections()).toEqual([
      {
        cluster: 'api',
        rejected: {
          max_connections: 0,
          max_pending_requests: 0,
          max_requests: 0,
          max_requests_per_client: 0,
        },
      },
    ]);
  });

  it('names the limit that rejects', async () => {
    const world = new ClusterWorld();
    const refusalBy = async (changes: Partial<CircuitBreakerConfig>): Promise<unknown> => {
      const cluster = await world.configure(clusterConfig(1, { circuitBreaker: limits(changes) }));
      const requests = [new Request(cluster), new Request(cluster), new Request(cluster)];
      const { place } = requests[2]!;
      for (const { place: each } of requests) {
        if (each?.kind === 'lease') each.release('success', 200);
        else if (each?.kind === 'waiting') each.leave();
      }
      return place;
    };

    expect(await refusalBy({ maxRequests: 2 })).toEqual({
      kind: 'overloaded',
      limit: 'max_requests',
      max: 2,
    });
    expect(await refusalBy({ maxConnections: 1, maxPendingRequests: 1 })).toEqual({
      kind: 'overloaded',
      limit: 'max_pending_requests',
      max: 1,
    });
    expect(await refusalBy({ maxConnections: 2, maxPendingRequests: 0 })).toEqual({
      kind: 'overloaded',
      limit: 'max_connections',
      max: 2,
    });
  });

  it('emits a tripped breaker once in ten seconds, with the number of rejections', async () => {
    const world = new ClusterWorld();
    const cluster = await world.configure(clusterConfig(1, { circuitBreaker: limits({ maxRequests: 1 }) }));
    leaseOf(cluster.acquire(''));

    for (let request = 0; request < 5; request++) cluster.acquire('');
    await world.timers.turn(10_000);
    cluster.acquire('');

    const tripped = { cluster: 'api', limit: 'max_requests', max: 1 };
    expect(world.eventsOf('breaker_tripped')).toMatchObject([
      { ...tripped, rejected: 1 },
      { ...tripped, rejected: 5 },
    ]);
  });
});

describe('waiting line of a cluster', () => {
  it('serves in order of arrival, and drops requests that leave', async () => {
    const cluster = await new ClusterWorld().configure(
      clusterConfig(1, { circuitBreaker: limits({ maxConnections: 1 }) }),
    );
    const first = leaseOf(cluster.acquire(''));
    const [second, third, fourth] = [new Request(cluster), new Request(cluster), new Request(cluster)];
    if (third.place?.kind === 'waiting') third.place.leave();

    first.release('success', 200);

    expect([second, third, fourth].map(({ place }) => place?.kind)).toEqual(['lease', 'waiting', 'waiting']);
    if (second.place?.kind === 'lease') second.place.release('success', 200);
    expect(fourth.place?.kind).toBe('lease');
    expect(third.place?.kind).toBe('waiting');
  });

  it('serves iteratively, however many leases are released at once', async () => {
    const cluster = await new ClusterWorld().configure(
      clusterConfig(1, { circuitBreaker: limits({ maxConnections: 1, maxPendingRequests: 20_000 }) }),
    );
    const first = leaseOf(cluster.acquire(''));
    let served = 0;
    const placed = (place: Lease | Refusal): void => {
      served += 1;
      if (place.kind === 'lease') place.release('connect_failure');
    };
    for (let request = 0; request < 20_000; request++) cluster.acquire('', { placed });

    first.release('success', 200);

    expect(served).toBe(20_000);
    expect(cluster.snapshot().endpoints[0]).toMatchObject({ activeRequests: 0, connectFailures: 20_000 });
  });

  it('waits for the request limit too, when TCP leaves a connection free', async () => {
    const circuitBreaker = limits({ maxConnections: 3, maxRequests: 2 });
    const cluster = await new ClusterWorld().configure(clusterConfig(1, { circuitBreaker }));
    const streams = [cluster.acquireConnection(''), cluster.acquireConnection('')].map(leaseOf);
    const requests = [new Request(cluster), new Request(cluster), new Request(cluster)];

    for (const stream of streams) stream.release('success');

    expect(requests.map(({ place }) => place?.kind)).toEqual(['lease', 'lease', 'waiting']);
  });

  it('is not overtaken by a request that arrives while the line is served', async () => {
    const cluster = await new ClusterWorld().configure(
      clusterConfig(1, { circuitBreaker: limits({ maxConnections: 1 }) }),
    );
    const first = leaseOf(cluster.acquire(''));
    let late: Request | undefined;
    const placed = (place: Lease | Refusal): void => {
      leaseOf(place).release('success', 200);
      late = new Request(cluster);
    };
    cluster.acquire('', { placed });
    const second = new Request(cluster);

    first.release('success', 200);

    expect(second.place?.kind).toBe('lease');
    expect(late?.place?.kind).toBe('waiting');
  });

  it('rejects all when no target is healthy any more, and advances when a reload raises the limits', async () => {
    const world = new ClusterWorld();
    const config = clusterConfig(1, { circuitBreaker: limits({ maxConnections: 1 }) });
    const cluster = await world.configure(config);
    const first = leaseOf(cluster.acquire(''));
    const [second, third] = [new Request(cluster), new Request(cluster)];

    await world.configure({ ...config, circuitBreaker: limits({ maxConnections: 2 }) });
    world.clusters.setEndpoint({ cluster: 'api', address: '10.0.0.1:80', isEnabled: false });
    first.release('success', 200);

    expect(second.place?.kind).toBe('lease');
    expect(third.place).toEqual({ kind: 'no_healthy_endpoint' });
  });
});

describe('Cluster.acquireConnection', () => {
  it('counts a connection but no request, and never waits', async () => {
    const cluster = await new ClusterWorld().configure(
      clusterConfig(1, { circuitBreaker: limits({ maxConnections: 2, maxRequests: 1 }) }),
    );
    const leases = [leaseOf(cluster.acquireConnection('')), leaseOf(cluster.acquireConnection(''))];

    expect(cluster.acquireConnection('')).toEqual({ kind: 'overloaded', limit: 'max_connections', max: 2 });
    expect(cluster.snapshot().breaker).toMatchObject({
      max_connections: { used: 2 },
      max_requests: { used: 0 },
    });
    for (const lease of leases) lease.release('success');
    expect(cluster.snapshot().breaker.max_connections.used).toBe(0);
  });
});

describe('durations of a cluster', () => {
  it('include only requests that reflect on the endpoint', async () => {
    const world = new ClusterWorld();
    const cluster = await world.configure(clusterConfig(1));
    const [request, aborted, websocket] = [cluster.acquire(''), cluster.acquire(''), cluster.acquire('')];
    const tcp = cluster.acquireConnection('');
    await world.timers.turn(200);

    leaseOf(request).release('success', 200);
    leaseOf(aborted).release('client_gone');
    leaseOf(websocket).release('success', 101);
    leaseOf(tcp).release('success');

    const [{ durations, clientAborts } = { durations: undefined, clientAborts: 0 }] =
      cluster.snapshot().endpoints;
    expect(durations).toMatchObject({ count: 1, sumSeconds: 0.2 });
    expect(clientAborts).toBe(1);
  });
});

describe('tried targets', () => {
  it.each(['round_robin', 'least_request', 'random', 'ring_hash'] as const)(
    'are skipped by %s when there are others',
    async (lbPolicy) => {
      const cluster = await new ClusterWorld().configure(
        clusterConfig(0, { lbPolicy, endpoints: [endpoint('10.0.0.1:80', 100), endpoint('10.0.0.2:80', 1)] }),
      );
      const end = { outcome: 'status_5xx', statusCode: 503 } as const;
      const first = leaseOf(cluster.acquire('key'));
      const second = leaseOf(first.passOn(end, { key: 'key', tried: [first.target] }));
      const tried = [first.target, second.target];
      const third = leaseOf(second.passOn(end, { key: 'key', tried }));

      expect(second.target).not.toBe(first.target);
      third.release('success', 200);
      expect(cluster.snapshot().breaker.max_requests.used).toBe(0);
    },
  );
});

describe('a request that is tried again', () => {
  it('keeps its place before those that wait', async () => {
    const limits = { ...clusterConfig(2).circuitBreaker, maxConnections: 1 };
    const cluster = await new ClusterWorld().configure(clusterConfig(2, { circuitBreaker: limits }));
    const placed: string[] = [];
    const first = leaseOf(cluster.acquire(''));
    cluster.acquire('', { placed: () => placed.push('waiting') });

    const tried = [first.target];
    const second = first.passOn({ outcome: 'connect_failure', statusCode: 0 }, { key: '', tried });

    expect(leaseOf(second).target).not.toBe(first.target);
    expect(placed).toEqual([]);
    leaseOf(second).release('success', 200);
    expect(placed).toEqual(['waiting']);
  });
});

describe.each(['round_robin', 'least_request', 'random', 'ring_hash'] as const)(
  'a target that could not be connected, with %s',
  (lbPolicy) => {
    const picks = (cluster: Cluster, count: number): string[] =>
      Array.from({ length: count }, (_, index) => {
        const lease = leaseOf(cluster.acquire(`key ${index}`));
        lease.release('client_gone');
        return lease.target.ip;
      });
    const failOn = (cluster: Cluster, ip: string): void => {
      for (let index = 0; ; index++) {
        const lease = leaseOf(cluster.acquire(`key ${index}`));
        lease.release(lease.target.ip === ip ? 'connect_failure' : 'client_gone');
        if (lease.target.ip === ip) return;
      }
    };

    it('is passed over for a second, then gets one request as a trial, and is back after its answer', async () => {
      const world = new ClusterWorld();
      const cluster = await world.configure(clusterConfig(3, { lbPolicy }));

      failOn(cluster, '10.0.0.1');
      expect(new Set(picks(cluster, 60))).toEqual(new Set(['10.0.0.2', '10.0.0.3']));

      await world.timers.turn(1_000);
      expect(picks(cluster, 60).filter((ip) => ip === '10.0.0.1')).toHaveLength(1);

      cluster.targets.find(({ ip }) => ip === '10.0.0.1')!.isPassedOver = false;
      const lease = Array.from({ length: 60 }, (_, index) => leaseOf(cluster.acquire(`key ${index}`))).find(
        ({ target }) => target.ip === '10.0.0.1',
      )!;
      lease.answered();
      expect(picks(cluster, 60).filter((ip) => ip === '10.0.0.1').length).toBeGreaterThan(1);
    });

    it('is chosen when all others have failed too', async () => {
      const cluster = await new ClusterWorld().configure(clusterConfig(2, { lbPolicy }));

      failOn(cluster, '10.0.0.1');
      failOn(cluster, '10.0.0.2');

      expect(picks(cluster, 5)).toHaveLength(5);
    });

    it('stays in turn while outlier detection counts its failures', async () => {
      const outlierDetection = {
        consecutive5xx: 2,
        consecutiveConnectFailures: 2,
        baseEjectionTimeMs: 30_000,
        maxEjectionPercent: 50,
      };
      const cluster = await new ClusterWorld().configure(clusterConfig(2, { lbPolicy, outlierDetection }));

      failOn(cluster, '10.0.0.1');
      expect(picks(cluster, 60)).toContain('10.0.0.1');

      failOn(cluster, '10.0.0.1');
      expect(cluster.targets[0]?.isEjected).toBe(true);
    });

    it('gets nothing with the weight 0', async () => {
      const endpoints = [endpoint('10.0.0.1:80', 0), endpoint('10.0.0.2:80')];
      const cluster = await new ClusterWorld().configure(clusterConfig(0, { lbPolicy, endpoints }));

      expect(new Set(picks(cluster, 60))).toEqual(new Set(['10.0.0.2']));
      const none = await new ClusterWorld().configure(
        clusterConfig(0, { lbPolicy, endpoints: [endpoint('10.0.0.1:80', 0)] }),
      );
      expect(none.acquire('')).toEqual({ kind: 'no_healthy_endpoint' });
    });
  },
);
