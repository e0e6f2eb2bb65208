import { type Metadata, ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';
import type { IncomingHttpHeaders } from 'node:http';
import type { Caller, Decision, Refusal } from '#platform/auth';
import { DomainError, type Soon, whenThere } from '#platform/foundation';
import { requestIdOf } from '#platform/http';
import { isTracing, type Span, startSpan, withinSpan } from '#platform/observability';
import type { CallMetrics } from './call-metrics.ts';
import { RefusedMessage } from './measured-messages.ts';
import { OpenCall, rememberCall } from './open-call.ts';

/** The facts of a call on which admission is decided. */
export interface ArrivingCall {
  /** `package.Service/Method`. */
  readonly method: string;
  /** The headers that identify the caller, and the host name used by the client. */
  readonly headers: IncomingHttpHeaders;
}

export interface AdmittedCall {
  readonly method: string;
  /** Address of the client. */
  readonly peer?: string | undefined;
  readonly requestId?: string | undefined;
  readonly caller: Caller;
}

export interface CallRules {
  /**
   * Who calls, or the reason to reject the call. Called before a message is read, and again before each
   * further message of a stream: a key may have ended meanwhile.
   */
  readonly decide: (call: ArrivingCall) => Soon<Decision>;
  /** Calls `end` once the call may go on no longer. Returns the function that ends the watch. */
  readonly follow: (call: AdmittedCall, end: (fault: Refusal) => void) => () => void;
  /** Runs what an admitted call causes. */
  readonly within: (call: AdmittedCall, work: () => void) => void;
  /** Called for each call that ends because its caller may not make it. */
  readonly onRefused: (
    call: Pick<OpenCall, 'method' | 'caller' | 'peer' | 'requestId'>,
    code: status,
  ) => void;
  /** Streams without a natural end: limited per method, and ended at shutdown. */
  readonly isEndless: (method: string) => boolean;
  readonly endlessMax: number;
  /** Maximum number of messages of an endless stream, whose responses may wait for the reader. */
  readonly messagesMax: number;
}

const HEADERS = ['authorization', 'origin', 'sec-fetch-site', 'x-request-id'];

/**
 * Runs before every method of a server: checks the caller, counts, traces, and adds the error trailer to each
 * failure.
 */
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
      let unfollow = (): void => undefined;
      const call: OpenCall = new OpenCall(path, base, (code) => {
        this.#open.delete(call);
        unfollow();
        this.#metrics.ended(call.method, status[code]);
        if (REFUSALS.has(code)) this.#rules.onRefused(call, code);
        endCallSpan(call.span, code);
      });
      this.#open.add(call);
      this.#metrics.began();
      return new ServerInterceptingCall(base, {
        start: (next) => {
          next({
            onReceiveMetadata: (metadata, pass) => {
              call.span = startCallSpan(call.method, metadata);
              void whenThere(this.#admits(call, metadata), (isAdmitted) => {
                if (!isAdmitted) return;
                unfollow = this.#follow(call);
                this.#within(call, () => pass(metadata));
              });
            },
            onReceiveMessage: (message, pass) => {
              void whenThere(this.#takes(call, message), (isTaken) => {
                if (isTaken) this.#within(call, () => pass(message));
              });
            },
            // For a unary request, gRPC calls the handler at half-close.
            onReceiveHalfClose: (pass) => this.#within(call, pass),
            onCancel: () => {
              call.cancelled();
            },
          });
        },
      });
    };
  }

  /** Ends the endless streams. */
  endEndless(): void {
    for (const call of this.#open) {
      if (this.#rules.isEndless(call.method)) call.end(status.UNAVAILABLE, 'the server stops');
    }
  }

  /** False where the call was refused, or has ended meanwhile. */
  #admits(call: OpenCall, metadata: Metadata): Soon<boolean> {
    const headers = headersOf(call, metadata);
    call.requestId = requestIdOf({ headers });
    call.headers = headers;
    return whenThere(this.#rules.decide({ method: call.method, headers }), (decision) => {
      if (call.hasEnded) return false;
      call.caller = decision.caller;
      const fault = decision.fault ?? this.#crowdFault(call);
      if (fault !== undefined) {
        call.refuse(fault);
        return false;
      }
      rememberCall(metadata, call);
      return true;
    });
  }

  #within(call: OpenCall, work: () => void): void {
    const { caller } = call;
    if (caller === undefined) withinSpan(call.span, work);
    else withinSpan(call.span, () => this.#rules.within({ ...placeOf(call), caller }, work));
  }

  #follow(call: OpenCall): () => void {
    const { caller } = call;
    if (caller === undefined) return () => undefined;
    return this.#rules.follow({ ...placeOf(call), caller }, (fault) => call.stop(fault));
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

  #takes(call: OpenCall, message: unknown): Soon<boolean> {
    if (message instanceof RefusedMessage) {
      call.refuse(message.error);
      return false;
    }
    call.messages++;
    const decision = call.messages === 1 ? undefined : this.#rules.decide(call);
    return whenThere(decision, (again) => {
      if (call.hasEnded) return false;
      const fault = again?.fault ?? this.#floodFault(call);
      if (fault !== undefined) call.refuse(fault);
      return fault === undefined;
    });
  }

  #floodFault({ method, messages }: OpenCall): DomainError | undefined {
    const { isEndless, messagesMax } = this.#rules;
    if (messages <= messagesMax || !isEndless(method)) return undefined;
    return new DomainError('TOO_BUSY', `expected at most ${messagesMax} messages: open another stream`);
  }
}

function placeOf({ method, peer, requestId }: OpenCall): Omit<AdmittedCall, 'caller'> {
  return { method, peer, requestId };
}

const REFUSALS: ReadonlySet<status> = new Set([status.UNAUTHENTICATED, status.PERMISSION_DENIED]);

function headersOf(call: OpenCall, metadata: Metadata): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = { host: call.host };
  for (const name of HEADERS) {
    const [value] = metadata.get(name);
    if (typeof value === 'string') headers[name] = value;
  }
  return headers;
}

/** Statuses that count as server failures; all others are the caller's. */
const FAILURES: ReadonlySet<status> = new Set([
  status.UNKNOWN,
  status.DEADLINE_EXCEEDED,
  status.UNIMPLEMENTED,
  status.INTERNAL,
  status.UNAVAILABLE,
  status.DATA_LOSS,
]);

/**
 * The span of a call, a child of the client's span if the metadata name one; undefined without tracing. Only
 * methods of this server reach this point, so span names are bounded.
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
