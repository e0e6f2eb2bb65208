import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FAILURE_REASONS, type FailureReason, type ProxySnapshot } from '#proxy/engine';
import {
  clusterSnapshot,
  endpointSnapshot,
  listenerSnapshot,
  MetricsPage,
  proxySnapshot,
} from '#proxy/testing';
import { METRIC_FAMILIES, metricsText } from './metrics-text.ts';

const DURATIONS = {
  buckets: [
    { leSeconds: 0.001, count: 1 },
    { leSeconds: 0.5, count: 3 },
  ],
  count: 4,
  sumSeconds: 2.25,
  p50Ms: 1,
  p90Ms: 2,
  p99Ms: 3,
};

const BUSY: ProxySnapshot = proxySnapshot({
  downstreamCxTotal: 12,
  downstreamCxActive: 3,
  circuitBreakerRejected: 9,
  listeners: [
    listenerSnapshot('web', {
      cxTotal: 12,
      cxRefused: 2,
      requestsByClass: { '1xx': 0, '2xx': 40, '3xx': 1, '4xx': 2, '5xx': 3 },
      headerTimeouts: 5,
    }),
  ],
  clusters: [
    clusterSnapshot('api', {
      endpoints: [
        endpointSnapshot('a:1', { durations: DURATIONS, resets: 2, checksFailed: 7, activeRequests: 2 }),
        endpointSnapshot('b:2', { healthy: false, isEjected: true }),
      ],
      breaker: {
        max_connections: { used: 10, limit: 100, rejected: 0 },
        max_pending_requests: { used: 0, limit: 5, rejected: 4 },
        max_requests: { used: 9, limit: 8, rejected: 4 },
      },
      durations: DURATIONS,
    }),
  ],
  workers: [
    {
      number: 1,
      pid: 7,
      isServing: true,
      exits: 2,
      cxActive: 3,
      cpuSeconds: 0.5,
      residentBytes: 1_000,
    },
  ],
  routeCount: 4,
  configReloads: { applied: 2, rejected: 1, unchanged: 3 },
  breakerRejections: [
    {
      cluster: 'api',
      rejected: { max_connections: 0, max_pending_requests: 4, max_requests: 4, max_requests_per_client: 0 },
    },
    {
      cluster: 'gone',
      rejected: { max_connections: 1, max_pending_requests: 0, max_requests: 0, max_requests_per_client: 0 },
    },
  ],
});

