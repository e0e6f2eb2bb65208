import type { Secret } from '#platform/foundation';

/** A whole configuration, checked and frozen. Times are milliseconds. */
export interface ProxyConfig {
  /** No admin server when it is undefined. */
  readonly adminAddress: HostPort | undefined;
  readonly admin: AdminConfig;
  readonly engine: EngineConfig;
  /** Processes that carry the traffic; 1: this one alone. */
  readonly workers: number;
  readonly listeners: readonly ListenerConfig[];
  readonly clusters: readonly ClusterConfig[];
  readonly routes: readonly RouteConfig[];
  readonly drain: DrainConfig;
  /** What may not be meant so, each as `file:line:column: …`. */
  readonly warnings: readonly string[];
}

/** Where to listen or connect. */
export interface HostPort {
  /** A name or an IP address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** As the file has it. */
  readonly text: string;
}

export interface AdminConfig {
  /** The token that changes need; undefined when none is configured. */
  readonly token: Secret | undefined;
  readonly readOnly: boolean;
  /** Host names under which `/admin/` may be asked, in lower case. */
  readonly allowedHosts: readonly string[];
  /** What its page calls this proxy; undefined: the machine's name. */
  readonly name: string | undefined;
  /** Whether there is anything under `/admin/`. */
  readonly extensions: boolean;
}

export interface EngineConfig {
  readonly kind: 'embedded' | 'haproxy';
  /** HAProxy's runtime socket; there when the kind is `haproxy`. */
  readonly socket: string | undefined;
  /** HAProxy's own configuration, to count routes. */
  readonly config: string | undefined;
}

export interface ListenerConfig {
  readonly name: string;
  readonly address: HostPort;
  readonly protocol: 'http' | 'tcp';
  /** Where a `tcp` listener leads; undefined for `http`. */
  readonly cluster: string | undefined;
  readonly maxConnections: number;
  /** Of a connection that waits for its client, or a stream without a byte in either direction; 0: never. */
  readonly idleTimeoutMs: number;
  /** For the whole head of a request, from its first byte; from the accept for the first one. */
  readonly headerTimeoutMs: number;
  readonly maxHeaderBytes: number;
  /** For a request in whole, until its answer begins; 0: never. */
  readonly requestTimeoutMs: number;
  /** Bytes a second of a body, on average, until its answer begins; 0: any. */
  readonly bodyMinRate: number;
  readonly tls: ListenerTls | undefined;
  /** Peers whose `X-Forwarded-*` are believed. */
  readonly trustedProxies: readonly AddressBlock[];
  readonly accessLog: boolean;
}

/** A certificate chain and its key, PEM, found to belong together. */
export interface ListenerTls extends TlsLimits {
  readonly certFile: PemFile;
  readonly keyFile: SecretFile;
}

/** What is agreed on with the other side, at the least. */
export interface TlsLimits {
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3';
  /** OpenSSL's list, with the suites of TLS 1.3. */
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
  /** What a ring takes the hash of: the header of that name, in lower case, or the client's address. */
  readonly hashKey: HashKey;
  readonly endpoints: readonly EndpointConfig[];
  readonly dnsRefreshMs: number;
  /** Undefined: plain. */
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
  /** The name to ask for and to verify; undefined: the endpoint's own. */
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

/** Both ends included. */
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
  /** Requests under way or waiting of one client's address; undefined: as many as there is room for. */
  readonly maxRequestsPerClient: number | undefined;
}

export interface RetryConfig {
  readonly on: RetryConditions;
  /** After the first try. */
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
  /** Compared with the path as it was sent, byte by byte: `/old` takes `/older` too. */
  readonly prefix: string;
  /** Undefined for a redirect. */
  readonly cluster: string | undefined;
  readonly redirect: 'https' | undefined;
  /** Names of HTTP listeners; undefined: all. */
  readonly listeners: readonly string[] | undefined;
  /** How long the endpoint may be silent, before its answer begins and within it; 0: for ever. */
  readonly timeoutMs: number;
  readonly stripPrefix: boolean;
  readonly websocket: boolean;
  readonly requestHeaders: HeaderChanges;
  /** In the file, from 1. */
  readonly line: number;
}

export interface HeaderChanges {
  /** Names in lower case. */
  readonly set: readonly (readonly [name: string, value: string])[];
  readonly remove: readonly string[];
}

export interface DrainConfig {
  /** How long connections are still taken, so that load balancers in front see `/ready` first. */
  readonly graceMs: number;
  /** When what is left is cut; counted from the start of the drain. */
  readonly timeoutMs: number;
}
