/**
 * A request's place in its trace (W3C Trace Context): a span of the request, and one of each attempt, whose
 * `traceparent` is sent to the upstream. Without tracing both headers are forwarded unchanged.
 *
 * Names and attributes come from the configuration: a path or a header may contain secrets.
 */
import { isTracing, parseTraceParent, type Span, startSpan } from '#platform/observability';
import type { Target } from '../cluster/target/target.ts';
import type { RouteConfig } from '../config/proxy-config.ts';
import type { RequestHead } from './request-head.ts';

const TRACEPARENT = 'traceparent';
const TRACESTATE = 'tracestate';
/** Limits the cardinality: Node's parser accepts many methods. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']);

export interface TraceEnd {
  readonly statusCode: number;
  readonly failure: string | undefined;
  readonly isIncomplete: boolean;
}

export class RequestTrace {
  readonly #span: Span;
  readonly #method: string;
  #attempt: Span | undefined;

  /**
   * Undefined without tracing. Removes the client's `traceparent` from the head; each attempt adds its own.
   */
  static of(method: string, head: RequestHead, listener: string): RequestTrace | undefined {
    if (!isTracing()) return undefined;
    const known = METHODS.has(method) ? method : '_OTHER';
    const span = startSpan(known, {
      kind: 'server',
      isRoot: true,
      attributes: { 'http.request.method': known, 'plexus.listener': listener },
      parent: takeTraceParent(head),
    });
    return span === undefined ? undefined : new RequestTrace(span, known);
  }

  private constructor(span: Span, method: string) {
    this.#span = span;
    this.#method = method;
  }

  routed({ prefix, cluster }: RouteConfig): void {
    this.#span.rename(`${this.#method} ${prefix}`);
    this.#span.set({ 'http.route': prefix, 'plexus.cluster': cluster });
  }

  /** Begins an attempt, and returns its `traceparent`. */
  tried(target: Target): string {
    this.#attempt?.end();
    const attributes = { 'plexus.endpoint': target.endpoint.text };
    const options = { kind: 'client', parent: this.#span, attributes } as const;
    const span = startSpan(`${this.#method} upstream`, options);
    this.#attempt = span;
    return (span ?? this.#span).traceparent;
  }

  /** The attempt got a response. */
  answered(statusCode: number): void {
    this.#attempt?.set({ 'http.response.status_code': statusCode });
  }

  /** The attempt failed. */
  failed(outcome: string): void {
    this.#attempt?.fail(outcome);
  }

  end({ statusCode, failure, isIncomplete }: TraceEnd): void {
    this.#attempt?.end();
    this.#span.set({ 'http.response.status_code': statusCode, 'plexus.failure': failure });
    if (statusCode === 0 || isIncomplete) this.#span.fail(failure ?? 'client_gone');
    else if (statusCode >= 500) this.#span.fail(failure ?? String(statusCode));
    this.#span.end();
  }
}

/**
 * Returns the parent. With an invalid or repeated `traceparent` a new trace begins here, and a `tracestate`
 * beside it is dropped.
 */
function takeTraceParent(head: RequestHead): string | undefined {
  const found = valuesOf(head.headers, TRACEPARENT);
  const [only] = found;
  const parent = found.length === 1 && parseTraceParent(only) !== undefined ? only : undefined;
  const dropped = parent === undefined ? [TRACEPARENT, TRACESTATE] : [TRACEPARENT];
  head.headers = without(head.headers, dropped);
  return parent;
}

function valuesOf(headers: readonly string[], name: string): readonly string[] {
  return headers.filter((_, index) => index % 2 === 1 && headers[index - 1]?.toLowerCase() === name);
}

/** Removes headers; returns the given array when nothing is removed. */
function without(headers: string[], names: readonly string[]): string[] {
  const isDropped = (index: number): boolean => {
    const name = headers[index - (index % 2)] ?? '';
    return names.some((one) => one.length === name.length && one === name.toLowerCase());
  };
  return headers.some((_, index) => isDropped(index))
    ? headers.filter((_, index) => !isDropped(index))
    : headers;
}
