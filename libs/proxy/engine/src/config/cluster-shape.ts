import {
  array,
  integer,
  mapped,
  oneOf,
  optional,
  required,
  section,
  type Shape,
  string,
  union,
  withDefault,
  withWrittenDefault,
} from '#platform/config';
import type { ConfigFiles } from './config-files.ts';
import { hashKey } from './header-shape.ts';
import { hostPort, name } from './host-shapes.ts';
import { camelCaseObject, duration, parsed } from './parsed-shape.ts';
import type {
  CircuitBreakerConfig,
  ClusterConfig,
  EndpointConfig,
  HealthCheckConfig,
  OutlierDetectionConfig,
  RetryConditions,
  RetryConfig,
  StatusRange,
} from './proxy-config.ts';
import { clusterTls } from './tls-shape.ts';

const LIMIT_MAX = 1_000_000;
const THRESHOLD_MAX = 1_000;
const CONNECT_FAILURE = 'connect_failure';
const RESET_BEFORE_HEADERS = 'reset_before_headers';
const RETRIED = [CONNECT_FAILURE, RESET_BEFORE_HEADERS, 502, 503];

const limit = integer({ min: 1, max: LIMIT_MAX });
const limitOrNone = integer({ min: 0, max: LIMIT_MAX });
const threshold = integer({ min: 1, max: THRESHOLD_MAX });
const percent = integer({ min: 0, max: 100 });

export function cluster(files: ConfigFiles): Shape<ClusterConfig> {
  return camelCaseObject<ClusterConfig>({
    name: required(name(), 'the name in routes, metrics and messages; unique'),
    lbPolicy: withDefault(
      oneOf(['round_robin', 'least_request', 'random', 'ring_hash']),
      'round_robin',
      'how an endpoint is chosen; `least_request` takes the less loaded of two random ones',
    ),
    hashKey: withWrittenDefault(
      hashKey(),
      'source_ip',
      'the key of `ring_hash`; without the header, the address',
    ),
    endpoints: required(
      array(endpoint(), { min: 0, max: 10_000 }),
      'the endpoints that serve the requests; with none, the answer is 503',
    ),
    dnsRefreshMs: withWrittenDefault(
      duration(),
      '30s',
      'interval at which the names of endpoints are resolved',
    ),
    tls: optional(clusterTls(files), 'connects to the endpoints with TLS; without it, in plain text'),
    connectTimeoutMs: withWrittenDefault(
      duration(),
      '1s',
      'time-out of a connection attempt, including the TLS handshake',
    ),
    healthCheck: optional(healthCheck(), 'checks each endpoint periodically; without it, all are healthy'),
    outlierDetection: optional(outlierDetection(), 'ejects endpoints with bad responses; without it, none'),
    circuitBreaker: section(
      circuitBreaker(),
      'the limits of the cluster; requests beyond them are answered with 503',
    ),
    retry: optional(
      retry(),
      'retries failed requests; without it, a request goes on to another endpoint only when it could not connect',
    ),
  });
}

function endpoint(): Shape<EndpointConfig> {
  return camelCaseObject<EndpointConfig>({
    address: required(hostPort(), 'its address; each IP address of a name is a target'),
    weight: withDefault(
      integer({ min: 0, max: 1_000 }),
      1,
      'its share of the requests, relative to the others; `0`: it gets no new requests',
    ),
  });
}

function healthCheck(): Shape<HealthCheckConfig> {
  const path = string('a path such as /healthz', /^\/[\x21-\x7e]{0,1023}$/);
  const ranges = array(statusRange(), { min: 1, max: 100 });
  return camelCaseObject<HealthCheckConfig>({
    type: withDefault(oneOf(['http', 'tcp']), 'http', '`tcp` only connects'),
    path: withDefault(path, '/healthz', 'the path of the GET request; `http` only'),
    intervalMs: withWrittenDefault(duration(), '5s', 'the pause between two checks, ± a tenth'),
    timeoutMs: withWrittenDefault(duration(), '1s', 'time-out of a whole check'),
    healthyThreshold: withDefault(threshold, 2, 'passed checks in a row that make an endpoint healthy'),
    unhealthyThreshold: withDefault(threshold, 3, 'failed checks in a row that make it unhealthy'),
    expected: withWrittenDefault(ranges, ['200-299'], 'statuses that pass; `http` only'),
  });
}

