import type { Cluster } from '../src/cluster/cluster.ts';
import { Clusters } from '../src/cluster/clusters.ts';
import type { Lease, Refusal } from '../src/cluster/lease.ts';
import type { ClusterContext } from '../src/cluster/target/cluster-context.ts';
import type { ProbeResult } from '../src/cluster/target/target.ts';
import { parseHostPort } from '../src/config/host-shapes.ts';
import type { ClusterConfig, EndpointConfig, HealthCheckConfig } from '../src/config/proxy-config.ts';
import type { ProxyEvent } from '../src/source/proxy-event.ts';
import { TurnedTimers } from './turned-timers.ts';
import { seededRandom } from '#platform/foundation';

const PASSED: ProbeResult = { isPassed: true, reason: 'status 200' };

/** Clusters in a simulated environment: time, names, and check results are set by the test. */
export class ClusterWorld {
  readonly timers = new TurnedTimers();
  readonly events: ProxyEvent[] = [];
  /** Check results by `ip:port`; all others pass. A promise delays the check. */
  readonly health = new Map<string, ProbeResult | Promise<ProbeResult>>();
  readonly names = new Map<string, readonly string[]>();
  readonly clusters: Clusters;
  readonly context: ClusterContext;
  probes = 0;
  /** Checks in progress. */
  probing = 0;

  constructor(seed = 1) {
    this.context = {
      timers: this.timers,
      random: seededRandom(seed),
      probe: async ({ ip, endpoint }, signal) => {
        this.probes += 1;
        this.probing += 1;
        const canceled = new Promise<ProbeResult>((resolve) => {
          signal.addEventListener('abort', () => resolve({ isPassed: false, reason: 'canceled' }));
        });
        const result = await Promise.race([canceled, this.health.get(`${ip}:${endpoint.port}`)]);
        this.probing -= 1;
        return result ?? PASSED;
      },
      resolve: async (name) => {
        const found = this.names.get(name);
        if (found !== undefined) return found;
        throw Object.assign(new Error(`no address of ${name}`), { code: 'ENOTFOUND' });
      },
      emit: (event) => this.events.push(event),
    };
    this.clusters = new Clusters(this.context);
  }

  /** Activates these clusters. Returns the first. */
  async configure(...configs: readonly ClusterConfig[]): Promise<Cluster> {
    const change = this.clusters.prepare(configs);
    await change.warm();
    const [first] = change.commit().values();
    if (first === undefined) throw new Error('expected a cluster');
    return first;
  }

  fail(address: string): void {
    this.health.set(address, { isPassed: false, reason: 'status 500 is not expected' });
  }

  pass(address: string): void {
    this.health.delete(address);
  }

  eventsOf<Type extends ProxyEvent['type']>(type: Type): Extract<ProxyEvent, { type: Type }>[] {
    return this.events.filter((event): event is Extract<ProxyEvent, { type: Type }> => event.type === type);
  }
}

const CHECK: HealthCheckConfig = {
  type: 'http',
  path: '/healthz',
  intervalMs: 5_000,
  timeoutMs: 1_000,
  healthyThreshold: 2,
  unhealthyThreshold: 3,
  expected: [{ from: 200, to: 299 }],
};

export function healthCheck(changes: Partial<HealthCheckConfig> = {}): HealthCheckConfig {
  return { ...CHECK, ...changes };
}

export function endpoint(address: string, weight = 1): EndpointConfig {
  const parsed = parseHostPort(address);
  if (parsed === undefined) throw new Error(`no address: ${address}`);
  return { address: parsed, weight };
}

/** Endpoints `10.0.0.1:80`, `10.0.0.2:80`, … unless `changes` has others. */
export function clusterConfig(count: number, changes: Partial<ClusterConfig> = {}): ClusterConfig {
  return {
    name: 'api',
    lbPolicy: 'round_robin',
    hashKey: { source: 'ip' },
    endpoints: Array.from({ length: count }, (_, index) => endpoint(`10.0.0.${index + 1}:80`)),
    dnsRefreshMs: 30_000,
    tls: undefined,
    connectTimeoutMs: 1_000,
    healthCheck: undefined,
    outlierDetection: undefined,
    circuitBreaker: {
      maxConnections: 1_024,
      maxPendingRequests: 1_024,
      maxRequests: 1_024,
      maxRetries: 3,
      maxRequestsPerClient: undefined,
    },
    retry: undefined,
    ...changes,
  };
}

/** The lease; fails for any other result. */
export function leaseOf(place: Lease | Refusal | { readonly kind: 'waiting' }): Lease {
  if (place.kind !== 'lease') throw new Error(`expected a lease, got ${JSON.stringify(place)}`);
  return place;
}
