/**
 * One try of a request on one target: undici's side of it. Hot path.
 *
 * It holds the lease and the connection, and gives back both exactly once: at the end of the answer, at a
 * failure, or when it is called off. After that it is deaf.
 */
import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Lease } from '../cluster/lease.ts';
import type { Outcome } from '../cluster/outcome.ts';
import { failureCodeOf, failureReasonOf } from '../cluster/upstream-failure.ts';
import type { UpstreamFailure } from '../cluster/upstream-failures.ts';
import { type RawHeaders, ResponseHead } from './response-head.ts';
import type { UpstreamConnection } from './upstream-pool.ts';

/** Whom an attempt tells what comes. After `ended`, `failed` or `upgraded` it tells nothing more. */
export interface AttemptOwner {
  /** An interim answer: 102 to 199. */
  informed(head: ResponseHead): void;
  headed(head: ResponseHead, reason: string): void;
  received(chunk: Buffer): void;
  /** Names and values in turn. */
  ended(trailers: RawHeaders): void;
  /** Without a failure, it was not the upstream's. */
  failed(outcome: Outcome, failure: UpstreamFailure | undefined): void;
  /** The target speaks the other protocol from now on. The lease stays, until {@link Attempt.settle}. */
  upgraded(raw: RawHeaders, socket: Duplex): void;
}

const CALLED_OFF = new Error('the request was called off');
const PROTOCOL_NOT_ASKED_FOR = Object.assign(new Error('a change to a protocol that nobody asked for'), {
  code: 'ERR_HTTP_UPGRADE',
});
const SWITCHING_PROTOCOLS = 101;
const NO_HEADERS: RawHeaders = [];

export class Attempt implements Dispatcher.DispatchHandler {
  readonly lease: Lease;
  readonly #owner: AttemptOwner;
  readonly #connection: UpstreamConnection;
  #controller: Dispatcher.DispatchController | undefined;
  #statusCode = 0;
  #isOver = false;

  constructor(owner: AttemptOwner, lease: Lease, connection: UpstreamConnection) {
    this.#owner = owner;
    this.lease = lease;
    this.#connection = connection;
  }

  start(options: Dispatcher.DispatchOptions): void {
    this.#connection.client.dispatch(options, this);
  }

  /** No more of the answer until {@link resume}. */
  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    if (!this.#isOver) this.#controller?.resume();
  }

  callOff(outcome: Outcome): void {
    if (this.#isOver) return;
    this.settle(outcome);
    this.#controller?.abort(CALLED_OFF);
    this.#connection.drop();
  }

  /** Gives the lease back. */
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
    const head = new ResponseHead(statusCode, rawOf(controller.rawHeaders));
    if (statusCode < 200) {
      this.#owner.informed(head);
      return;
    }
    this.#statusCode = statusCode;
    this.#owner.headed(head, reason);
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
    this.#connection.giveBack();
    this.settle(this.#statusCode >= 500 ? 'status_5xx' : 'success');
    this.#owner.ended(rawOf(controller.rawTrailers));
  }

  onRequestUpgrade(
    controller: Dispatcher.DispatchController,
    statusCode: number,
    _: unknown,
    socket: Duplex,
  ): void {
    this.#connection.drop();
    if (this.#isOver) {
      socket.destroy();
      return;
    }
    this.#statusCode = statusCode;
    if (statusCode === SWITCHING_PROTOCOLS) this.#owner.upgraded(rawOf(controller.rawHeaders), socket);
    else {
      socket.destroy();
      this.#fail('reset', PROTOCOL_NOT_ASKED_FOR);
    }
  }

  onResponseError(_: unknown, error: Error): void {
    if (this.#isOver) return;
    const { fault } = this.#connection;
    this.#connection.drop();
    if (this.#controller !== undefined) this.#fail('reset', fault ?? error);
    // When no connection has failed, undici has refused the request: that says nothing of the endpoint.
    else this.#fail(fault === undefined ? 'client_gone' : 'connect_failure', fault);
  }

  #fail(outcome: Outcome, error: Error | undefined): void {
    const { address } = this.lease.target;
    this.settle(outcome);
    this.#owner.failed(outcome, error && failureAt(address, error));
  }
}

function failureAt(target: string, error: Error): UpstreamFailure {
  return { reason: failureReasonOf(error), target, code: failureCodeOf(error) };
}

function rawOf(headers: Dispatcher.DispatchController['rawHeaders']): RawHeaders {
  return Array.isArray(headers) ? headers : NO_HEADERS;
}
