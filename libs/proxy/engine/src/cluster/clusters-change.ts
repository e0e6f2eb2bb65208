import { assert } from '#platform/foundation';
import type { ClusterConfig } from '../config/proxy-config.ts';
import type { Cluster } from './cluster.ts';
import type { Endpoint } from './endpoint.ts';
import type { Timers } from './target/cluster-context.ts';

const WARM_MS_MAX = 10_000;

/** The change of one cluster. */
export interface ClusterChange {
  readonly cluster: Cluster;
  readonly config: ClusterConfig;
  /** Endpoints in the order of the file. */
  readonly endpoints: readonly Endpoint[];
  /** The endpoints that are new. */
  readonly fresh: readonly Endpoint[];
}

export interface ClustersChangeParts {
  readonly changes: readonly ClusterChange[];
  readonly live: ReadonlyMap<string, Cluster>;
  readonly timers: Timers;
  /** Called once: with the new set of clusters, or with undefined when the change is abandoned. */
  readonly onEnd: (live: ReadonlyMap<string, Cluster> | undefined) => void;
}

/** A prepared change of clusters, not yet applied. */
export class ClustersChange {
  readonly clusters: ReadonlyMap<string, Cluster>;
  readonly #parts: ClustersChangeParts;
  readonly #byAddress: ReadonlyMap<string, Endpoint>;
  #hasEnded = false;

  constructor(parts: ClustersChangeParts) {
    this.#parts = parts;
    this.clusters = new Map(parts.changes.map(({ cluster }) => [cluster.name, cluster]));
    this.#byAddress = new Map(
      parts.changes.flatMap(({ cluster, endpoints }) =>
        endpoints.map((endpoint) => [`${cluster.name} ${endpoint.address.text}`, endpoint]),
      ),
    );
  }

  /** Resolves when each new endpoint was resolved and checked once, after ten seconds, or at the abort. */
  async warm(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return;
    const { changes, timers } = this.#parts;
    const starts = changes.flatMap(({ fresh }) => fresh.map((endpoint) => endpoint.start()));
    const end = Promise.withResolvers<undefined>();
    const onEnd = (): void => end.resolve(undefined);
    const callOff = timers.after(WARM_MS_MAX, onEnd);
    signal?.addEventListener('abort', onEnd, { once: true });
    await Promise.race([Promise.all(starts), end.promise]).finally(callOff);
    signal?.removeEventListener('abort', onEnd);
  }

  /** An endpoint of the change, new or existing. */
  findEndpoint(cluster: string, address: string): Endpoint | undefined {
    return this.#byAddress.get(`${cluster} ${address}`);
  }

  /**
   * Applies the change in one step. Removed clusters and endpoints get no new requests, and complete those
   * they have.
   */
  commit(): ReadonlyMap<string, Cluster> {
    this.#end();
    const { changes, live, onEnd } = this.#parts;
    const staying = new Set(changes.flatMap(({ endpoints }) => endpoints));
    const leaving = Array.from(live.values()).flatMap(({ endpoints }) =>
      endpoints.filter((endpoint) => !staying.has(endpoint)),
    );
    for (const change of changes) configure(change);
    for (const endpoint of leaving) endpoint.retire();
    onEnd(this.clusters);
    return this.clusters;
  }

  abandon(): void {
    this.#end();
    for (const { fresh } of this.#parts.changes) for (const endpoint of fresh) endpoint.retire();
    this.#parts.onEnd(undefined);
  }

  #end(): void {
    assert(!this.#hasEnded, 'expected a change of clusters to be committed or abandoned once');
    this.#hasEnded = true;
  }
}

function configure({ cluster, config, endpoints }: ClusterChange): void {
  for (const [index, endpoint] of endpoints.entries()) {
    const endpointConfig = config.endpoints[index];
    if (endpointConfig !== undefined) endpoint.configure(endpointConfig, config);
  }
  cluster.configure(config, endpoints);
}
