import type { ProxyConfig } from '../config/proxy-config.ts';
import type { Explanation, Question } from './explanation.ts';
import type { ProxyEvent } from './proxy-event.ts';
import type { ProxySnapshot } from './snapshot.ts';

export interface ReloadResult {
  readonly result: 'applied' | 'unchanged' | 'rejected';
  /** Why it was rejected: `file:line:column: …` each. */
  readonly faults: readonly string[];
}

/** What was still open when the drain's time was over. */
export interface DrainResult {
  readonly cutConnections: number;
  readonly cutRequests: number;
}

export interface EndpointChange {
  readonly cluster: string;
  /** As the configuration has it. */
  readonly address: string;
  readonly isEnabled: boolean;
}

/** A running proxy, as its admin server sees it: our own data plane, or HAProxy. */
export abstract class ProxySource {
  /** Resolves when it is LIVE; rejects with INVALID_CONFIG, for example when a port is in use. */
  abstract start(): Promise<void>;
  /** Cheap; plain data. */
  abstract snapshot(): Promise<ProxySnapshot>;
  /** Reads the configuration again. A broken one changes nothing. */
  abstract reload(): Promise<ReloadResult>;
  /** Takes no more connections; resolves when the last is gone or cut. A second call joins the first. */
  abstract drain(): Promise<DrainResult>;
  /** How the end of this process ends the traffic: an engine of another process goes on. */
  abstract stop(): Promise<DrainResult>;
  /** The configuration that holds; undefined before the start, and where a reload cannot change it. */
  abstract get config(): ProxyConfig | undefined;
  /** Gives false when there is no such endpoint. */
  abstract setEndpoint(change: EndpointChange): Promise<boolean>;
  /** Throws DomainError where the engine cannot tell. */
  abstract explain(question: Question): Promise<Explanation>;
  /** Gives the way to unsubscribe. */
  abstract onEvent(listener: (event: ProxyEvent) => void): () => void;
}
