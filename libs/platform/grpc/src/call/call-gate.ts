import { type Metadata, ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';
import type { IncomingHttpHeaders } from 'node:http';
import { DomainError } from '#platform/foundation';
import { requestIdOf } from '#platform/http';
import { isTracing, type Span, startSpan, withinSpan } from '#platform/observability';
import type { CallMetrics } from './call-metrics.ts';
import { RefusedMessage } from './measured-messages.ts';
import { OpenCall, rememberCall } from './open-call.ts';

/** What a rule looks at. */
export interface ArrivingCall {
  /** `package.Service/Method`. */
  readonly method: string;
  /** Those that identify the caller, and what the client calls the server. */
  readonly headers: IncomingHttpHeaders;
}

export interface CallRules {
  /** Why a call may not pass; undefined when it may. Asked before a message is read. */
  readonly faultOf: (call: ArrivingCall) => Error | undefined;
  /** Streams that go on until somebody ends them: of each method so many, and none beyond the shutdown. */
  readonly isEndless: (method: string) => boolean;
  readonly endlessMax: number;
  /** Of one endless stream; its answers may wait for the reader. */
  readonly messagesMax: number;
}

const HEADERS = ['authorization', 'origin', 'sec-fetch-site', 'x-request-id'];

/** Stands before every method of a server: asks who calls, counts, traces, gives each failure its trailer. */
export class CallGate {
  readonly #rules: CallRules;
  readonly #metrics: CallMetrics;
  readonly #open = new Set<OpenCall>();

  constructor(rules: CallRules, metrics: CallMetrics) {
    this.#rules = rules;
    this.#metrics = metrics;
  }

  get interceptor(): ServerInterceptor {
    return ({ path }, base) => {
      const call: OpenCall = new OpenCall(path, base, (code) => {
        this.#open.delete(call);
        this.#metrics.ended(call.method, status[code]);
        endCallSpan(call.span, code);
      });
      this.#open.add(call);
      this.#metrics.began();
      return new ServerInterceptingCall(base, {
        start: (next) => {
          next({
            onReceiveMetadata: (metadata, pass) => {
              call.span = startCallSpan(call.method, metadata);
              if (this.#admits(call, metadata)) withinSpan(call.span, () => pass(metadata));
            },
            onReceiveMessage: (message, pass) => {
              if (this.#takes(call, message)) withinSpan(call.span, () => pass(message));
            },
            // Where a call has one message, its handler is called at its end.
            onReceiveHalfClose: (pass) => withinSpan(call.span, pass),
            onCancel: () => {
              call.cancelled();
            },
          });
        },
      });
    };
  }

  /** Ends the streams that nobody else would end. */
  endEndless(): void {
    for (const call of this.#open) {
      if (this.#rules.isEndless(call.method)) call.end(status.UNAVAILABLE, 'the server stops');
    }
  }

  #admits(call: OpenCall, metadata: Metadata): boolean {
    const headers = headersOf(call, metadata);
    call.requestId = requestIdOf({ headers });
    const fault = this.#rules.faultOf({ method: call.method, headers }) ?? this.#crowdFault(call);
    if (fault !== undefined) {
      call.refuse(fault);
      return false;
    }
    rememberCall(metadata, call);
    return true;
  }

  #crowdFault(call: OpenCall): DomainError | undefined {
    const { isEndless, endlessMax } = this.#rules;
    if (!isEndless(call.method)) return undefined;
    const count = this.#open
      .values()
      .filter(({ method }) => method === call.method)
      .toArray().length;
    if (count <= endlessMax) return undefined;
    return new DomainError('TOO_BUSY', `expected at most ${endlessMax} such streams at a time`);
  }

  #takes(call: OpenCall, message: unknown): boolean {
    if (message instanceof RefusedMessage) {
      call.refuse(message.error);
      return false;
    }
    call.messages++;
    const { isEndless, messagesMax } = this.#rules;
    if (call.messages <= messagesMax || !isEndless(call.method)) return true;
    call.refuse(new DomainError('TOO_BUSY', `expected at most ${messagesMax} messages: open another stream`));
    return false;
  }
}

function headersOf(call: OpenCall, metadata: Metadata): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = { host: call.host };
  for (const name of HEADERS) {
    const [value] = metadata.get(name);
    if (typeof value === 'string') headers[name] = value;
  }
  return headers;
}

/** Of these the server is at fault, or the way to it; of all others the caller is. */
const FAILURES: ReadonlySet<status> = new Set([
  status.UNKNOWN,
  status.DEADLINE_EXCEEDED,
  status.UNIMPLEMENTED,
  status.INTERNAL,
  status.UNAVAILABLE,
  status.DATA_LOSS,
]);

/**
 * The span of a call, part of its client's trace if its metadata name one; undefined without tracing. Only
 * methods that the server has come here, so that its name is ours.
 */
function startCallSpan(method: string, metadata: Metadata): Span | undefined {
  if (!isTracing()) return undefined;
  const [service, name] = method.split('/');
  const [traceparent, ...more] = metadata.get('traceparent');
  return startSpan(method, {
    kind: 'server',
    isRoot: true,
    parent: typeof traceparent === 'string' && more.length === 0 ? traceparent : undefined,
    attributes: { 'rpc.system': 'grpc', 'rpc.service': service, 'rpc.method': name },
  });
}

function endCallSpan(span: Span | undefined, code: status): void {
  span?.set({ 'rpc.grpc.status_code': code });
  if (FAILURES.has(code)) span?.fail(status[code]);
  span?.end();
}
