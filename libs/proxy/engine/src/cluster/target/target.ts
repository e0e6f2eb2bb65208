import type { HostPort } from '../../config/proxy-config.ts';
import type { CheckSnapshot } from '../../source/snapshot.ts';
import type { EndpointCounters } from './endpoint-counters.ts';

export interface TargetParts {
  readonly endpoint: HostPort;
  readonly ip: string;
  readonly weight: number;
  readonly counters: EndpointCounters;
  readonly isHealthy: boolean;
}

/**
 * One IP address and port of an endpoint, alive. The same object as long as the configuration and the name's
 * addresses have it: the data plane keeps its connections by it. What changes whether it is available tells
 * its cluster, which keeps a list of those that are.
 */
export class Target {
  /** As the configuration has it. */
  readonly endpoint: HostPort;
  readonly ip: string;
  readonly port: number;
  /** `ip:port`. */
  readonly address: string;
  readonly counters: EndpointCounters;
  weight: number;
  /** All addresses of its name, itself among them; who cannot be reached here may be there. */
  siblings: readonly Target[] = [];
  /** No connection came about the last time; others of its name are tried before it. */
  isUnreachable = false;
  activeRequests = 0;
  /** Passes its active checks; true when there are none. */
  isHealthy: boolean;
  isDisabled = false;
  isEjected = false;
  /** Milliseconds since the Unix epoch. */
  ejectedUntilMs = 0;
  consecutive5xx = 0;
  consecutiveConnectFailures = 0;
  lastCheck: CheckSnapshot | undefined;
  readonly #onRetired: (() => void)[] = [];
  #isRetired = false;

  constructor({ endpoint, ip, weight, counters, isHealthy }: TargetParts) {
    this.endpoint = endpoint;
    this.ip = ip;
    this.port = endpoint.port;
    this.address = ip.includes(':') ? `[${ip}]:${endpoint.port}` : `${ip}:${endpoint.port}`;
    this.weight = weight;
    this.counters = counters;
    this.isHealthy = isHealthy;
  }

  get isAvailable(): boolean {
    return this.isHealthy && !this.isEjected && !this.isDisabled;
  }

  /** Left the configuration, or the name's addresses. Leases still end on it. */
  get isRetired(): boolean {
    return this.#isRetired;
  }

  /** Calls back when the target is retired; at once when it is already. */
  onRetired(run: () => void): void {
    if (this.#isRetired) run();
    else this.#onRetired.push(run);
  }

  retire(): void {
    if (this.#isRetired) return;
    this.#isRetired = true;
    for (const run of this.#onRetired.splice(0)) run();
  }
}
