import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { ClusterTls, HealthCheckConfig, HostPort } from '../../config/proxy-config.ts';
import type { CheckSnapshot } from '../../source/snapshot.ts';
import type { EndpointCounters } from './endpoint-counters.ts';

/** One look at one target. */
export interface ProbeRequest {
  readonly check: HealthCheckConfig;
  readonly ip: string;
  /** For the Host header and the name in TLS. */
  readonly endpoint: HostPort;
  readonly tls: ClusterTls | undefined;
}

export interface ProbeResult {
  readonly isPassed: boolean;
  /** What came: `status 200`, `connect failed with ECONNREFUSED`, `no answer within 1000 ms`. */
  readonly reason: string;
  /** The proxy could not look: it had no descriptor, or no port, left. Nothing is known of the target. */
  readonly isOwnFault?: boolean;
}

/** Never rejects; ends within the check's time-out, and soon after the signal is aborted. */
export type Probe = (request: ProbeRequest, signal: AbortSignal) => Promise<ProbeResult>;

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

/**
 * For a TLS connection to one of the endpoint's IP addresses: the name that is asked for and verified is the
 * configured one, else the endpoint's own. An endpoint that is an IP address is verified by it, and asks for
 * no name.
 */
export function upstreamTlsOptions(
  { caFile, sni, verify, minVersion, ciphers }: ClusterTls,
  endpoint: HostPort,
): ConnectionOptions {
  return {
    servername: (sni ?? (isIP(endpoint.host) === 0 ? endpoint.host : '')).replace(/\.$/, ''),
    rejectUnauthorized: verify,
    minVersion,
    ciphers,
    ...(caFile !== undefined && { ca: caFile.text }),
  };
}
