/**
 * One request and its response. Hot path.
 *
 *     body held back  ->  place in the cluster, or in its line  ->  attempt  ->  response forwarded  ->  end
 *                                        ^                            |
 *                                        +---------- retry -----------+
 *
 * The first of these ends it: the end of the response, a failure, the route's time-out, the client. `finish`
 * runs once, and after it nothing is held: no lease, no place in line, no deadline, no body.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { assert, isLoopback } from '#platform/foundation';
import type { Cluster } from '../cluster/cluster.ts';
import type { AttemptEnd, Lease, Refusal } from '../cluster/lease.ts';
import { isIdempotent } from '../cluster/retries.ts';
import type { Outcome } from '../cluster/target/endpoint-counters.ts';
import type { Target } from '../cluster/target/target.ts';
import { Tries } from '../cluster/tries.ts';
import type { UpstreamFailure } from '../cluster/upstream-failures.ts';
import type { Waiter, WaitingPlace } from '../cluster/waiting-line.ts';
import type { RouteConfig } from '../config/proxy-config.ts';
import { clientBehind } from '../listener/peer.ts';
import { Deadline, type Expirable } from '../listener/timeout-list.ts';
import { breakReasonOf, type EarlyEnd, type EndReason, failureCodeOf } from '../source/upstream-failure.ts';
import type { TunnelOwner } from '../tcp/tunnel.ts';
import { ForwardedAnswer } from './answer.ts';
import { UpstreamAttempt, type AttemptOwner } from './attempt.ts';
import { BodyPace } from './body-pace.ts';
import { balanceKey, forwardedHead } from './forwarded-request.ts';
import type { HttpHost, RequestOrigin } from './http-host.ts';
import * as own from './own-answer.ts';
import { RequestBody, type RequestBodyOwner } from './request-body.ts';
import type { RequestHead } from './request-head.ts';
import { OVERLOADED, type RawHeaders, type ResponseHead } from './response-head.ts';
import { RequestTrace } from './request-trace.ts';

const SWITCHING_PROTOCOLS = 101;

/** The connection of a request. */
export interface ExchangeHost {
  readonly front: HttpHost;
  readonly origin: RequestOrigin;
  /** The socket below TLS. */
  readonly raw: Socket;
  /** A response could not be completed: the connection ends with it. */
  isCut: boolean;
  /** Called when the request begins to wait for its client. */
  awaitClient(): void;
  clientMoved(): void;
  clientArrived(): void;
  /** Forwards bytes in both directions after a 101. */
  tunnel(exchange: Exchange, raw: RawHeaders, upstream: Duplex): void;
  /** The request has been answered, or never will be. */
  ended(exchange: Exchange): void;
}

export interface ExchangeParts {
  readonly connection: ExchangeHost;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly head: RequestHead;
  /** The connection becomes a tunnel, if the upstream agrees. */
  readonly isUpgrade: boolean;
}

export class Exchange implements AttemptOwner, Expirable, RequestBodyOwner, TunnelOwner, Waiter {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly head: RequestHead;
  readonly startedMs: number;
  /** The client's address, as determined behind trusted proxies. */
  readonly client: string;
  /** Why it ended early, or why its last failed attempt did, also when a later one succeeded. */
  failure: EndReason | undefined;
  /** The error code of the parser, the system or TLS behind `failure`. */
  failureCode: string | undefined;
  /** The response was begun and not completed. */
  isIncomplete = false;
  readonly #connection: ExchangeHost;
  readonly #answer: ForwardedAnswer;
  readonly #isUpgrade: boolean;
  readonly #trace: RequestTrace | undefined;
  readonly #deadline = new Deadline(this);
  #route: RouteConfig | undefined;
  #cluster: Cluster | undefined;
  #body: RequestBody | undefined;
  #pace: BodyPace | undefined;
  #waiting: WaitingPlace | undefined;
  #attempt: UpstreamAttempt | undefined;
  /** Undefined until an attempt has failed. */
  #tries: Tries | undefined;
  #isBlocked = false;
  #isDone = false;
  #hasSwitched = false;
  /** Sent when the request has its place. */
  #isContinueOwed = false;

  constructor({ connection, request, response, head, isUpgrade }: ExchangeParts) {
    this.#connection = connection;
    this.request = request;
    this.response = response;
    this.head = head;
    this.#isUpgrade = isUpgrade;
    const { peer, isTrusted, trusted } = connection.origin;
    this.client = isTrusted ? clientBehind(peer, head.forwardedFor, trusted) : peer;
    this.#answer = new ForwardedAnswer(request, response, connection.front.counters);
    this.startedMs = connection.front.timers.monotonicMs();
    this.#trace = RequestTrace.of(request.method ?? '', head, connection.front.config.name);
  }

  /** Whether the request waits for its client: for the rest of the body, or to read more of the response. */
  get isClientAwaited(): boolean {
    return this.#isBlocked || this.#body?.isAwaited === true;
  }

