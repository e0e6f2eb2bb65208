/**
 * The calls between the main process and its workers. All arguments are plain data, copied between processes.
 *
 * 1. `begin` is called first, once. A configuration is prepared by all workers, then committed or abandoned.
 *    Preparation binds the listeners, which are shared (`SO_REUSEPORT`); connections wait for the commit.
 * 2. Health, resolution, ejections and switched endpoints are managed by the main process alone: workers
 *    receive the targets and their availability with `commit` and `follow`.
 * 3. Workers count; the main process requests the counts, and adds them.
 */
import type { LineRelay, LoggerOptions } from '#platform/observability';
import type { EndpointAvailability, Suspicion } from '../cluster/target/cluster-context.ts';
import type { ConfigSources } from '../config/load/load-proxy-config.ts';
import type { WorkerPlace } from '../config/worker-share.ts';
import type { DrainTimes, TrafficSnapshot } from '../plane/data-plane.port.ts';
import type { SharedPorts } from '../plane/listener-set.ts';
import type { ProxyEvent } from '../source/proxy-event.ts';
import type { DrainResult } from '../source/proxy-source.port.ts';

export interface WorkersOptions {
  /** Number of processes, at least 2. */
  readonly count: number;
  /** Settings of the access logs. */
  readonly logging: LoggerOptions;
  /** Receives the lines of workers' logs. */
  readonly relay: LineRelay;
}

export interface WorkerSetup {
  readonly place: WorkerPlace;
  readonly logging: LoggerOptions;
  /** The secret for TLS tickets, the same in all workers. */
  readonly ticketSecret: Uint8Array;
}

export interface WorkerReport {
  readonly traffic: TrafficSnapshot;
  readonly cpuSeconds: number;
  readonly residentBytes: number;
}

/** The methods of a worker. */
export interface WorkerMethods {
  begin(setup: WorkerSetup): Promise<void>;
  /** Returns the faults, each as `file:line:column: …`; nothing is prepared then. */
  prepare(sources: ConfigSources, ports: SharedPorts): Promise<readonly string[]>;
  /** Resolves when removed addresses are free. */
  commit(found: readonly EndpointAvailability[]): Promise<void>;
  abandon(): Promise<void>;
  follow(found: readonly EndpointAvailability[]): Promise<void>;
  report(): Promise<WorkerReport>;
  drain(times: DrainTimes): Promise<DrainResult>;
}

/** The methods of the main process. */
export interface MainMethods {
  /** Resolves when the main process has decided. */
  suspect(suspicion: Suspicion): Promise<void>;
  /** An event of a worker's traffic. */
  note(event: ProxyEvent): Promise<void>;
}
