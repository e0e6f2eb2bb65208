/** Spans by OpenTelemetry. Loaded only when a collector is configured. */
import {
  type Context,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  type Span as OtelSpan,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { AsyncLocalStorage } from 'node:async_hooks';
import { DomainError, VERSION } from '#platform/foundation';
import type { Log } from '../logging/create-logger.ts';
import { resourceOf } from './otel-resource.ts';
import { formatTraceParent, parseTraceParent } from './trace-parent.ts';
import type { Span, SpanAttributes, SpanOptions, SpanSource } from './tracing.ts';
import type { SamplerName, TracingSettings } from './tracing-settings.ts';

const KINDS = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;
/** Limits attributes such as user-defined names. */
const ATTRIBUTE_LENGTH_MAX = 256;
/** Spans that wait for the collector; further ones are dropped. */
const WAITING_MAX = 4_096;
/** Added to the export time-out, after which the exporter gives up by itself. */
const CLOSE_MARGIN_MS = 1_000;
/** Minimum interval between two log lines about an unreachable collector. */
const LOG_INTERVAL_MS = 60_000;
const REASON_LENGTH_MAX = 200;

/** Adapts a span of OpenTelemetry. */
class SourcedSpan implements Span {
  readonly otel: OtelSpan;

  constructor(otel: OtelSpan) {
    this.otel = otel;
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.otel.spanContext();
    return formatTraceParent({ traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 });
  }

  rename(name: string): void {
    if (this.otel.isRecording()) this.otel.updateName(name);
  }

  set(attributes: SpanAttributes): void {
    if (this.otel.isRecording()) this.otel.setAttributes(attributes);
  }

  fail(code: string): void {
    if (!this.otel.isRecording()) return;
    this.otel.setStatus({ code: SpanStatusCode.ERROR });
    this.otel.setAttribute('error.type', code);
  }

  end(): void {
    if (this.otel.isRecording()) this.otel.end();
  }
}

export interface OtelSourceOptions {
  readonly settings: TracingSettings;
  /** Default for `OTEL_SERVICE_NAME`. */
  readonly service: string;
  readonly log: Log;
}

export class OtelSource implements SpanSource {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #current = new AsyncLocalStorage<SourcedSpan>();
  readonly #closeMs: number;

  constructor({ settings, service, log }: OtelSourceOptions) {
    const { url, timeoutMs, delayMs } = settings;
    logFaults(log);
    const exporter = new OTLPTraceExporter({ url, timeoutMillis: timeoutMs, concurrencyLimit: 8 });
    const processor = new BatchSpanProcessor({
      exporter,
      maxQueueSize: WAITING_MAX,
      scheduledDelayMillis: delayMs,
      exportTimeoutMillis: timeoutMs + CLOSE_MARGIN_MS,
    });
    this.#provider = new TracerProvider({
      resource: resourceOf(service),
      sampler: samplerOf(settings),
      spanProcessors: [processor],
      spanLimits: { attributeValueLengthLimit: ATTRIBUTE_LENGTH_MAX },
    });
    this.#tracer = this.#provider.getTracer('plexus', VERSION);
    this.#closeMs = timeoutMs + CLOSE_MARGIN_MS;
  }

  start(name: string, options: SpanOptions): Span {
    const { kind = 'internal', attributes = {}, startedMsAgo } = options;
    const details = { kind: KINDS[kind], attributes };
    const timed =
      startedMsAgo === undefined
        ? details
        : { ...details, startTime: Date.now() - Math.max(0, startedMsAgo) };
    return new SourcedSpan(this.#tracer.startSpan(name, timed, this.#contextOf(options)));
  }

  within<T>(span: Span, work: () => T): T {
    return span instanceof SourcedSpan ? this.#current.run(span, work) : work();
  }

  codeOf(error: unknown): string {
    if (error instanceof DomainError) return error.code;
    return error instanceof Error ? error.name : 'error';
  }

  /** Exports the remaining spans. Resolves soon even if the collector hangs; never rejects. */
  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#closeMs);
    });
    await Promise.race([this.#provider.shutdown().catch(() => undefined), late]);
    clearTimeout(timer);
    diag.disable();
  }

  #contextOf({ parent, isRoot = false }: SpanOptions): Context {
    if (parent instanceof SourcedSpan) return trace.setSpan(ROOT_CONTEXT, parent.otel);
    if (typeof parent === 'string') return remoteContext(parent);
    const current = isRoot ? undefined : this.#current.getStore();
    return current === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, current.otel);
  }
}

function remoteContext(traceparent: string): Context {
  const parsed = parseTraceParent(traceparent);
  if (parsed === undefined) return ROOT_CONTEXT;
  const { traceId, spanId, isSampled } = parsed;
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function samplerOf({ sampler, ratio }: TracingSettings): Sampler {
  const samplers: Readonly<Record<SamplerName, () => Sampler>> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
    parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
    parentbased_traceidratio: () => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
  };
  return samplers[sampler]();
}

/** Logs OpenTelemetry's diagnostics at a limited rate: an unreachable collector must not fill the log. */
function logFaults(log: Log): void {
  let loggedAtMs = -Infinity;
  let suppressed = 0;
  const logFault = (message: string): void => {
    const nowMs = performance.now();
    if (nowMs - loggedAtMs < LOG_INTERVAL_MS) {
      suppressed += 1;
      return;
    }
    const fields = { event: 'tracing.trouble', reason: reasonOf(message), suppressed };
    log.warn(fields, 'spans may be missing');
    loggedAtMs = nowMs;
    suppressed = 0;
  };
  const nothing = (): void => undefined;
  const logger = { error: logFault, warn: logFault, info: nothing, debug: nothing, verbose: nothing };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}

/** Errors are JSON with stacks; text returned by the collector is left out. */
function reasonOf(text: string): string {
  const [, message] = /"message":"((?:[^"\\]|\\.)*)"/.exec(text) ?? [];
  return (message ?? text).slice(0, REASON_LENGTH_MAX);
}
