/**
 * Spans of what the program does. Without a collector (`OTEL_EXPORTER_OTLP_ENDPOINT`) there is no tracing:
 * then each function here is one look at a variable, and nothing of OpenTelemetry is loaded.
 *
 * One for the whole process, unlike the metric registry: work is followed through all of its parts, and its
 * collector is the process's.
 */

/** Names, counts and codes; never a value of the data, a secret, or text that somebody has sent. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanOptions {
  readonly kind?: 'internal' | 'server' | 'client';
  readonly attributes?: SpanAttributes;
  /** What it is a part of, also by its `traceparent`; default: the span that the caller runs in. */
  readonly parent?: Span | string | undefined;
  /** Nothing around it is its parent. */
  readonly isRoot?: boolean;
  /** Of a span that is told of afterwards; default now. */
  readonly startedMsAgo?: number;
}

/** A part of a trace, from its start until {@link Span.end}. */
export interface Span {
  /** For who goes on with the trace in another process. */
  readonly traceparent: string;
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** It did not come to what it should, for this reason: a code. */
  fail(code: string): void;
  /** Later calls do nothing. */
  end(): void;
}

/** Where spans go. */
export interface SpanSource {
  start(name: string, options: SpanOptions): Span;
  /** What `work` begins, and what that begins, is a part of the span. */
  within<T>(span: Span, work: () => T): T;
  /** The code of an error, for {@link Span.fail}. */
  codeOf(error: unknown): string;
}

let source: SpanSource | undefined;

/** Where spans go from now on; undefined: nowhere. */
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

/** Runs `work` as a part of the span. */
export function withinSpan<T>(span: Span | undefined, work: () => T): T {
  return span === undefined || source === undefined ? work() : source.within(span, work);
}

/** Runs `work` in a span of its own, which ends when the work does, or the promise that it gives. */
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

/** The same for steps, which may be taken in several turns. */
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
