import type { ProxyConfig } from '../config/proxy-config.ts';
import type { Explanation, Question } from './explanation.ts';
import type { ProxyEvent } from './proxy-event.ts';
import type { ProxySnapshot } from './snapshot.ts';

export interface ReloadResult {
  readonly result: 'applied' | 'unchanged' | 'rejected';
  /** The reasons for a rejection, each as `file:line:column: …`. */
  readonly faults: readonly string[];
}

/** Connections and requests open at the end of the drain. */
export interface DrainResult {
  readonly cutConnections: number;
  readonly cutRequests: number;
}

export interface EndpointChange {
  readonly cluster: string;
  /** The address in the configuration. */
  readonly address: string;
  readonly isEnabled: boolean;
}

/** A running proxy as seen by its admin server: the built-in data plane, or HAProxy. */
export abstract class ProxySource {
  /**
   * Resolves when it is LIVE, or when it is drained or stopped before; rejects with INVALID_CONFIG, for
   * example when a port is in use.
   */
  abstract start(): Promise<void>;
  /** The current state as plain data; cheap to make. */
  abstract snapshot(): Promise<ProxySnapshot>;
  /** Reloads the configuration. An invalid one changes nothing. */
  abstract reload(): Promise<ReloadResult>;
  /**
   * Accepts no more connections; resolves when the last one has ended or was cut. A second call joins the
   * first.
   */
  abstract drain(): Promise<DrainResult>;
  /** Called when this process ends: the engine of another process keeps running. */
  abstract stop(): Promise<DrainResult>;
  /** The active configuration; undefined before the start, and where a reload cannot change it. */
  abstract get config(): ProxyConfig | undefined;
  /** Returns false when the endpoint does not exist. */
  abstract setEndpoint(change: EndpointChange): Promise<boolean>;
  /** Throws DomainError when the engine does not support it. */
  abstract explain(question: Question): Promise<Explanation>;
  /** Returns a function that unsubscribes. */
  abstract onEvent(listener: (event: ProxyEvent) => void): () => void;
}