function outlierDetection(): Shape<OutlierDetectionConfig> {
  return camelCaseObject<OutlierDetectionConfig>({
    consecutive5xx: withDefault(threshold, 5, 'responses of 500 and above, resets and time-outs in a row'),
    consecutiveConnectFailures: withDefault(threshold, 5, 'failed connections in a row'),
    baseEjectionTimeMs: withWrittenDefault(
      duration(),
      '30s',
      'duration of the first ejection; the n-th lasts n times as long',
    ),
    maxEjectionPercent: withDefault(
      percent,
      10,
      'share of the endpoints; one may be ejected in any case, the last never; `0`: none',
    ),
  });
}

/** Minimum number of requests to share: of fewer, a share would be too small to be useful. */
const SHARED_REQUESTS_MIN = 8;
const SHARE = 0.75;
const OFF = 'off';

interface WrittenBreaker extends Omit<CircuitBreakerConfig, 'maxRequestsPerClient'> {
  /** The only text is `off`. */
  readonly maxRequestsPerClient: number | string | undefined;
}

function circuitBreaker(): Shape<CircuitBreakerConfig> {
  const shape = camelCaseObject<WrittenBreaker>({
    maxConnections: withDefault(limit, 1_024, 'connections in use at once; further requests wait'),
    maxPendingRequests: withDefault(limitOrNone, 1_024, 'requests that wait for a connection'),
    maxRequests: withDefault(limit, 1_024, 'active requests'),
    maxRetries: withDefault(limitOrNone, 3, 'active retries of requests that were sent'),
    maxRequestsPerClient: optional(
      union(limit, oneOf([OFF])),
      "active and waiting requests of one client's address; default: three quarters of `max_requests`, or no limit when that is under 8; `off`: no limit. Behind a load balancer, set `trusted_proxies`",
    ),
  });
  return mapped(shape, ({ maxRequestsPerClient, ...limits }) =>
    Object.freeze({ ...limits, maxRequestsPerClient: shareOf(limits.maxRequests, maxRequestsPerClient) }),
  );
}

function shareOf(maxRequests: number, written: WrittenBreaker['maxRequestsPerClient']): number | undefined {
  if (written === undefined) {
    return maxRequests < SHARED_REQUESTS_MIN ? undefined : Math.floor(maxRequests * SHARE);
  }
  return typeof written === 'string' ? undefined : written;
}

function retry(): Shape<RetryConfig> {
  return camelCaseObject<RetryConfig>({
    on: withWrittenDefault(
      retryConditions(),
      RETRIED,
      'failures that are retried, always before response headers; without `connect_failure`, also no other endpoint is connected',
    ),
    max: withDefault(
      integer({ min: 1, max: 10 }),
      1,
      'attempts after the first, apart from endpoints that could not be connected',
    ),
    methods: withDefault(
      oneOf(['idempotent', 'all']),
      'idempotent',
      '`all` may repeat the effect of a POST; a failed connection is retried for every method',
    ),
    budgetPercent: withDefault(
      percent,
      20,
      'retries for each hundred requests; ten in ten seconds are always allowed, and every other endpoint after a failed connection',
    ),
  });
}

function retryConditions(): Shape<RetryConditions> {
  const condition = union(oneOf([CONNECT_FAILURE, RESET_BEFORE_HEADERS]), integer({ min: 500, max: 599 }));
  return mapped(array(condition, { min: 1, max: 100 }), (given) =>
    Object.freeze({
      connectFailure: given.includes(CONNECT_FAILURE),
      resetBeforeHeaders: given.includes(RESET_BEFORE_HEADERS),
      statusCodes: Object.freeze(given.filter((one) => typeof one === 'number')),
    }),
  );
}

/** Shape of `200`, or `200-299`. */
function statusRange(): Shape<StatusRange> {
  return parsed('a status from 100 to 599, or a range such as 200-299', (value) => {
    const isScalar = typeof value === 'string' || typeof value === 'number';
    const [, from = '', to = from] = /^(\d{3})(?:-(\d{3}))?$/.exec(isScalar ? String(value) : '') ?? [];
    const range = { from: Number(from), to: Number(to) };
    return range.from >= 100 && range.to <= 599 && range.from <= range.to ? Object.freeze(range) : undefined;
  });
}
