import type { Log } from '../logging/create-logger.ts';
import { setSpanSource } from './tracing.ts';
import { readTracingSettings, type TracingEnvironment } from './tracing-settings.ts';

export interface TracingOptions {
  /** The environment with OpenTelemetry's variables. */
  readonly environment: TracingEnvironment;
  /** Name of the program. */
  readonly service: string;
}

export interface RunningTracing {
  /** Exports the remaining spans, within a limited time. Never rejects. */
  close(): Promise<void>;
}

/** Starts the export of spans to the collector named by the environment; undefined when it names none. */
export async function startTracing(
  { environment, service }: TracingOptions,
  log: Log,
): Promise<RunningTracing | undefined> {
  const settings = readTracingSettings(environment, (setting) => {
    log.warn({ event: 'tracing.setting_ignored', ...setting }, 'OpenTelemetry variable ignored');
  });
  if (settings === undefined) return undefined;
  const { OtelSource } = await import('./otel-source.ts');
  const source = new OtelSource({ settings, service, log });
  setSpanSource(source);
  const { sampler, ratio } = settings;
  log.info({ event: 'tracing.on', sampler, ratio }, 'tracing started');
  return {
    close: async () => {
      setSpanSource(undefined);
      await source.close();
    },
  };
}
