/** Exports a registry over OTLP. Loaded only when a receiver is configured. */
import { type HrTime, ValueType } from '@opentelemetry/api';
import { ExportResultCode } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  type DataPoint,
  DataPointType,
  type Histogram,
  MeterProvider,
  type MetricData,
  type MetricProducer,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValueWithName, Registry } from 'prom-client';
import { VERSION } from '#platform/foundation';
import type { Log } from '../logging/create-logger.ts';
import { resourceOf } from '../tracing/otel-resource.ts';
import type { MetricsExportSettings } from './metrics-export-settings.ts';

type Family = MetricObjectWithValues<MetricValueWithName<string>>;

const MS_PER_S = 1_000;
const NS_PER_MS = 1_000_000;
/** Minimum interval between two log lines about an unreachable receiver. */
const LOG_INTERVAL_MS = 60_000;
const REASON_LENGTH_MAX = 200;

/** Reads a registry of prom-client as OpenTelemetry's data model, so that both have the same series. */
class RegistryProducer implements MetricProducer {
  readonly #registry: Registry;
  readonly #resource: Resource;
  readonly #startTime = timeOf(Date.now());

  constructor(registry: Registry, resource: Resource) {
    this.#registry = registry;
    this.#resource = resource;
  }

  async collect(): Promise<CollectionResult> {
    const families: readonly Family[] = await this.#registry.getMetricsAsJSON();
    const period = { startTime: this.#startTime, endTime: timeOf(Date.now()) };
    const metrics = families.flatMap((family) => dataOf(family, period));
    const scopeMetrics = [{ scope: { name: 'plexus', version: VERSION }, metrics }];
    return { resourceMetrics: { resource: this.#resource, scopeMetrics }, errors: [] };
  }
}

interface Period {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

function timeOf(ms: number): HrTime {
  return [Math.floor(ms / MS_PER_S), Math.round((ms % MS_PER_S) * NS_PER_MS)];
}

/** Nothing for a family without values: OTLP has no empty metrics. */
function dataOf(family: Family, period: Period): readonly MetricData[] {
  const { name, help: description, values } = family;
  if (values.length === 0) return [];
  const base = {
    descriptor: { name, description, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  // prom-client's type is a const enum, which the text below does not compare with.
  switch (String(family.type)) {
    case 'counter':
      return [
        {
          ...base,
          dataPointType: DataPointType.SUM,
          isMonotonic: true,
          dataPoints: pointsOf(values, period),
        },
      ];
    case 'histogram':
      return [{ ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramsOf(family, period) }];
    default:
      return [{ ...base, dataPointType: DataPointType.GAUGE, dataPoints: pointsOf(values, period) }];
  }
}

function pointsOf(values: Family['values'], period: Period): DataPoint<number>[] {
  return values.map(({ value, labels }) => ({ ...period, attributes: textsOf(labels), value }));
}

type Labels = Readonly<Record<string, string>>;

function textsOf(labels: Readonly<Record<string, string | number | undefined>>): Labels {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));
}

/** The series of one set of labels: cumulative buckets by upper bound, sum and count. */
interface Buckets {
  readonly labels: Labels;
  readonly upTo: Map<number, number>;
  sum: number;
  count: number;
}

function histogramsOf({ name, values }: Family, period: Period): DataPoint<Histogram>[] {
  const series = new Map<string, Buckets>();
  for (const { metricName, labels, value } of values) {
    const { le, ...own } = textsOf(labels);
    const key = JSON.stringify(Object.entries(own).sort());
    const buckets = series.get(key) ?? { labels: own, upTo: new Map(), sum: 0, count: 0 };
    series.set(key, buckets);
    if (metricName === `${name}_sum`) buckets.sum = value;
    else if (metricName === `${name}_count`) buckets.count = value;
    else if (le !== '+Inf') buckets.upTo.set(Number(le), value);
  }
  return Array.from(series.values(), (buckets) => ({
    ...period,
    attributes: buckets.labels,
    value: histogramOf(buckets),
  }));
}

/** Prometheus counts up to a bound, OTLP between two. */
function histogramOf({ upTo, sum, count }: Buckets): Histogram {
  const bounds = [...upTo.keys()].sort((a, b) => a - b);
  const cumulative = [...bounds.map((bound) => upTo.get(bound) ?? 0), count];
  const counts = cumulative.map((value, at) => value - (cumulative[at - 1] ?? 0));
  return { buckets: { boundaries: bounds, counts }, sum, count };
}

/** Logs failed exports at a limited rate; the values are cumulative, so that the next export has them too. */
class LoggedExporter implements PushMetricExporter {
  readonly #exporter: PushMetricExporter;
  readonly #log: Log;
  #loggedAtMs = -Infinity;
  #suppressed = 0;

  constructor(exporter: PushMetricExporter, log: Log) {
    this.#exporter = exporter;
    this.#log = log;
  }

  export(metrics: ResourceMetrics, done: Parameters<PushMetricExporter['export']>[1]): void {
    this.#exporter.export(metrics, (result) => {
      if (result.error !== undefined) this.#failed(result.error);
      done({ code: ExportResultCode.SUCCESS });
    });
  }

  forceFlush(): Promise<void> {
    return this.#exporter.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  /** The message has no URL and no text of the receiver beyond its status. */
  #failed(error: Error): void {
    const nowMs = performance.now();
    if (nowMs - this.#loggedAtMs < LOG_INTERVAL_MS) {
      this.#suppressed += 1;
      return;
    }
    const reason = error.message.slice(0, REASON_LENGTH_MAX);
    const fields = { event: 'metrics.not_exported', reason, suppressed: this.#suppressed };
    this.#log.warn(fields, 'metrics not exported');
    this.#loggedAtMs = nowMs;
    this.#suppressed = 0;
  }
}

/** Exports all metrics of a registry at intervals, and once more when it is closed. */
export class OtlpMetrics {
  readonly #provider: MeterProvider;
  readonly #closeMs: number;

  constructor(
    { url, intervalMs, timeoutMs }: MetricsExportSettings,
    service: string,
    registry: Registry,
    log: Log,
  ) {
    const resource = resourceOf(service);
    const exporter = new OTLPMetricExporter({ url, timeoutMillis: timeoutMs });
    const reader = new PeriodicExportingMetricReader({
      exporter: new LoggedExporter(exporter, log),
      exportIntervalMillis: intervalMs,
      exportTimeoutMillis: timeoutMs,
      metricProducers: [new RegistryProducer(registry, resource)],
    });
    this.#provider = new MeterProvider({ resource, readers: [reader] });
    this.#closeMs = timeoutMs;
  }

  /** Resolves soon even if the receiver hangs; never rejects. */
  async close(): Promise<void> {
    await this.#provider.shutdown({ timeoutMillis: this.#closeMs }).catch(() => undefined);
  }
}
