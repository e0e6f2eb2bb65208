import { isDeepStrictEqual } from 'node:util';
import type { Timers } from '../cluster/target/cluster-context.ts';
import type { Target } from '../cluster/target/target.ts';
import type { ClusterConfig } from '../config/proxy-config.ts';
import { UpstreamPool } from './upstream-pool.ts';

interface Entry {
  config: ClusterConfig;
  pool: UpstreamPool;
}

/**
 * One pool for each target, across reloads, while the target exists and its connection settings are
 * unchanged.
 */
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

  /** Closes all pools. */
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
    // A retired target needs no pool: its remaining requests open their own connections.
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
