import type { Secret } from '#platform/foundation';

/** A complete configuration, validated and frozen. Times are milliseconds. */
export interface ProxyConfig {
  /** Undefined for no admin server. */
  readonly adminAddress: HostPort | undefined;
  readonly admin: AdminConfig;
  readonly engine: EngineConfig;
  /** Number of processes that carry the traffic; 1: this process alone. */
  readonly workers: number;
  readonly listeners: readonly ListenerConfig[];
  readonly clusters: readonly ClusterConfig[];
  readonly routes: readonly RouteConfig[];
  readonly drain: DrainConfig;
  /** Settings that are probably not intended, each as `file:line:column: …`. */
  readonly warnings: readonly string[];
}

/** An address to listen at or to connect to. */
export interface HostPort {
  /** A name or an IP address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** The address as written in the file. */
  readonly text: string;
}

export interface AdminConfig {
  /** The token required for changes; undefined when none is configured. */
  readonly token: Secret | undefined;
  readonly readOnly: boolean;
  /** Host names accepted under `/admin/`, in lower case. */
  readonly allowedHosts: readonly string[];
  /** The proxy's name on its page; undefined: the machine's name. */
  readonly name: string | undefined;
  /** Whether the endpoints under `/admin/` are enabled. */
  readonly extensions: boolean;
}

export interface EngineConfig {
  readonly kind: 'embedded' | 'haproxy';
  /** HAProxy's runtime socket; set when the kind is `haproxy`. */
  readonly socket: string | undefined;
  /** HAProxy's own configuration, from which routes are counted. */
  readonly config: string | undefined;
}

export interface ListenerConfig {
  readonly name: string;
  readonly address: HostPort;
  readonly protocol: 'http' | 'tcp';
  /** The cluster of a `tcp` listener; undefined for `http`. */
  readonly cluster: string | undefined;
  readonly maxConnections: number;
  /** Time-out of a connection that waits for its client, or of a stream without traffic; 0: none. */
  readonly idleTimeoutMs: number;
  /**
   * Time-out of a complete request head, from its first byte; for the first head, from the accept. Also of a
   * TLS handshake, from the accept.
   */
  readonly headerTimeoutMs: number;
  readonly maxHeaderBytes: number;
  /** Time-out of a complete request, until its response begins; 0: none. */
  readonly requestTimeoutMs: number;
  /** Minimum average rate of a body in bytes per second, until the response begins; 0: none. */
  readonly bodyMinRate: number;
  readonly tls: ListenerTls | undefined;
  /** Whether paths that an upstream may read in another way are rejected. */
  readonly paths: 'raw' | 'reject_ambiguous';
  /** Peers whose `X-Forwarded-*` headers are accepted. */
  readonly trustedProxies: readonly AddressBlock[];
  readonly accessLog: boolean;
}

/** A certificate chain and its key, PEM, which match. */
export interface ListenerTls extends TlsLimits {
  readonly certFile: PemFile;
  readonly keyFile: SecretFile;
}

/** The minimum requirements of a TLS session. */
export interface TlsLimits {
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3';
  /** OpenSSL's list, including the suites of TLS 1.3. */
  readonly ciphers: string;
}

export interface PemFile {
  readonly path: string;
  readonly text: string;
}

export interface SecretFile {
  readonly path: string;
  readonly secret: Secret;
}

/** `10.0.0.0/8`, or a single address. */
export interface AddressBlock {
  readonly address: string;
  readonly bits: number;
  readonly family: 'ipv4' | 'ipv6';
}

export type LbPolicy = 'round_robin' | 'least_request' | 'random' | 'ring_hash';

export interface ClusterConfig {
  readonly name: string;
  readonly lbPolicy: LbPolicy;
  /** The key of a hash ring: the header of that name, in lower case, or the client's address. */
  readonly hashKey: HashKey;
  readonly endpoints: readonly EndpointConfig[];
  readonly dnsRefreshMs: number;
  /** Undefined for plain text. */
  readonly tls: ClusterTls | undefined;
  readonly connectTimeoutMs: number;
  readonly healthCheck: HealthCheckConfig | undefined;
  readonly outlierDetection: OutlierDetectionConfig | undefined;
  readonly circuitBreaker: CircuitBreakerConfig;
  readonly retry: RetryConfig | undefined;
}

export type HashKey = { readonly source: 'ip' } | { readonly source: 'header'; readonly header: string };

export interface EndpointConfig {
  readonly address: HostPort;
  readonly weight: number;
}

export interface ClusterTls extends TlsLimits {
  /** Certificates to trust instead of the system's. */
  readonly caFile: PemFile | undefined;
  /** The server name to send and verify; undefined: the endpoint's own. */
  readonly sni: string | undefined;
  readonly verify: boolean;
}

export interface HealthCheckConfig {
  readonly type: 'http' | 'tcp';
  readonly path: string;
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly healthyThreshold: number;
  readonly unhealthyThreshold: number;
  readonly expected: readonly StatusRange[];
}

/** A range of status codes, both ends included. */
export interface StatusRange {
  readonly from: number;
  readonly to: number;
}

export interface OutlierDetectionConfig {
  readonly consecutive5xx: number;
  readonly consecutiveConnectFailures: number;
  readonly baseEjectionTimeMs: number;
  readonly maxEjectionPercent: number;
}

export interface CircuitBreakerConfig {
  readonly maxConnections: number;
  readonly maxPendingRequests: number;
  readonly maxRequests: number;
  readonly maxRetries: number;
  /** Limit of active and waiting requests of one client's address; undefined: no limit. */
  readonly maxRequestsPerClient: number | undefined;
}

export interface RetryConfig {
  readonly on: RetryConditions;
  /** Attempts after the first. */
  readonly max: number;
  readonly methods: 'idempotent' | 'all';
  /** Retries as a share of requests. */
  readonly budgetPercent: number;
}

export interface RetryConditions {
  readonly connectFailure: boolean;
  readonly resetBeforeHeaders: boolean;
  readonly statusCodes: readonly number[];
}

export interface RouteConfig {
  /** A name in lower case, `*.suffix`, or `*` for any. */
  readonly host: string;
  /** Compared with the raw path, byte by byte: `/old` matches `/older` too. */
  readonly prefix: string;
  /** Undefined for a redirect. */
  readonly cluster: string | undefined;
  readonly redirect: 'https' | undefined;
  /** Names of HTTP listeners; undefined: all. */
  readonly listeners: readonly string[] | undefined;
  /** Time-out of a silent endpoint before its response begins; 0: none. */
  readonly timeoutMs: number;
  /** Time-out of a silent endpoint within its response; 0: none. */
  readonly streamTimeoutMs: number;
  readonly stripPrefix: boolean;
  readonly websocket: boolean;
  readonly requestHeaders: HeaderChanges;
  /** Line in the file, from 1. */
  readonly line: number;
}

export interface HeaderChanges {
  /** Names in lower case. */
  readonly set: readonly (readonly [name: string, value: string])[];
  readonly remove: readonly string[];
}

export interface DrainConfig {
  /** The time in which connections are still accepted, so that load balancers see `/ready` first. */
  readonly graceMs: number;
  /** The time after which remaining requests are cut; counted from the start of the drain. */
  readonly timeoutMs: number;
}
