import { describe, expect, it } from '@jest/globals';
import { clusterSnapshot, endpointSnapshot, listenerSnapshot, proxySnapshot } from '#proxy/testing';
import { EndpointTable } from '../endpoint/endpoint-table.ts';
import { clusterListAnswer, configSummaryAnswer, detailText, readyAnswer } from './snapshot-answers.ts';
import { methodNotAllowedAnswer, notFoundAnswer } from './refusal.ts';

const COMMON = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
const { endpoints } = new EndpointTable({ extensions: false });

const NOT_FOUND_TEXT = `Not Found: /nope
GET /stats - metrics in the Prometheus text format
GET /clusters - clusters with their endpoints and health
GET /config - number of listeners, clusters and routes
GET /ready - LIVE while the proxy accepts traffic
`;

describe('readyAnswer', () => {
  it('returns four bytes with 200 when LIVE', () => {
    expect(readyAnswer('LIVE')).toEqual({
      status: 200,
      headers: { 'Content-Type': 'text/plain; charset=utf-8', ...COMMON },
      body: 'LIVE',
    });
  });

  it.each(['PRE_INITIALIZING', 'INITIALIZING', 'DRAINING'] as const)('returns %s with 503', (state) => {
    expect(readyAnswer(state)).toMatchObject({ status: 503, body: state });
  });
});

describe('clusterListAnswer', () => {
  it('returns exactly the specified fields, in the order of the file', () => {
    const snapshot = proxySnapshot({
      clusters: [
        clusterSnapshot('z', {
          endpoints: [
            endpointSnapshot('b:2', { healthy: false, activeRequests: 3 }),
            endpointSnapshot('[::1]:80'),
          ],
        }),
        clusterSnapshot('a'),
      ],
    });

    expect(clusterListAnswer(snapshot)).toEqual({
      status: 200,
      headers: { 'Content-Type': 'application/json', ...COMMON },
      body:
        '{"clusters":[{"name":"z","endpoints":[{"address":"b:2","healthy":false,"active_requests":3},' +
        '{"address":"[::1]:80","healthy":true,"active_requests":0}]},{"name":"a","endpoints":[]}]}',
    });
  });

  it('returns an empty list without clusters', () => {
    expect(clusterListAnswer(proxySnapshot()).body).toBe('{"clusters":[]}');
  });
});

describe('configSummaryAnswer', () => {
  it('returns the counts', () => {
    const snapshot = proxySnapshot({
      listeners: [listenerSnapshot('web'), listenerSnapshot('pg')],
      clusters: [clusterSnapshot('api')],
      routeCount: 7,
    });

    expect(configSummaryAnswer(snapshot)).toEqual({
      status: 200,
      headers: { 'Content-Type': 'application/json', ...COMMON },
      body: '{"listeners":2,"clusters":1,"routes":7}',
    });
  });
});

describe('notFoundAnswer', () => {
  it('names the path, and lists the endpoints', () => {
    const request = { method: 'GET', path: '/nope', accept: undefined };

    expect(notFoundAnswer(request, endpoints)).toEqual({
      status: 404,
      headers: { 'Content-Type': 'text/plain; charset=utf-8', ...COMMON },
      body: NOT_FOUND_TEXT,
    });
  });

  it('returns JSON to clients that prefer it', () => {
    const request = { method: 'GET', path: '/"nope"', accept: 'application/json' };

    const { headers, body } = notFoundAnswer(request, endpoints);

    expect(headers['Content-Type']).toBe('application/json');
    expect(JSON.parse(body)).toEqual({ error: 'Not Found', path: '/"nope"', endpoints });
  });
});

describe('methodNotAllowedAnswer', () => {
  it('returns the same list under another title, with the allowed methods', () => {
    const request = { method: 'POST', path: '/stats', accept: undefined };

    const { status, headers, body } = methodNotAllowedAnswer(request, ['GET', 'HEAD'], endpoints);

    expect(status).toBe(405);
    expect(headers).toEqual({
      'Content-Type': 'text/plain; charset=utf-8',
      Allow: 'GET, HEAD',
      ...COMMON,
    });
    expect(body).toBe(NOT_FOUND_TEXT.replace('Not Found: /nope', 'Method Not Allowed: POST /stats'));
  });
});

describe('detailText', () => {
  it('writes the snapshot in snake case, with null for unknown values and quantiles for histograms', () => {
    const durations = {
      buckets: [{ leSeconds: 1, count: 2 }],
      count: 2,
      sumSeconds: 1.5,
      p50Ms: 3,
      p90Ms: 4,
      p99Ms: undefined,
    };
    const endpoint = endpointSnapshot('a:1', { durations });
    const clusters = [clusterSnapshot('api', { endpoints: [endpoint] })];

    const detail = JSON.parse(detailText(proxySnapshot({ clusters }))) as object;

    expect(detail).toMatchObject({
      state: 'LIVE',
      uptime_ms: 0,
      circuit_breaker_rejected: 0,
      clusters: [
        {
          lb_policy: 'round_robin',
          durations: null,
          breaker: { max_requests: { used: 0, limit: 1_024, rejected: 0 } },
          endpoints: [
            {
              address: 'a:1',
              is_ejected: false,
              ejected_until_ms: null,
              requests_by_class: { '2xx': 0 },
              durations: { count: 2, sum_seconds: 1.5, p50_ms: 3, p90_ms: 4, p99_ms: null },
            },
          ],
        },
      ],
    });
    expect(JSON.stringify(detail)).not.toContain('buckets');
  });
});
