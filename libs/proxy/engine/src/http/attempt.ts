/**
 * One attempt of a request on one target: the side of undici. Hot path.
 *
 * 1. It holds the lease and the connection, and returns each exactly once: at the end of the response, or
 *    when it is cancelled. After a failure its owner returns the lease, or passes it on to another attempt.
 *    After that it ignores events.
 * 2. An upstream may close an idle connection just when a request is sent on it (RFC 9112, 9.3.1): a request
 *    that can be replayed is sent once more, on a fresh connection, without a report.
 * 3. Callbacks from undici must not throw, whatever the upstream has sent: an error in them becomes a failure
 *    of the response.
 */
import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Lease, NextAttempt, Refusal } from '../cluster/lease.ts';
import type { Outcome } from '../cluster/target/endpoint-counters.ts';
import type { UpstreamFailure } from '../cluster/upstream-failures.ts';
import { breakReasonOf, failureCodeOf, failureReasonOf } from '../source/upstream-failure.ts';
import { type RawHeaders, ResponseHead, textOf } from './response-head.ts';
import type { Outgoing, UpstreamConnection, UpstreamPool } from './upstream-pool.ts';

/** Receives the events of an attempt; none follows `ended`, `failed` or `upgraded`. */
export interface AttemptOwner {
  /** An interim response: 102 to 199. */
  informed(head: ResponseHead): void;
  headed(head: ResponseHead, reason: string): void;
  received(chunk: Buffer): void;
  /** Alternating names and values. */
  ended(trailers: RawHeaders): void;
  /**
   * The attempt has failed; if `failure` is undefined, nothing was sent, for lack of the proxy's own
   * resources. The lease is kept until {@link UpstreamAttempt.settle} or {@link UpstreamAttempt.passOn}.
   */
  failed(outcome: Outcome, failure: UpstreamFailure | undefined): void;
  /** The target has switched protocols. The lease is kept until {@link UpstreamAttempt.settle}. */
  upgraded(raw: RawHeaders, socket: Duplex): void;
}

/** An idempotent request may be sent more than once. */
export interface SendableRequest extends Outgoing {
  readonly isRepeatable: boolean;
}

/** The response cannot be forwarded. */
export class UnfitAnswer extends Error {
  readonly code = 'ERR_HTTP_UNFIT_ANSWER';
}

const CALLED_OFF = new Error('the request was canceled');
const SWITCHING_PROTOCOLS = 101;
const WEBSOCKET = 'websocket';
const NO_HEADERS: RawHeaders = [];
/**
 * After the head, the parser finds this in trailers only: the body is complete, and the field is to be
 * ignored (RFC 9110, 6.5.1). The version in use reports no code.
 */
const LENGTH_IN_TRAILERS = /Content-Length can't be present with Transfer-Encoding/;

export class UpstreamAttempt implements Dispatcher.DispatchHandler {
  readonly lease: Lease;
  readonly #owner: AttemptOwner;
  readonly #pool: UpstreamPool;
  readonly #outgoing: SendableRequest;
  #connection: UpstreamConnection;
  #controller: Dispatcher.DispatchController | undefined;
  #statusCode = 0;
  #hasAnswer = false;
  #isFresh = false;
  #isOver = false;

  constructor(owner: AttemptOwner, lease: Lease, pool: UpstreamPool, outgoing: SendableRequest) {
    this.#owner = owner;
    this.lease = lease;
    this.#pool = pool;
    this.#outgoing = outgoing;
    this.#connection = pool.take();
  }

  start(): void {
    this.#connection.send(this.#outgoing, this);
  }

  /** Stops the response until {@link resume}. */
  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    if (!this.#isOver) this.#controller?.resume();
  }

