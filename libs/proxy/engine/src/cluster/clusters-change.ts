import { assert } from '#platform/foundation';
import type { ClusterConfig } from '../config/proxy-config.ts';
import type { Cluster } from './cluster.ts';
import type { Endpoint } from './endpoint.ts';
import type { Timers } from './target/cluster-surroundings.ts';

const WARM_MS_MAX = 10_000;

/** What becomes of one cluster. */
export interface ClusterChange {
  readonly cluster: Cluster;
  readonly config: ClusterConfig;
  /** In the order of the file. */
  readonly endpoints: readonly Endpoint[];
  /** Those of them that were not there before. */
  readonly fresh: readonly Endpoint[];
}

export interface ClustersChangeParts {
  readonly changes: readonly ClusterChange[];
  readonly live: ReadonlyMap<string, Cluster>;
  readonly timers: Timers;
  /** Told once: of the clusters from now on, or of undefined when there is no change. */
  readonly onEnd: (live: ReadonlyMap<string, Cluster> | undefined) => void;
}

/** A change of clusters, prepared and not yet made. */
export class ClustersChange {
  readonly #parts: ClustersChangeParts;
  readonly #byAddress: ReadonlyMap<string, Endpoint>;
  #hasEnded = false;

  constructor(parts: ClustersChangeParts) {
    this.#parts = parts;
    this.#byAddress = new Map(
      parts.changes.flatMap(({ cluster, endpoints }) =>
        endpoints.map((endpoint) => [`${cluster.name} ${endpoint.address.text}`, endpoint]),
      ),
    );
  }

  /** Resolves when each new endpoint was resolved and looked at once, or after ten seconds. */
  async warm(): Promise<void> {
    const { changes, timers } = this.#parts;
    const starts = changes.flatMap(({ fresh }) => fresh.map((endpoint) => endpoint.start()));
    await new Promise<void>((resolve, reject) => {
      const callOff = timers.after(WARM_MS_MAX, resolve);
      Promise.all(starts)
        .finally(callOff)
        .then(() => resolve(), reject);
    });
  }

  /** One that the change has, be it new or not. */
  findEndpoint(cluster: string, address: string): Endpoint | undefined {
    return this.#byAddress.get(`${cluster} ${address}`);
  }

  /** Makes the change in one step. What has left takes nothing new, and ends what it has. */
  commit(): ReadonlyMap<string, Cluster> {
    this.#end();
    const { changes, live, onEnd } = this.#parts;
    const staying = new Set(changes.flatMap(({ endpoints }) => endpoints));
    const leaving = Array.from(live.values()).flatMap(({ endpoints }) =>
      endpoints.filter((endpoint) => !staying.has(endpoint)),
    );
    for (const change of changes) configure(change);
    for (const endpoint of leaving) endpoint.retire();
    const next = new Map(changes.map(({ cluster }) => [cluster.name, cluster]));
    onEnd(next);
    return next;
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
