import type { Registry } from 'prom-client';
import type { Log } from '../logging/create-logger.ts';
import type { RunningTracing, TracingOptions } from '../tracing/start-tracing.ts';
import { readMetricsExport } from './metrics-export-settings.ts';

/** Starts the export of all metrics to the receiver that the environment names; undefined without one. */
export async function startMetricsExport(
  { environment, service }: TracingOptions,
  registry: Registry,
  log: Log,
): Promise<RunningTracing | undefined> {
  const settings = readMetricsExport(environment, (setting) => {
    log.warn({ event: 'metrics.setting_ignored', ...setting }, 'OpenTelemetry variable ignored');
  });
  if (settings === undefined) return undefined;
  const { OtlpMetrics } = await import('./otlp-metrics.ts');
  const metrics = new OtlpMetrics(settings, service, registry, log);
  log.info({ event: 'metrics.exporting', interval_ms: settings.intervalMs }, 'export of metrics started');
  return metrics;
}