  callOff(outcome: Outcome): void {
    if (this.#isOver) return;
    this.settle(outcome);
    this.#stop();
  }

  /** Ends it, and passes its place on to another attempt of the same request. */
  passOn(outcome: Outcome, next: NextAttempt): Lease | Refusal {
    if (!this.#isOver) {
      this.#isOver = true;
      this.#stop();
    }
    return this.lease.passOn({ outcome, statusCode: this.#statusCode }, next);
  }

  /** Rejects a response that cannot be forwarded. */
  refuse(text: string): void {
    if (this.#isOver) return;
    this.#connection.drop();
    this.#fail('reset', new UnfitAnswer(text));
  }

  /** Returns the lease. */
  settle(outcome: Outcome): void {
    this.#isOver = true;
    this.lease.release(outcome, this.#statusCode);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    statusCode: number,
    _: unknown,
    reason = '',
  ): void {
    if (this.#isOver) return;
    this.#hasAnswer = true;
    this.lease.answered();
    const head = new ResponseHead(statusCode, rawOf(controller.rawHeaders));
    if (head.fault !== undefined) {
      this.refuse(head.fault);
    } else if (statusCode === SWITCHING_PROTOCOLS) {
      this.refuse('a protocol change without a protocol');
    } else if (statusCode < 200) {
      this.#owner.informed(head);
    } else {
      this.#statusCode = statusCode;
      this.#owner.headed(head, reason);
    }
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#isOver) this.#owner.received(chunk);
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    if (this.#isOver) return;
    const { fault } = this.#connection;
    if (fault !== undefined) {
      this.#connection.drop();
      this.#fail('reset', fault);
      return;
    }
    // A rest of the body would be read as the next request.
    if (this.#outgoing.body?.isSent === false) this.#connection.drop();
    else this.#connection.giveBack();
    this.settle(this.#statusCode >= 500 ? 'status_5xx' : 'success');
    this.#owner.ended(rawOf(controller.rawTrailers));
  }

  onRequestUpgrade(
    controller: Dispatcher.DispatchController,
    statusCode: number,
    _: unknown,
    socket: Duplex,
  ): void {
    // undici has removed all listeners.
    socket.on('error', ignore);
    this.#connection.drop();
    const raw = rawOf(controller.rawHeaders);
    const isAsked = statusCode === SWITCHING_PROTOCOLS && isToWebSocket(raw);
    if (this.#isOver || !isAsked) socket.destroy();
    if (this.#isOver) return;
    this.lease.answered();
    this.#statusCode = statusCode;
    if (isAsked) this.#owner.upgraded(raw, socket);
    else this.#fail('reset', new UnfitAnswer('an unrequested protocol change'));
  }

  onResponseError(_: unknown, error: Error): void {
    if (this.#isOver) return;
    const connection = this.#connection;
    const { fault } = connection;
    connection.drop();
    if (this.#statusCode !== 0 && LENGTH_IN_TRAILERS.test(error.message)) {
      this.settle(this.#statusCode >= 500 ? 'status_5xx' : 'success');
      this.#owner.ended(NO_HEADERS);
      return;
    }
    const isSent = this.#controller !== undefined;
    if (isSent && connection.isKept && this.#mayRepeat(fault ?? error)) {
      this.#isFresh = true;
      this.#controller = undefined;
      this.#outgoing.body?.detach();
      this.#connection = this.#pool.make();
      this.start();
    } else if (isSent) {
      this.#fail('reset', fault ?? error);
    } else {
      this.#failToConnect(fault);
    }
  }

  #stop(): void {
    this.#controller?.abort(CALLED_OFF);
    this.#connection.drop();
  }

  #mayRepeat(error: Error): boolean {
    const { isRepeatable, body } = this.#outgoing;
    if (this.#isFresh || this.#hasAnswer || !isRepeatable || body?.isReplayable === false) return false;
    return breakReasonOf(error) === 'reset';
  }

  /** Ends the attempt; without a failed connection, undici has rejected the request. */
  #failToConnect(fault: Error | undefined): void {
    const isOurs = fault === undefined || failureReasonOf(fault) === 'no_free_place';
    this.#fail(isOurs ? 'not_sent' : 'connect_failure', fault);
  }

  #fail(outcome: Outcome, error: Error | undefined): void {
    const { address } = this.lease.target;
    this.#isOver = true;
    const reasonOf = outcome === 'reset' ? breakReasonOf : failureReasonOf;
    const failure = error && { reason: reasonOf(error), target: address, code: failureCodeOf(error) };
    this.#owner.failed(outcome, failure);
  }
}

function isToWebSocket(raw: RawHeaders): boolean {
  for (let index = 0; index + 1 < raw.length; index += 2) {
    if (textOf(raw[index]!).toLowerCase() !== 'upgrade') continue;
    return (
      textOf(raw[index + 1]!)
        .trim()
        .toLowerCase() === WEBSOCKET
    );
  }
  return false;
}

function rawOf(headers: Dispatcher.DispatchController['rawHeaders']): RawHeaders {
  return Array.isArray(headers) ? headers : NO_HEADERS;
}

function ignore(): void {
  // Intended: the next owner of the socket adds its own listeners.
}