describe('metricsText', () => {
  it('begins with the four specified families, without labels, before any traffic', () => {
    const text = metricsText(proxySnapshot({ state: 'INITIALIZING' }));

    expect(text.split('\n').slice(0, 12)).toEqual([
      '# HELP plexus_downstream_cx_total Total downstream connections accepted',
      '# TYPE plexus_downstream_cx_total counter',
      'plexus_downstream_cx_total 0',
      '# HELP plexus_downstream_cx_active Active downstream connections',
      '# TYPE plexus_downstream_cx_active gauge',
      'plexus_downstream_cx_active 0',
      expect.stringMatching(/^# HELP plexus_circuit_breaker_rejected Circuit breaker rejections/),
      '# TYPE plexus_circuit_breaker_rejected counter',
      'plexus_circuit_breaker_rejected 0',
      '# HELP plexus_server_live Liveness: 1 while GET /ready answers 200',
      '# TYPE plexus_server_live gauge',
      'plexus_server_live 0',
    ]);
  });

  it('follows the rules of the format, with the families in order', () => {
    const { families } = new MetricsPage(metricsText(BUSY));

    expect(families.map(({ name, type, help }) => ({ name, type, help }))).toEqual(
      METRIC_FAMILIES.map(({ name, type, help }) => ({ name, type, help })),
    );
  });

  it('contains the worker families only with workers', () => {
    const page = new MetricsPage(metricsText(BUSY));
    const { families } = new MetricsPage(metricsText(proxySnapshot()));

    expect(page.value('plexus_worker_exits_total', { worker: '1' })).toBe(2);
    expect(families.filter(({ name }) => name.startsWith('plexus_worker_'))).toEqual([]);
  });

  it('ends counter names in _total, except the specified one', () => {
    const names = METRIC_FAMILIES.filter(({ type }) => type === 'counter').map(({ name }) => name);

    expect(names.filter((name) => !name.endsWith('_total'))).toEqual(['plexus_circuit_breaker_rejected']);
  });

  it('reports rejections by cluster and limit that add up to the specified counter', () => {
    const page = new MetricsPage(metricsText(BUSY));

    expect(page.sum('plexus_cluster_circuit_breaker_rejected_total')).toBe(9);
    expect(page.value('plexus_circuit_breaker_rejected')).toBe(9);
    expect(
      page.value('plexus_cluster_circuit_breaker_rejected_total', {
        cluster: 'gone',
        reason: 'max_connections',
      }),
    ).toBe(1);
  });

  it.each([
    ['plexus_server_live', {}, 1],
    ['plexus_config_routes', {}, 4],
    ['plexus_config_reloads_total', { result: 'rejected' }, 1],
    ['plexus_listener_cx_refused_total', { listener: 'web' }, 2],
    ['plexus_listener_responses_total', { listener: 'web', code: '2xx' }, 40],
    ['plexus_listener_timeouts_total', { listener: 'web', limit: 'header' }, 5],
    ['plexus_cluster_endpoints', { cluster: 'api' }, 2],
    ['plexus_cluster_endpoints_healthy', { cluster: 'api' }, 1],
    ['plexus_cluster_circuit_breaker_remaining', { cluster: 'api', limit: 'max_connections' }, 90],
    ['plexus_cluster_circuit_breaker_remaining', { cluster: 'api', limit: 'max_requests' }, 0],
    ['plexus_cluster_circuit_breaker_remaining', { cluster: 'api', limit: 'max_retries' }, 3],
    ['plexus_endpoint_healthy', { cluster: 'api', endpoint: 'b:2' }, 0],
    ['plexus_endpoint_ejected', { cluster: 'api', endpoint: 'b:2' }, 1],
    ['plexus_endpoint_failures_total', { endpoint: 'a:1', reason: 'reset' }, 2],
    ['plexus_endpoint_checks_total', { endpoint: 'a:1', result: 'failed' }, 7],
    ['plexus_endpoint_request_duration_seconds_bucket', { endpoint: 'a:1', le: '0.5' }, 3],
    ['plexus_endpoint_request_duration_seconds_count', { endpoint: 'a:1' }, 4],
    ['plexus_endpoint_request_duration_seconds_sum', { endpoint: 'a:1' }, 2.25],
    ['plexus_cluster_request_duration_seconds_bucket', { cluster: 'api', le: '+Inf' }, 4],
  ])('reports %s %j %d', (name, labels, value) => {
    expect(new MetricsPage(metricsText(BUSY)).value(name, labels)).toBe(value);
  });

  it('omits values that the engine does not provide', () => {
    const unknown = { used: undefined, limit: undefined, rejected: undefined };
    const breaker = { max_connections: unknown, max_pending_requests: unknown, max_requests: unknown };
    const retries = {
      active: undefined,
      limit: undefined,
      made: 4,
      overLimit: undefined,
      overBudget: undefined,
    };
    const endpoints = [endpointSnapshot('a:1', { isEjected: undefined, timeouts: undefined, resets: 1 })];
    const cluster = clusterSnapshot('api', { breaker, retries, endpoints, noHealthyEndpoint: undefined });
    const page = new MetricsPage(metricsText(proxySnapshot({ clusters: [cluster] })));

    expect(page.samples('plexus_cluster_circuit_breaker_remaining')).toEqual([]);
    expect(page.samples('plexus_cluster_no_healthy_endpoint_total')).toEqual([]);
    expect(page.samples('plexus_cluster_retries_skipped_total')).toEqual([]);
    expect(page.samples('plexus_cluster_upstream_failures_total')).toEqual([]);
    expect(page.samples('plexus_endpoint_ejected')).toEqual([]);
    expect(page.samples('plexus_endpoint_failures_total').map(({ labels }) => labels['reason'])).toEqual([
      'connect',
      'reset',
    ]);
    expect(page.value('plexus_cluster_retries_total', { cluster: 'api' })).toBe(4);
  });

  it('reports upstream failures by reason, with all reasons from the start', () => {
    const upstreamFailures = Object.fromEntries(FAILURE_REASONS.map((reason) => [reason, 0]));
    const counts = { ...upstreamFailures, dns: 3 } as Record<FailureReason, number>;
    const cluster = clusterSnapshot('api', { upstreamFailures: counts });
    const page = new MetricsPage(metricsText(proxySnapshot({ clusters: [cluster] })));

    const samples = page.samples('plexus_cluster_upstream_failures_total');

    expect(samples.map(({ labels, value }) => [labels['reason'], value])).toEqual([
      ['connection_refused', 0],
      ['connect_timeout', 0],
      ['dns', 3],
      ['certificate_expired', 0],
      ['certificate_wrong_name', 0],
      ['certificate_unknown_issuer', 0],
      ['protocol', 0],
      ['reset', 0],
      ['timeout', 0],
      ['no_free_place', 0],
    ]);
  });

  it('numbers endpoints that share an address, so that no sample occurs twice', () => {
    const endpoints = [
      endpointSnapshot('a:1'),
      endpointSnapshot('a:1', { activeRequests: 5 }),
      endpointSnapshot('a:1', { activeRequests: 6 }),
    ];
    const snapshot = proxySnapshot({ clusters: [clusterSnapshot('api', { endpoints })] });

    const samples = new MetricsPage(metricsText(snapshot)).samples('plexus_endpoint_requests_active');

    expect(samples.map(({ labels, value }) => [labels['endpoint'], value])).toEqual([
      ['a:1', 0],
      ['a:1#2', 5],
      ['a:1#3', 6],
    ]);
  });

  it('accepts any text as a label value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const text = metricsText(proxySnapshot({ listeners: [listenerSnapshot(name)] }));

        const [sample] = new MetricsPage(text).samples('plexus_listener_cx_total');

        expect(sample?.labels['listener']).toBe(name);
      }),
    );
  });
});
