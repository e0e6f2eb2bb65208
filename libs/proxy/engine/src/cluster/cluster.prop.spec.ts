/**
 * A cluster under random interleavings, compared with a model that only counts: requests arrive and wait,
 * clients disconnect, leases end in every way, reloads change limits.
 */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { effort } from '#testing';
import { clusterConfig, ClusterWorld } from '../../test/cluster-world.ts';
import type { CircuitBreakerConfig } from '../config/proxy-config.ts';
import type { Cluster } from './cluster.ts';
import type { Lease, Refusal } from './lease.ts';
import type { Outcome } from './target/endpoint-counters.ts';
import type { WaitingPlace } from './waiting-line.ts';

type Step =
  | { readonly do: 'request'; readonly client: string }
  | { readonly do: 'connect' }
  | { readonly do: 'end'; readonly which: number; readonly outcome: Outcome }
  | { readonly do: 'leave'; readonly which: number }
  | { readonly do: 'reload'; readonly limits: CircuitBreakerConfig };

const limits = fc.record<CircuitBreakerConfig>({
  maxConnections: fc.integer({ min: 1, max: 6 }),
  maxPendingRequests: fc.integer({ min: 0, max: 4 }),
  maxRequests: fc.integer({ min: 1, max: 6 }),
  maxRetries: fc.constant(3),
  maxRequestsPerClient: fc.constantFrom(undefined, 1, 2, 3),
});
const outcome = fc.constantFrom<Outcome>(
  'success',
  'status_5xx',
  'connect_failure',
  'reset',
  'timeout',
  'client_gone',
  'not_sent',
);
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('request' as const), client: fc.constantFrom('a', 'b') }),
  },
  { weight: 2, arbitrary: fc.constant({ do: 'connect' as const }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('end' as const), which: fc.nat(), outcome }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('leave' as const), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reload' as const), limits }) },
);

/** Runs the steps, and tracks open requests. */
class Traffic {
  readonly leases: Lease[] = [];
  readonly waiting: WaitingPlace[] = [];
  readonly rejected = {
    max_connections: 0,
    max_pending_requests: 0,
    max_requests: 0,
    max_requests_per_client: 0,
  };
  noHealthyEndpoint = 0;
  started = 0;
  requestsStarted = 0;
  readonly #world: ClusterWorld;
  readonly #cluster: Cluster;

  constructor(world: ClusterWorld, cluster: Cluster) {
    this.#world = world;
    this.#cluster = cluster;
  }

  get connections(): number {
    return this.leases.length;
  }

  get requests(): number {
    return this.leases.filter(({ isRequest }) => isRequest).length;
  }

  /** Requests of one client, waiting ones included. */
  of(client: string): number {
    const waiting = this.waiting.filter(({ wanted }) => wanted.client === client);
    return this.leases.filter((lease) => lease.client === client).length + waiting.length;
  }

  async do(step: Step): Promise<void> {
    if (step.do === 'request') this.#request(step.client);
    else if (step.do === 'connect') this.#note(this.#cluster.acquireConnection(''));
    else if (step.do === 'end') this.end(step.which, step.outcome);
    else if (step.do === 'leave') this.#leave(step.which);
    else
      await this.#world.configure(clusterConfig(2, { ...this.#cluster.config, circuitBreaker: step.limits }));
  }

  end(which: number, outcome: Outcome): void {
    const [lease] = this.leases.splice(which % Math.max(1, this.leases.length), 1);
    lease?.release(outcome, outcome === 'success' ? 200 : 0);
  }

  #request(client: string): void {
    const waiter = {
      placed: (place: Lease | Refusal): void => {
        const at = this.waiting.findIndex((each) => each.waiter === waiter);
        this.waiting.splice(at, 1);
        this.#note(place);
      },
    };
    this.#note(this.#cluster.acquire('', waiter, client));
  }

  #leave(which: number): void {
    const [place] = this.waiting.splice(which % Math.max(1, this.waiting.length), 1);
    expect(place?.leave() ?? true).toBe(true);
    expect(place?.leave() ?? false).toBe(false);
  }

  #note(place: Lease | Refusal | WaitingPlace): void {
    if (place.kind === 'lease') {
      this.leases.push(place);
      this.started += 1;
      if (place.isRequest) this.requestsStarted += 1;
    } else if (place.kind === 'waiting') this.waiting.push(place);
    else if (place.kind === 'overloaded') this.rejected[place.limit] += 1;
    else this.noHealthyEndpoint += 1;
  }
}

function expectCounts(cluster: Cluster, traffic: Traffic): void {
  const { breaker, endpoints, noHealthyEndpoint } = cluster.snapshot();
  expect(breaker.max_connections.used).toBe(traffic.connections);
  expect(breaker.max_requests.used).toBe(traffic.requests);
  expect(breaker.max_pending_requests.used).toBe(traffic.waiting.length);
  expect(noHealthyEndpoint).toBe(traffic.noHealthyEndpoint);
  for (const limit of ['max_connections', 'max_pending_requests', 'max_requests'] as const) {
    expect(breaker[limit].rejected).toBe(traffic.rejected[limit]);
  }
  const sum = (of: 'activeRequests' | 'requestsTotal'): number =>
    endpoints.reduce((total, endpoint) => total + endpoint[of], 0);
  expect(sum('activeRequests')).toBe(traffic.leases.length);
  expect(sum('requestsTotal')).toBe(traffic.started);
}

describe('Cluster, under random interleavings', () => {
  it('never exceeds a limit, keeps no request waiting needlessly, and counts exactly', async () => {
    await fc.assert(
      fc.asyncProperty(limits, fc.array(step, { maxLength: 120 }), async (first, steps) => {
        const world = new ClusterWorld();
        const cluster = await world.configure(clusterConfig(2, { circuitBreaker: first }));
        const traffic = new Traffic(world, cluster);
        const shares = new Map<string, number>();
        let before = { connections: 0, requests: 0, requestsStarted: 0 };
        for (const each of steps) {
          await traffic.do(each);

          const { maxConnections, maxRequests } = cluster.config.circuitBreaker;
          const { connections, requests } = traffic;
          // A reload may lower a limit below current use; then nothing is added until use is below it again.
          expect(connections).toBeLessThanOrEqual(Math.max(before.connections, maxConnections));
          expect(requests).toBeLessThanOrEqual(Math.max(before.requests, maxRequests));
          if (traffic.requestsStarted > before.requestsStarted) {
            expect(requests).toBeLessThanOrEqual(maxRequests);
            expect(connections).toBeLessThanOrEqual(maxConnections);
          }
          const share = cluster.config.circuitBreaker.maxRequestsPerClient ?? Infinity;
          for (const client of ['a', 'b']) {
            expect(traffic.of(client)).toBeLessThanOrEqual(Math.max(shares.get(client) ?? 0, share));
            shares.set(client, traffic.of(client));
          }
          const hasRoom = connections < maxConnections && requests < maxRequests;
          expect(hasRoom && traffic.waiting.length > 0).toBe(false);
          expectCounts(cluster, traffic);
          before = { connections, requests, requestsStarted: traffic.requestsStarted };
        }
        while (traffic.leases.length > 0) traffic.end(0, 'success');

        expect(traffic.waiting).toEqual([]);
        expectCounts(cluster, traffic);
      }),
      { numRuns: effort(100, 25) },
    );
  });
});