  get statusCode(): number {
    return this.#hasSwitched ? SWITCHING_PROTOCOLS : this.#answer.statusCode;
  }

  /** The target of the request; undefined when it was not forwarded. */
  get target(): Target | undefined {
    return this.#attempt?.lease.target;
  }

  /** The cluster's name of its route; undefined when it has no route. */
  get cluster(): string | undefined {
    return this.#cluster?.name;
  }

  start(route: RouteConfig, cluster: Cluster, isContinueAwaited: boolean): void {
    this.#route = route;
    this.#cluster = cluster;
    this.#trace?.routed(route);
    this.#startDeadline();
    if (!this.head.hasBody) {
      this.#try();
      return;
    }
    this.#isContinueOwed = isContinueAwaited;
    if (isContinueAwaited) this.#try();
    else this.#readBody();
  }

  /** Answers without the upstream. */
  reply(answer: own.OwnAnswer): void {
    if (this.#isDone) return;
    // Without a 100 Continue, it is unknown whether the body follows.
    if (this.#connection.front.isRetiring || this.#isContinueOwed) this.#answer.closeConnectionAfter();
    this.#answer.send(answer);
    this.#finish();
  }

  /** Replies, and closes the connection after it. */
  replyLast(answer: own.OwnAnswer): void {
    this.#answer.closeConnectionAfter();
    this.reply(answer);
  }

  /** The connection is gone; `hasClientLeft` when the client has closed it. */
  abandon(hasClientLeft: boolean): void {
    if (this.#isDone) return;
    if (hasClientLeft) this.#connection.front.counters.clientAborts += 1;
    this.failure = hasClientLeft ? 'client_gone' : 'drain_cut';
    this.failureCode = undefined;
    this.isIncomplete = this.#answer.isBegun;
    this.#callOff('client_gone');
    this.#finish();
  }

  /** The client has violated the protocol or a limit. Sends `answer` if no response has begun. */
  breakOff(answer: own.OwnAnswer, reason: EarlyEnd): void {
    if (this.#isDone) return;
    this.failure = reason;
    this.failureCode = answer.code;
    this.#callOff('client_gone');
    this.#answer.closeConnectionAfter();
    this.#fail(answer);
  }

  /** While the client owes a part of the request, its own time-out applies instead of the route's. */
  expired(): void {
    if (this.#body?.isAwaited === true) {
      this.#startDeadline();
      return;
    }
    this.#connection.front.counters.requestTimeouts += 1;
    if (this.#waiting === undefined) this.#noteFailure({ reason: 'timeout', target: this.target?.address });
    else this.#noteFailure({ reason: 'no_free_place' });
    this.#callOff('timeout');
    this.#fail(own.TIMED_OUT);
  }

  bodyReady(): void {
    if (!this.#isDone && this.#attempt === undefined) this.#try();
  }

  bodyMoved(): void {
    this.#deadline.touch();
    this.#connection.clientMoved();
  }

  bodyEnded(): void {
    this.#pace?.stop();
    this.#deadline.touch();
    this.#connection.clientArrived();
  }

  placed(place: Lease | Refusal): void {
    this.#waiting = undefined;
    const { front } = this.#connection;
    const cluster = this.#cluster;
    const route = this.#route;
    assert(cluster !== undefined && route !== undefined, 'expected a routed request');
    if (place.kind !== 'lease') {
      this.failure = cluster.isUnresolved ? 'dns' : 'no_free_place';
      this.reply(own.refused(place, cluster.name, this.#isNearby));
      return;
    }
    if (this.#isContinueOwed) {
      this.#isContinueOwed = false;
      this.#answer.allowBody();
      this.#readBody();
    }
    const method = this.request.method ?? '';
    const body = this.#body;
    const isUpgrade = this.#isUpgrade;
    const traceparent = this.#trace?.tried(place.target);
    const forwarded = { method, head: this.head, route, body, isUpgrade, traceparent };
    const head = forwardedHead(forwarded, place.target);
    const outgoing = { method, head, body, isUpgrade, isRepeatable: isIdempotent(method) };
    this.#attempt = new UpstreamAttempt(this, place, front.pools.of(place.target, cluster.config), outgoing);
    this.#attempt.start();
  }

  informed(head: ResponseHead): void {
    this.#answer.inform(head);
  }

  headed(head: ResponseHead, reason: string): void {
    const { statusCode } = head;
    this.#trace?.answered(statusCode);
    if (statusCode >= 500 && this.#tryAgain({ outcome: 'status_5xx', statusCode })) return;
    this.#pace?.stop();
    if (this.#begin(head, reason)) this.#startDeadline();
    else this.#attempt?.refuse('a head that cannot be sent');
  }

  received(chunk: Buffer): void {
    this.#deadline.touch();
    if (!this.#answer.write(chunk)) this.#block();
  }

  ended(trailers: RawHeaders): void {
    this.#answer.end(trailers);
    this.#finish();
  }

  failed(outcome: Outcome, failure: UpstreamFailure | undefined): void {
    this.#trace?.failed(outcome);
    this.#noteFailure(failure ?? { reason: 'no_free_place' });
    if (!this.#answer.isBegun && this.#tryAgain({ outcome, statusCode: 0 })) return;
    this.#attempt?.settle(outcome);
    this.#fail(own.failed(outcome));
  }

  upgraded(raw: RawHeaders, socket: Duplex): void {
    this.#deadline.stop();
    this.#hasSwitched = true;
    this.#connection.front.counters.countAnswer(SWITCHING_PROTOCOLS);
    this.#connection.tunnel(this, raw, socket);
  }

  /** The upstream of an upgraded connection has failed. */
  tunnelBroken(fault: Error): void {
    const reason = breakReasonOf(fault);
    this.#noteFailure({ reason, code: failureCodeOf(fault), target: this.target?.address });
  }

  tunnelIdle(): void {
    this.#connection.front.counters.idleTimeouts += 1;
    this.failure = 'idle_timeout';
  }

  /** Both sides of an upgraded connection are closed. */
  tunnelEnded(hasClientLeft: boolean): void {
    if (this.#connection.isCut) this.failure = 'drain_cut';
    else if (hasClientLeft) this.failure ??= 'client_gone';
    this.#attempt?.settle('success');
    this.#finish();
  }

  #readBody(): void {
    this.#connection.awaitClient();
    this.#body = new RequestBody(this.request, this.head.contentLength, this);
    const { front } = this.#connection;
    this.#pace = new BodyPace(this.#body, front, () => {
      front.counters.idleTimeouts += 1;
      this.breakOff(own.CLIENT_SLOW, 'request_timeout');
    });
  }

  #try(): void {
    const cluster = this.#cluster;
    assert(cluster !== undefined, 'expected a routed request');
    const place = cluster.acquire(this.#keyIn(cluster), this, this.client);
    if (place.kind === 'waiting') this.#waiting = place;
    else this.placed(place);
  }

  #begin(head: ResponseHead, reason: string): boolean {
    const { front } = this.#connection;
    if (front.isRetiring) this.#answer.closeConnectionAfter();
    // Of another proxy in a chain.
    if (head.overloaded !== '' && this.#isNearby) head.headers.push(OVERLOADED, head.overloaded);
    return this.#answer.begin(head, reason, front.flusher);
  }

  /** Whether the client may see the limits. */
  get #isNearby(): boolean {
    const { isTrusted, peer } = this.#connection.origin;
    return isTrusted || isLoopback(peer);
  }

  #keyIn({ config }: Cluster): string {
    return balanceKey(config, this.head, this.client);
  }

  /** Tries it again if that is allowed, in the place of the attempt that ended so. */
  #tryAgain(end: AttemptEnd): boolean {
    const cluster = this.#cluster;
    const attempt = this.#attempt;
    assert(cluster !== undefined && attempt !== undefined, 'expected a failed attempt');
    const tries = (this.#tries ??= new Tries(cluster));
    const { target } = attempt.lease;
    if (!tries.mayRepeat(target, end, this.request.method ?? '', this.#body)) return false;
    this.#body?.detach();
    this.placed(attempt.passOn(end.outcome, { key: this.#keyIn(cluster), tried: tries.tried }));
    return true;
  }

  /** The client does not read. The endpoint is not at fault, so its time-out is suspended. */
  #block(): void {
    this.#isBlocked = true;
    this.#deadline.stop();
    this.#attempt?.pause();
    this.#connection.awaitClient();
    this.response.once('drain', () => this.#unblock());
  }

  #unblock(): void {
    if (this.#isDone) return;
    this.#isBlocked = false;
    this.#startDeadline();
    this.#connection.clientArrived();
    this.#attempt?.resume();
  }

  #startDeadline(): void {
    const { timeoutMs = 0, streamTimeoutMs = 0 } = this.#route ?? {};
    const limitMs = this.#answer.isBegun ? streamTimeoutMs : timeoutMs;
    this.#deadline.start(this.#connection.front.timeouts.of(limitMs));
  }

  #noteFailure(failure: UpstreamFailure): void {
    this.failure = failure.reason;
    this.failureCode = failure.code;
    this.#cluster?.failures.note(failure);
  }

  /** Ends all activity; the response is still owed. */
  #callOff(outcome: Outcome): void {
    this.#waiting?.leave();
    this.#waiting = undefined;
    this.#attempt?.callOff(outcome);
  }

  #fail(answer: own.OwnAnswer): void {
    if (!this.#answer.isBegun) {
      this.reply(answer);
      return;
    }
    this.#connection.isCut = true;
    this.isIncomplete = true;
    this.#answer.cut(this.#connection.raw);
    this.#finish();
  }

  #finish(): void {
    this.#isDone = true;
    this.#deadline.stop();
    this.#pace?.stop();
    this.#tries?.end();
    if (this.#body?.hasEnded === false) this.#body.discard();
    else this.#body?.detach();
    this.#trace?.end(this);
    this.#connection.ended(this);
  }
}
