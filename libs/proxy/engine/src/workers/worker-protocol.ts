/**
 * What the main process and its workers ask of each other. All of it is plain data, copied between processes.
 *
 * 1. `begin` comes first, once. A configuration is prepared by all workers, then committed or abandoned. What
 *    is prepared binds its listeners, which are shared (`SO_REUSEPORT`); connections wait for the commit.
 * 2. Health, names, ejections and switched endpoints are found in the main process alone: workers are told
 *    which targets there are and whether each is available, with `commit` and `follow`.
 * 3. What is counted is counted by workers; the main process asks for it, and adds it up.
 */
import type { LineRelay, LoggerOptions } from '#platform/observability';
import type { EndpointAvailability, Suspicion } from '../cluster/target/cluster-surroundings.ts';
import type { ConfigSources } from '../config/load/load-proxy-config.ts';
import type { WorkerPlace } from '../config/worker-share.ts';
import type { DrainTimes, TrafficSnapshot } from '../plane/data-plane.port.ts';
import type { SharedPorts } from '../plane/listener-set.ts';
import type { ProxyEvent } from '../source/proxy-event.ts';
import type { DrainResult } from '../source/proxy-source.port.ts';

export interface WorkersOptions {
  /** Processes, at least 2. */
  readonly count: number;
  /** For the access logs. */
  readonly logging: LoggerOptions;
  /** Takes the lines of workers' logs. */
  readonly relay: LineRelay;
}

export interface WorkerSetup {
  readonly place: WorkerPlace;
  readonly logging: LoggerOptions;
  /** What TLS tickets are made with, the same in all workers. */
  readonly ticketSecret: Uint8Array;
}

export interface WorkerReport {
  readonly traffic: TrafficSnapshot;
  readonly cpuSeconds: number;
  readonly residentBytes: number;
}

/** What a worker does. */
export interface WorkerMethods {
  begin(setup: WorkerSetup): Promise<void>;
  /** Gives what is wrong, each as `file:line:column: …`; nothing is prepared then. */
  prepare(sources: ConfigSources, ports: SharedPorts): Promise<readonly string[]>;
  /** Resolves when addresses that are gone are free. */
  commit(found: readonly EndpointAvailability[]): Promise<void>;
  abandon(): Promise<void>;
  follow(found: readonly EndpointAvailability[]): Promise<void>;
  report(): Promise<WorkerReport>;
  drain(times: DrainTimes): Promise<DrainResult>;
}

/** What the main process does for a worker. */
export interface MainMethods {
  /** Resolves when it has been judged. */
  suspect(suspicion: Suspicion): Promise<void>;
  /** Something has happened to a worker's traffic. */
  note(event: ProxyEvent): Promise<void>;
}
