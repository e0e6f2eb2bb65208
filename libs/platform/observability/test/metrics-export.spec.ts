import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type Log, type RunningTracing, startMetricsExport } from '#platform/observability';
import { type CollectedPoint, OtlpCollector } from '#testing';

describe('the export of metrics', () => {
  let collector: OtlpCollector;
  let registry: Registry;
  let running: RunningTracing | undefined;
  let lines: { readonly event?: string; readonly variable?: string; readonly reason?: string }[];
  let log: Log;

  beforeEach(async () => {
    collector = await OtlpCollector.start();
    registry = new Registry();
    running = undefined;
    lines = [];
    const tell = (fields: object) => lines.push(fields);
    log = { debug: tell, info: tell, warn: tell, error: tell, fatal: tell };
  });
  afterEach(async () => {
    await running?.close();
    await collector.stop();
  });

  /** A long interval: only the end exports. */
  async function start(environment: Readonly<Record<string, string>>): Promise<void> {
    const whole = { OTEL_METRIC_EXPORT_INTERVAL: '3600000', ...environment };
    running = await startMetricsExport({ environment: whole, service: 'a-service' }, registry, log);
  }

  async function exported(): Promise<readonly CollectedPoint[]> {
    await start({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${collector.url}/own/path` });
    await running?.close();
    running = undefined;
    return collector.exports.entries.at(-1) ?? [];
  }

  it.each([
    ['no endpoint', {}],
    ['an endpoint of all signals alone', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }],
    [
      'OTEL_METRICS_EXPORTER=none',
      { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://127.0.0.1:1', OTEL_METRICS_EXPORTER: 'none' },
    ],
    [
      'OTEL_SDK_DISABLED',
      { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://127.0.0.1:1', OTEL_SDK_DISABLED: 'true' },
    ],
    ['an invalid endpoint', { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'ftp://s3cret@x' }],
  ])('is off with %s', async (_, environment) => {
    await start(environment);

    expect(running).toBeUndefined();
    expect(JSON.stringify(lines)).not.toContain('s3cret');
  });

  it('posts to the path of metrics below an endpoint of all signals, if metrics are asked for', async () => {
    new Gauge({ name: 'a_gauge', help: 'h', registers: [registry] }).set(1);
    await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_METRICS_EXPORTER: 'otlp' });

    await running?.close();

    expect(collector.requests.map(({ path }) => path)).toEqual(['/v1/metrics']);
  });

  it('has the labels and values of counters and gauges', async () => {
    new Counter({ name: 'a_total', help: 'h', labelNames: ['kind'], registers: [registry] }).inc(
      { kind: 'x' },
      3,
    );
    new Gauge({ name: 'a_gauge', help: 'h', registers: [registry] }).set(-0.5);

    const points = await exported();

    expect(collector.requests[0]?.path).toBe('/own/path');
    expect(points).toEqual([
      { name: 'a_total', service: 'a-service', kind: 'sum', attributes: { kind: 'x' }, value: 3 },
      { name: 'a_gauge', service: 'a-service', kind: 'gauge', attributes: {}, value: -0.5 },
    ]);
  });

  it('has the counts between the bounds of histograms, for each set of labels', async () => {
    const histogram = new Histogram({
      name: 'a_seconds',
      help: 'h',
      labelNames: ['way'],
      buckets: [0.1, 1],
      registers: [registry],
    });
    for (const value of [0.05, 0.5, 0.6, 7]) histogram.observe({ way: 'raw' }, value);
    histogram.observe({ way: 'sync' }, 0.1);

    const points = await exported();

    expect(points.map(({ attributes, value, buckets }) => [attributes, value, buckets])).toEqual([
      [
        { way: 'raw' },
        4,
        [
          { upTo: 0.1, count: 1 },
          { upTo: 1, count: 2 },
          { upTo: Infinity, count: 1 },
        ],
      ],
      [
        { way: 'sync' },
        1,
        [
          { upTo: 0.1, count: 1 },
          { upTo: 1, count: 0 },
          { upTo: Infinity, count: 0 },
        ],
      ],
    ]);
  });

  it('says once that the receiver refuses, without its text and the URL', async () => {
    new Gauge({ name: 'a_gauge', help: 'h', registers: [registry] }).set(1);
    collector.answer = (reply) => {
      reply.statusCode = 400;
      reply.end('leaked by the receiver');
    };

    await exported();

    const said = lines.filter(({ event }) => event === 'metrics.not_exported');
    expect(said).toHaveLength(1);
    expect(JSON.stringify(said)).not.toMatch(/leaked|127\.0\.0\.1/);
  });
});
