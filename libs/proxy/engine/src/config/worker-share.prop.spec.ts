import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BARE_MACHINE } from './machine.ts';
import { ConfigFiles } from './config-files.ts';
import { parseProxyConfig } from './load/parse-proxy-config.ts';
import { workerShare } from './worker-share.ts';

const limits = fc.record({
  max_connections: fc.integer({ min: 64, max: 100_000 }),
  max_requests: fc.integer({ min: 64, max: 100_000 }),
  max_pending_requests: fc.integer({ min: 0, max: 100_000 }),
  max_retries: fc.integer({ min: 0, max: 100_000 }),
  max_requests_per_client: fc.integer({ min: 1, max: 100_000 }),
});
const workers = fc.integer({ min: 2, max: 64 });
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function parse(breaker: object, count: number): ReturnType<typeof parseProxyConfig> {
  const text = JSON.stringify({
    workers: count,
    listeners: [{ name: 'web', address: '127.0.0.1:80', max_connections: 100 }],
    clusters: [{ name: 'api', endpoints: [{ address: '127.0.0.1:81' }], circuit_breaker: breaker }],
    routes: [{ prefix: '/', cluster: 'api' }],
  });
  const files = new ConfigFiles('/', new Map());
  return parseProxyConfig(text, { file: 'x', files, environment: {}, machine: BARE_MACHINE, nowMs: 0 });
}

describe('workerShare', () => {
  it('adds up to the limits over all workers, but with at least one for each', () => {
    fc.assert(
      fc.property(limits, workers, (breaker, count) => {
        const config = parse(breaker, count);
        const whole = config.clusters[0]?.circuitBreaker;

        const shares = Array.from({ length: count }, (_, index) => workerShare(config, { index, count }));

        const breakers = shares.flatMap(({ clusters }) => clusters.map((cluster) => cluster.circuitBreaker));
        const atLeast = (limit: number): number => (limit === 0 ? 0 : Math.max(limit, count));
        expect(sum(breakers.map(({ maxConnections }) => maxConnections))).toBe(whole?.maxConnections);
        expect(sum(breakers.map(({ maxRequests }) => maxRequests))).toBe(whole?.maxRequests);
        expect(sum(breakers.map(({ maxPendingRequests }) => maxPendingRequests))).toBe(
          atLeast(breaker.max_pending_requests),
        );
        expect(sum(breakers.map(({ maxRetries }) => maxRetries))).toBe(atLeast(breaker.max_retries));
        expect(sum(shares.map(({ listeners }) => listeners[0]?.maxConnections ?? 0))).toBe(100);
        for (const { maxRequestsPerClient = 0 } of breakers) {
          expect(maxRequestsPerClient).toBe(Math.ceil(breaker.max_requests_per_client / count));
        }
      }),
    );
  });
});
