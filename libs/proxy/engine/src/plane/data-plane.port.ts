import type { LoadedConfig } from '../config/load/load-proxy-config.ts';
import type { ProxyConfig } from '../config/proxy-config.ts';
import type { Explanation, Question } from '../source/explanation.ts';
import type { DrainResult, EndpointChange } from '../source/proxy-source.port.ts';
import type { ProxySnapshot } from '../source/snapshot.ts';

/** A configuration that is ready to hold, beside the one that does. It is committed or abandoned once. */
export interface DataPlaneChange {
  /** From now on it holds, in one step. Resolves when addresses that are gone are free. */
  commit(): Promise<void>;
  abandon(): void;
}

/** What of a snapshot is about the traffic. */
export type TrafficSnapshot = Pick<
  ProxySnapshot,
  'downstreamCxTotal' | 'downstreamCxActive' | 'listeners' | 'clusters' | 'breakerRejections' | 'workers'
>;

/** When the phases of a drain are over, in milliseconds from now. */
export interface DrainTimes {
  readonly graceMs: number;
  readonly timeoutMs: number;
}

/** What carries the traffic: this process, or several workers. */
export abstract class DataPlane {
  /**
   * Binds what is not bound yet, and looks at new endpoints. Changes nothing for the traffic. Throws
   * InvalidProxyConfig.
   */
  abstract prepare(loaded: LoadedConfig): Promise<DataPlaneChange>;
  /**
   * 1. Each answer is the last of its connection from now on; connections are still taken.
   * 2. After the grace none is taken any more, and idle ones are closed.
   * 3. What is left at the time-out is cut. All is closed then.
   */
  abstract drain(times: DrainTimes): Promise<DrainResult>;
  abstract snapshot(): Promise<TrafficSnapshot>;
  /** Gives false when there is no such endpoint. */
  abstract setEndpoint(change: EndpointChange): Promise<boolean>;
  /** Which way a request would take under the configuration that holds. */
  abstract explain(config: ProxyConfig, question: Question): Explanation;
}
