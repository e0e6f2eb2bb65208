import type { Log } from '../logging/create-logger.ts';
import { setSpanSource } from './tracing.ts';
import { readTracingSettings, type TracingEnvironment } from './tracing-settings.ts';

export interface TracingOptions {
  /** Of which OpenTelemetry's variables are heeded. */
  readonly environment: TracingEnvironment;
  /** The name of the program. */
  readonly service: string;
}

export interface RunningTracing {
  /** Hands over what is left, as far as the collector takes it soon. Never rejects. */
  close(): Promise<void>;
}

/** From now on spans go to the collector that the environment names; undefined: it names none. */
export async function startTracing(
  { environment, service }: TracingOptions,
  log: Log,
): Promise<RunningTracing | undefined> {
  const settings = readTracingSettings(environment, (setting) => {
    log.warn({ event: 'tracing.setting_ignored', ...setting }, 'a variable of OpenTelemetry is ignored');
  });
  if (settings === undefined) return undefined;
  const { OtelSource } = await import('./otel-source.ts');
  const source = new OtelSource({ settings, service, log });
  setSpanSource(source);
  const { sampler, ratio } = settings;
  log.info({ event: 'tracing.on', sampler, ratio }, 'spans go to the collector');
  return {
    close: async () => {
      setSpanSource(undefined);
      await source.close();
    },
  };
}
