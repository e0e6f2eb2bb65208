import { assert } from '#platform/foundation';
import type { ClusterConfig, EndpointConfig } from '../config/proxy-config.ts';
import type { EndpointChange } from '../source/proxy-source.port.ts';
import type { BreakerRejections, ClusterSnapshot } from '../source/snapshot.ts';
import { BreakerCounts } from './breaker.ts';
import { Cluster } from './cluster.ts';
import { type ClusterChange, ClustersChange } from './clusters-change.ts';
import { Endpoint } from './endpoint.ts';
import type { ClusterContext, EndpointAvailability } from './target/cluster-context.ts';
import { EndpointCounters } from './target/endpoint-counters.ts';

const OWN_DURATIONS_MAX = 1_000;

/**
 * The clusters of a process, across configurations. A change is prepared beside the running traffic, and then
 * applied in one step: clusters are matched by name, endpoints by cluster and address, and keep their health,
 * counts, ejections and connections.
 */
export class Clusters {
  readonly #context: ClusterContext;
  /** Counts of all clusters, including removed ones. */
  readonly #counts = new Map<string, BreakerCounts>();
  #live: ReadonlyMap<string, Cluster> = new Map();
  #ownDurations = 0;
  #pending: ClustersChange | undefined;
  /** Whether a change was applied. */
  #isStarted = false;

  constructor(context: ClusterContext) {
    this.#context = context;
  }

  /** The clusters by name, in the order of the file. A new map with every change. */
  get live(): ReadonlyMap<string, Cluster> {
    return this.#live;
  }

  /** Changes nothing yet. One change at a time: commit or abandon it before the next. */
  prepare(configs: readonly ClusterConfig[]): ClustersChange {
    assert(this.#pending === undefined, 'expected one change of clusters at a time');
    this.#ownDurations = Array.from(this.#live.values(), ownDurationsOf).reduce((sum, own) => sum + own, 0);
    this.#pending = new ClustersChange({
      changes: configs.map((config) => this.#prepareCluster(config)),
      live: this.#live,
      timers: this.#context.timers,
      onEnd: (live) => {
        this.#pending = undefined;
        if (live === undefined) return;
        this.#live = live;
        this.#isStarted = true;
      },
    });
    return this.#pending;
  }

  /** Returns false when the endpoint does not exist. */
  setEndpoint({ cluster, address, isEnabled }: EndpointChange): boolean {
    const endpoint = this.#live.get(cluster)?.findEndpoint(address);
    endpoint?.setEnabled(isEnabled);
    return endpoint !== undefined;
  }

  /** The state of the endpoints of these clusters, for worker processes supervised by this one. */
  availability(names: Iterable<string> = this.#live.keys()): readonly EndpointAvailability[] {
    return Array.from(names).flatMap((name) =>
      (this.#live.get(name)?.endpoints ?? []).map(({ address, targets }) => ({
        cluster: name,
        address: address.text,
        targets: targets.map(({ ip, isAvailable }) => ({ ip, isAvailable })),
      })),
    );
  }

  /** Applies the endpoint states found by the supervisor, to a pending change too. */
  follow(found: readonly EndpointAvailability[]): void {
    for (const { cluster, address, targets } of found) {
      const endpoint =
        this.#pending?.findEndpoint(cluster, address) ?? this.#live.get(cluster)?.findEndpoint(address);
      endpoint?.follow(targets);
    }
  }

  /** The state of the clusters; until the first change is applied, of those in that change. */
  snapshot(): readonly ClusterSnapshot[] {
    const shown = this.#isStarted ? this.#live : (this.#pending?.clusters ?? this.#live);
    return Array.from(shown.values(), (cluster) => cluster.snapshot());
  }

  breakerRejections(): readonly BreakerRejections[] {
    return Array.from(this.#counts.values(), ({ cluster, rejected }) => ({
      cluster,
      rejected: { ...rejected },
    }));
  }

  /** Stops checks and resolution. Leases still end. No change may be pending. */
  stop(): void {
    assert(this.#pending === undefined, 'expected no change of clusters to be pending');
    for (const cluster of this.#live.values()) {
      for (const endpoint of cluster.endpoints) endpoint.retire();
    }
  }

  #prepareCluster(config: ClusterConfig): ClusterChange {
    const known = this.#live.get(config.name);
    const cluster = known ?? this.#makeCluster(config);
    const endpoints = config.endpoints.map(
      (endpoint) =>
        known?.findEndpoint(endpoint.address.text) ?? this.#makeEndpoint(cluster, config, endpoint),
    );
    const fresh = endpoints.filter((endpoint) => cluster.findEndpoint(endpoint.address.text) !== endpoint);
    if (known === undefined) cluster.configure(config, endpoints);
    return { cluster, config, endpoints, fresh };
  }

  #makeCluster(config: ClusterConfig): Cluster {
    const context = this.#context;
    const { timers, emit } = context;
    const { name } = config;
    const counts = this.#counts.get(name) ?? new BreakerCounts(name, timers, emit);
    this.#counts.set(name, counts);
    return new Cluster(config, counts, context);
  }

  #makeEndpoint(cluster: Cluster, settings: ClusterConfig, config: EndpointConfig): Endpoint {
    const shared = this.#ownDurations < OWN_DURATIONS_MAX ? undefined : cluster.shareDurations();
    if (shared === undefined) this.#ownDurations += 1;
    return new Endpoint({
      cluster: cluster.name,
      config,
      settings,
      counters: new EndpointCounters(shared),
      context: this.#context,
      onChange: () => cluster.refresh(),
      onTargetRetired: (target) => cluster.forget(target),
    });
  }
}

function ownDurationsOf({ endpoints }: Cluster): number {
  return endpoints.filter(({ counters }) => counters.hasOwnDurations).length;
}
