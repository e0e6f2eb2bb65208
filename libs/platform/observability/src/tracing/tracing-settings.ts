/** OpenTelemetry's environment variables that enable tracing and select the sampler. */

export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type SamplerName = (typeof SAMPLERS)[number];

export interface TracingSettings {
  /** The URL to which spans are posted. */
  readonly url: string;
  readonly sampler: SamplerName;
  /** The share of traces that the ratio samplers keep, 0 to 1. */
  readonly ratio: number;
  /** Time-out of one export. */
  readonly timeoutMs: number;
  /** The delay in which spans are batched before an export. */
  readonly delayMs: number;
}

export type TracingEnvironment = Readonly<Record<string, string | undefined>>;

/** An ignored variable. Its value is not reported: it may be a secret under the wrong name. */
export interface IgnoredSetting {
  readonly variable: string;
  readonly expected: string;
}

const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const;
const TIMEOUTS = ['OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', 'OTEL_EXPORTER_OTLP_TIMEOUT'] as const;
const PROTOCOLS = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'] as const;
/** Shorter than OpenTelemetry's 10 s, because a stop may wait this long for a collector that hangs. */
const TIMEOUT_MS = 3_000;
const TIMEOUT_MS_MAX = 60_000;
const DELAYS = ['OTEL_BSP_SCHEDULE_DELAY'] as const;
const DELAY_MS = 1_000;
const DELAY_MS_MAX = 3_600_000;

/**
 * Undefined: no tracing. As the OpenTelemetry specification requires, an invalid variable is reported to
 * `ignored` and is not an error.
 */
export function readTracingSettings(
  environment: TracingEnvironment,
  ignored: (setting: IgnoredSetting) => void,
): TracingSettings | undefined {
  const read = (name: string): string | undefined => environment[name]?.trim() || undefined;
  if (read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined;
  if (read('OTEL_TRACES_EXPORTER') === 'none') return undefined;
  const endpoint = ENDPOINTS.find((name) => read(name) !== undefined);
  if (endpoint === undefined) return undefined;
  const url = signalUrl(endpoint, read(endpoint) ?? '', 'traces');
  if (url === undefined) {
    ignored({ variable: endpoint, expected: 'an http or https URL' });
    return undefined;
  }
  for (const name of PROTOCOLS) {
    if (!(read(name) ?? 'http/json').startsWith('http/')) {
      ignored({ variable: name, expected: 'http/json, the only supported protocol' });
    }
  }
  return {
    url,
    sampler: samplerOf(read('OTEL_TRACES_SAMPLER'), ignored),
    ratio: ratioOf(read('OTEL_TRACES_SAMPLER_ARG'), ignored),
    timeoutMs: Math.min(millisecondsOf(environment, TIMEOUTS) ?? TIMEOUT_MS, TIMEOUT_MS_MAX),
    delayMs: millisecondsOf(environment, DELAYS) ?? DELAY_MS,
  };
}

/** The endpoint of a signal is used verbatim; the path of the signal is appended to the general endpoint. */
export function signalUrl(variable: string, text: string, signal: 'traces' | 'metrics'): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  return variable === 'OTEL_EXPORTER_OTLP_ENDPOINT' ? `${text.replace(/\/+$/, '')}/v1/${signal}` : text;
}

function samplerOf(text: string | undefined, ignored: (setting: IgnoredSetting) => void): SamplerName {
  const fallback = 'parentbased_always_on';
  if (text === undefined) return fallback;
  const known = SAMPLERS.find((name) => name === text);
  if (known === undefined) ignored({ variable: 'OTEL_TRACES_SAMPLER', expected: SAMPLERS.join(', ') });
  return known ?? fallback;
}

function ratioOf(text: string | undefined, ignored: (setting: IgnoredSetting) => void): number {
  if (text === undefined) return 1;
  const ratio = Number(text);
  if (ratio >= 0 && ratio <= 1) return ratio;
  ignored({ variable: 'OTEL_TRACES_SAMPLER_ARG', expected: 'a number from 0 to 1' });
  return 1;
}

/** The first valid number of milliseconds; undefined when there is none. */
export function millisecondsOf(
  environment: TracingEnvironment,
  names: readonly string[],
): number | undefined {
  const given = names.map((name) => Number(environment[name] ?? ''));
  return given.find((ms) => ms > 0 && ms <= DELAY_MS_MAX);
}
