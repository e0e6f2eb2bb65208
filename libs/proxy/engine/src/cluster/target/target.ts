import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { ClusterTls, HealthCheckConfig, HostPort } from '../../config/proxy-config.ts';
import type { CheckSnapshot } from '../../source/snapshot.ts';
import type { EndpointCounters } from './endpoint-counters.ts';

/** A check of one target. */
export interface ProbeRequest {
  readonly check: HealthCheckConfig;
  readonly ip: string;
  /** Used for the Host header and the name in TLS. */
  readonly endpoint: HostPort;
  readonly tls: ClusterTls | undefined;
}

export interface ProbeResult {
  readonly isPassed: boolean;
  /** The result in words: `status 200`, `connect failed with ECONNREFUSED`, `no answer within 1000 ms`. */
  readonly reason: string;
  /** The proxy had no descriptor or port left for the check: the target's state is unknown. */
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
 * One IP address and port of an endpoint at run time. The object lives as long as the configuration and the
 * name's addresses contain it: the data plane keys its connections by it. A change of its availability is
 * reported to the cluster, which keeps a list of available targets.
 */
export class Target {
  /** The address in the configuration. */
  readonly endpoint: HostPort;
  readonly ip: string;
  readonly port: number;
  /** `ip:port`. */
  readonly address: string;
  readonly counters: EndpointCounters;
  weight: number;
  /** All addresses of its name, including itself: fallbacks when this one is unreachable. */
  siblings: readonly Target[] = [];
  /** The last connection failed; other addresses of the name are tried first. */
  isUnreachable = false;
  /** It has just failed a request: others are chosen while there are any. */
  isPassedOver = false;
  /** It was passed over: the next request that chooses it is a trial. */
  isOnTrial = false;
  activeRequests = 0;
  /** Passes its active checks; true without checks. */
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

  /** Removed from the configuration, or from the name's addresses. Leases still end on it. */
  get isRetired(): boolean {
    return this.#isRetired;
  }

  /** Calls back when the target is retired; at once when it already is. */
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
 * TLS options for a connection to one of the endpoint's IP addresses: the server name that is sent and
 * verified is the configured one, or else the endpoint's own. An endpoint that is an IP address is verified
 * by it, and no server name is sent.
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
