import { isDeepStrictEqual } from 'node:util';
import type { Timers } from '../cluster/target/cluster-surroundings.ts';
import type { Target } from '../cluster/target/target.ts';
import type { ClusterConfig } from '../config/proxy-config.ts';
import { UpstreamPool } from './upstream-pool.ts';

interface Entry {
  config: ClusterConfig;
  pool: UpstreamPool;
}

/** One pool for each target, over reloads, as long as the target is there and is connected to in one way. */
export class UpstreamPools {
  readonly #timers: Timers;
  readonly #entries = new Map<Target, Entry>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  of(target: Target, config: ClusterConfig): UpstreamPool {
    const entry = this.#entries.get(target);
    return entry !== undefined && entry.config === config ? entry.pool : this.#renew(target, config, entry);
  }

  /** No connection is kept any more. */
  close(): void {
    for (const { pool } of this.#entries.values()) pool.close();
    this.#entries.clear();
  }

  #renew(target: Target, config: ClusterConfig, entry: Entry | undefined): UpstreamPool {
    if (entry !== undefined && isSameWay(entry.config, config)) {
      entry.config = config;
      return entry.pool;
    }
    entry?.pool.close();
    const pool = new UpstreamPool(target, config, this.#timers);
    if (entry === undefined) target.onRetired(() => this.#forget(target));
    // A target that has left has no pool to keep: what is still to come on it connects for itself.
    if (target.isRetired) pool.close();
    else this.#entries.set(target, { config, pool });
    return pool;
  }

  #forget(target: Target): void {
    this.#entries.get(target)?.pool.close();
    this.#entries.delete(target);
  }
}

function isSameWay(one: ClusterConfig, other: ClusterConfig): boolean {
  return one.connectTimeoutMs === other.connectTimeoutMs && isDeepStrictEqual(one.tls, other.tls);
}
