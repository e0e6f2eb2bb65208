import type { LoadedConfig } from '../config/load/load-proxy-config.ts';
import type { ProxyConfig } from '../config/proxy-config.ts';
import type { Explanation, Question } from '../source/explanation.ts';
import type { DrainResult, EndpointChange } from '../source/proxy-source.port.ts';
import type { ProxySnapshot } from '../source/snapshot.ts';

/** A prepared configuration, beside the active one. It is committed or abandoned once. */
export interface DataPlaneChange {
  /** Activates it in one step. Resolves when removed addresses are free. */
  commit(): Promise<void>;
  abandon(): void;
}

/**
 * The part of a snapshot about the traffic. It has all removed listeners, also without connections; of cuts,
 * those of reloads.
 */
export type TrafficSnapshot = Pick<
  ProxySnapshot,
  | 'downstreamCxTotal'
  | 'downstreamCxActive'
  | 'listeners'
  | 'removedListeners'
  | 'drain'
  | 'clusters'
  | 'breakerRejections'
  | 'workers'
>;

/** End of the phases of a drain, in milliseconds from now. */
export interface DrainTimes {
  readonly graceMs: number;
  readonly timeoutMs: number;
}

/** The component that carries the traffic: this process, or several workers. */
export abstract class DataPlane {
  /**
   * Binds new addresses, and checks new endpoints; the checks are not awaited after an abort. Does not affect
   * the traffic. Throws InvalidProxyConfig.
   */
  abstract prepare(loaded: LoadedConfig, signal?: AbortSignal): Promise<DataPlaneChange>;
  /**
   * 1. From now on each response is the last of its connection; new connections are still accepted.
   * 2. After the grace period no connection is accepted, and idle ones are closed.
   * 3. At the time-out all remaining connections are cut.
   */
  abstract drain(times: DrainTimes): Promise<DrainResult>;
  abstract snapshot(): Promise<TrafficSnapshot>;
  /** Returns false when the endpoint does not exist. */
  abstract setEndpoint(change: EndpointChange): Promise<boolean>;
  /** The route and target of a request under the active configuration. */
  abstract explain(config: ProxyConfig, question: Question): Explanation;
}
