import type { ClusterTls, HealthCheckConfig, HostPort } from '../../config/proxy-config.ts';

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
