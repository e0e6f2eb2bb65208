import {
  type IgnoredSetting,
  millisecondsOf,
  signalUrl,
  type TracingEnvironment,
} from '../tracing/tracing-settings.ts';

export interface MetricsExportSettings {
  /** The URL to which metrics are posted. */
  readonly url: string;
  /** Time between two exports. */
  readonly intervalMs: number;
  /** Time-out of one export; not above the interval. */
  readonly timeoutMs: number;
}

const OWN_ENDPOINT = 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT';
const GENERAL_ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';
const EXPORTER = 'OTEL_METRICS_EXPORTER';
/** Shorter than OpenTelemetry's minute, in which a short load run would have no point. */
const INTERVAL_MS = 10_000;
const TIMEOUT_MS = 3_000;

/**
 * Undefined: no export. Metrics have a page of their own, so a general endpoint exports them only with
 * `OTEL_METRICS_EXPORTER=otlp`: many collectors of traces take no metrics. An invalid variable is reported to
 * `ignored`, as OpenTelemetry requires.
 */
export function readMetricsExport(
  environment: TracingEnvironment,
  ignored: (setting: IgnoredSetting) => void,
): MetricsExportSettings | undefined {
  const read = (name: string): string | undefined => environment[name]?.trim() || undefined;
  const exporter = read(EXPORTER);
  if (read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true' || exporter === 'none') return undefined;
  if (exporter !== undefined && exporter !== 'otlp') {
    ignored({ variable: EXPORTER, expected: 'otlp or none' });
  }
  const known = exporter === 'otlp' ? [OWN_ENDPOINT, GENERAL_ENDPOINT] : [OWN_ENDPOINT];
  const endpoint = known.find((name) => read(name) !== undefined);
  if (endpoint === undefined) return undefined;
  const text = read(endpoint) ?? '';
  const url = signalUrl(endpoint, text, 'metrics');
  if (url === undefined) {
    ignored({ variable: endpoint, expected: 'an http or https URL' });
    return undefined;
  }
  const intervalMs = millisecondsOf(environment, ['OTEL_METRIC_EXPORT_INTERVAL']) ?? INTERVAL_MS;
  const timeoutMs =
    millisecondsOf(environment, ['OTEL_METRIC_EXPORT_TIMEOUT', 'OTEL_EXPORTER_OTLP_TIMEOUT']) ?? TIMEOUT_MS;
  return { url, intervalMs, timeoutMs: Math.min(timeoutMs, intervalMs) };
}
