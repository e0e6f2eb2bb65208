import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { HttpMetrics } from './http-metrics.ts';

describe('HttpMetrics', () => {
  it('counts by route template and status, and all unmatched requests as one route', async () => {
    const registry = new Registry();
    const metrics = new HttpMetrics(registry, 'test_');

    metrics.count({ route: '/v1/entities/:id', status: 200 });
    metrics.count({ route: '/v1/entities/:id', status: 200 });
    metrics.count({ route: '/v1/entities/:id', status: 404 });
    metrics.count({ route: undefined, status: 404 });

    const text = await registry.metrics();
    expect(text).toContain('test_http_requests_total{route="/v1/entities/:id",status="200"} 2');
    expect(text).toContain('test_http_requests_total{route="/v1/entities/:id",status="404"} 1');
    expect(text).toContain('test_http_requests_total{route="unmatched",status="404"} 1');
  });
});
