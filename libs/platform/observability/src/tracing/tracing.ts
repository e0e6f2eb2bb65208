/**
 * Spans of the program's work. Without a collector (`OTEL_EXPORTER_OTLP_ENDPOINT`) there is no tracing: each
 * function here checks one variable, and nothing of OpenTelemetry is loaded.
 *
 * Tracing is global to the process, unlike the metric registry: a trace crosses all parts of the process, and
 * they share a collector.
 */

/** Names, counts and codes; never a data value, a secret, or text sent by a client. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanOptions {
  readonly kind?: 'internal' | 'server' | 'client';
  readonly attributes?: SpanAttributes;
  /** The parent span or its `traceparent`; default: the current span of the caller. */
  readonly parent?: Span | string | undefined;
  /** Starts a new trace. */
  readonly isRoot?: boolean;
  /** Age of a span that is reported afterwards; default: it starts now. */
  readonly startedMsAgo?: number;
}

/** A part of a trace, from its start until {@link Span.end}. */
export interface Span {
  /** The header for another process that continues the trace. */
  readonly traceparent: string;
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** Marks the span as failed, with a code as the reason. */
  fail(code: string): void;
  /** Later calls do nothing. */
  end(): void;
}

/** Creates spans. */
export interface SpanSource {
  start(name: string, options: SpanOptions): Span;
  /** Runs `work` with the span as the parent of all spans that it starts. */
  within<T>(span: Span, work: () => T): T;
  /** The code of an error, for {@link Span.fail}. */
  codeOf(error: unknown): string;
}

let source: SpanSource | undefined;

/** Sets the destination of spans; undefined for none. */
export function setSpanSource(next: SpanSource | undefined): void {
  source = next;
}

export function isTracing(): boolean {
  return source !== undefined;
}

/** A span that the caller ends; undefined without tracing. */
export function startSpan(name: string, options: SpanOptions = {}): Span | undefined {
  return source?.start(name, options);
}

/** Runs `work` within the span. */
export function withinSpan<T>(span: Span | undefined, work: () => T): T {
  return span === undefined || source === undefined ? work() : source.within(span, work);
}

/** Runs `work` in its own span, which ends with the work, or with the promise it returns. */
export function traced<T>(name: string, work: (span: Span | undefined) => T, options?: SpanOptions): T {
  const tracing = source;
  if (tracing === undefined) return work(undefined);
  const span = tracing.start(name, options ?? {});
  const failed = (error: unknown): never => {
    span.fail(tracing.codeOf(error));
    span.end();
    throw error;
  };
  let given: T;
  try {
    given = tracing.within(span, () => work(span));
  } catch (error) {
    return failed(error);
  }
  if (!(given instanceof Promise)) {
    span.end();
    return given;
  }
  const ended = given.then((value: unknown) => {
    span.end();
    return value;
  }, failed);
  return ended as T;
}

/** Like `traced`, for steps, which may run in several turns. */
export function tracedSteps<T>(
  name: string,
  steps: Generator<undefined, T>,
  options?: SpanOptions,
): Generator<undefined, T> {
  return source === undefined ? steps : inSpan(source, source.start(name, options ?? {}), steps);
}

function* inSpan<T>(
  tracing: SpanSource,
  span: Span,
  steps: Generator<undefined, T>,
): Generator<undefined, T> {
  try {
    return yield* steps;
  } catch (error) {
    span.fail(tracing.codeOf(error));
    throw error;
  } finally {
    span.end();
  }
}

/** A long operation with phases: a span of the whole, and one for each phase. */
export class PhaseTrace {
  readonly #whole: Span | undefined;
  readonly #name: string;
  #phase: { readonly name: string; readonly span: Span | undefined } | undefined;

  /** @param parent a `traceparent`; without it a new trace begins. */
  constructor(name: string, attributes: SpanAttributes, parent?: string) {
    this.#name = name;
    this.#whole = startSpan(name, { attributes, isRoot: true, parent });
  }

  /** Undefined without tracing. */
  get traceparent(): string | undefined {
    return this.#whole?.traceparent;
  }

  enter(phase: string): void {
    if (this.#whole === undefined || this.#phase?.name === phase) return;
    this.#phase?.span?.end();
    this.#phase = { name: phase, span: startSpan(`${this.#name} ${phase}`, { parent: this.#whole }) };
  }

  /** @param failure an error code; undefined for success. */
  end(attributes: SpanAttributes = {}, failure?: string): void {
    this.#phase?.span?.end();
    this.#whole?.set(attributes);
    if (failure !== undefined) this.#whole?.fail(failure);
    this.#whole?.end();
  }
}
