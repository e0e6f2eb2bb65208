/**
 * An HTTP connection of a client. Hot path.
 *
 *     first head awaited -> busy <-> idle -> a head has begun -> busy
 *                            |
 *                            +-> a tunnel, after 101
 *
 *     first head awaited -> unused: closed soon, unless something arrives
 *     any -> closing: pending output is sent
 *
 * 1. One request at a time: the next one is read when the response to the last has been sent.
 * 2. While a head is awaited, the header time-out runs: from the accept for the first one. An idle connection
 *    is checked periodically, and when bytes have arrived since, it has one header time-out more to complete
 *    its head.
 * 3. While a request waits for its client, the idle time-out runs; while it waits for the upstream, the
 *    route's.
 * 4. Malformed input is answered after the pending response, and the connection ends. The forwarded part of
 *    such a request is cancelled.
 */
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterNextRead, assert } from '#platform/foundation';
import { Deadline, type Expirable } from '../listener/timeout-list.ts';
import { FIRST_BYTES_MS } from '../listener/timeouts.ts';
import { resetSocket } from '../tcp/reset-socket.ts';
import { Tunnel } from '../tcp/tunnel.ts';
import { Exchange, type ExchangeHost } from './exchange.ts';
import { BAD_REQUEST_LINE, CLIENT_STALLED, NO_TUNNEL, type OwnAnswer, rawAnswer } from './own-answer.ts';
import { answerTo, isAfterLast, type ParseFault } from './parse-fault.ts';
import { RequestHead } from './request-head.ts';
import type { HttpHost, RequestOrigin } from './http-host.ts';
import { RequestReader, type RequestReaderOwner } from './request-reader.ts';
import { type RawHeaders, switchingHead } from './response-head.ts';

/** Time in which the rest of a client's input is read and discarded, after an early response. */
const LINGER_MS = 2_000;

type Phase = 'head' | 'unused' | 'busy' | 'idle' | 'linger' | 'tunnel' | 'closing';

/** The listener of a connection. */
export interface ConnectionHost extends HttpHost {
  /** Routes a request, or answers it. */
  serve(exchange: Exchange): void;
  /** The request has been answered, or never will be. */
  served(exchange: Exchange, connection: DownstreamConnection): void;
  /** The connection is closed. */
  forget(connection: DownstreamConnection): void;
}

export interface ConnectionParts {
  readonly front: ConnectionHost;
  readonly socket: Socket;
  /** The socket below TLS; the same one without TLS. */
  readonly raw: Socket;
  readonly origin: RequestOrigin;
}

export class DownstreamConnection implements ExchangeHost, Expirable, RequestReaderOwner {
  readonly front: ConnectionHost;
  readonly socket: Socket;
  readonly raw: Socket;
  readonly origin: RequestOrigin;
  isCut = false;
  readonly #deadline = new Deadline(this);
  #reader: RequestReader | undefined;
  /** The request without a complete response. */
  #exchange: Exchange | undefined;
  #lastExchange: Exchange | undefined;
  /** Bytes after the head of an upgrade request. */
  #afterHead: Buffer | undefined;
  #phase: Phase = 'head';
  #idleSinceMs = 0;
  #bytesBefore = 0;
  #isBroken = false;

  constructor({ front, socket, raw, origin }: ConnectionParts) {
    this.front = front;
    this.socket = socket;
    this.raw = raw;
    this.origin = origin;
    this.#deadline.start(front.headerTime);
    socket.once('close', () => this.#close());
  }

  /** Whether every response has been sent completely. */
  get isQuiet(): boolean {
    return this.#exchange === undefined && this.#lastExchange?.response.writableFinished !== false;
  }

  get isFree(): boolean {
    const isOpen = this.#phase !== 'closing' && this.#phase !== 'tunnel' && !this.socket.writableEnded;
    return isOpen && !this.#isBroken && this.isQuiet;
  }

  /** Called once Node's server has the socket. */
  read(): void {
    this.#reader = new RequestReader(this.socket, this);
    this.socket.resume();
  }

  begin(request: IncomingMessage, response: ServerResponse, isUpgrade = false): void {
    // Input after a rejected request is ignored: it may be a part of that request.
    if (this.#isBroken) return;
    assert(this.#exchange === undefined, 'expected one request at a time');
    this.#deadline.stop();
    this.#phase = 'busy';
    const head = new RequestHead(request, this.origin);
    const exchange = new Exchange({ connection: this, request, response, head, isUpgrade });
    this.#exchange = exchange;
    this.#lastExchange = exchange;
    this.#reader?.began(request, head);
    if (head.fault !== undefined) this.#break();
    this.front.serve(exchange);
  }

  /** The parser has released the socket. */
  beginUpgrade(request: IncomingMessage, afterHead: Buffer, isUpgrade: boolean): void {
    const { socket } = this;
    const held = this.#reader?.leave();
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.destroySoon());
    this.#afterHead = held === undefined ? afterHead : Buffer.concat([afterHead, held]);
    this.begin(request, response, isUpgrade);
  }

  /** Rejects CONNECT. */
  refuseTunnel(): void {
    this.#reader?.leave();
    this.#sayLast(NO_TUNNEL);
  }

  refuseLine(): void {
    this.#refuse(BAD_REQUEST_LINE);
  }

  heldBack(): void {
    if (this.#exchange === undefined) this.#readOnAfterAnswer();
  }

  ended(exchange: Exchange): void {
    if (this.#exchange === exchange) this.#exchange = undefined;
    this.front.served(exchange, this);
    if (this.#phase !== 'busy') return;
    if (!exchange.request.complete) this.#linger();
    else this.#rest();
    if (this.#reader?.isHolding === true) this.#readOnAfterAnswer();
  }

  awaitClient(): void {
    this.#deadline.start(this.front.idleTime);
  }

  clientMoved(): void {
    this.#deadline.touch();
  }

  clientArrived(): void {
    if (this.#phase === 'busy') this.#deadline.stop();
  }

  tunnel(exchange: Exchange, raw: RawHeaders, upstream: Duplex): void {
    const { socket } = this;
    this.#phase = 'tunnel';
    this.#deadline.stop();
    this.#exchange = undefined;
    exchange.response.detachSocket(socket);
    socket.write(switchingHead(raw), 'latin1');
    if (this.#afterHead !== undefined && this.#afterHead.length > 0) upstream.write(this.#afterHead);
    new Tunnel({
      downstream: socket,
      raw: this.raw,
      upstream,
      idle: this.front.idleTime,
      owner: exchange,
    });
  }

  /** The parser, or the socket, has failed. */
  breakOff(fault: ParseFault): void {
    if (this.#isBroken) return;
    if (isAfterLast(fault) && !this.isQuiet) return;
    const answer = answerTo(fault, this.#reader?.line, this.front.config.maxHeaderBytes);
    if (answer === undefined) this.socket.destroy();
    else this.#refuse(answer);
  }

  /** Closes a connection that is idle; one that has sent nothing yet, a little later. */
  closeIfIdle(): void {
    if (this.#phase === 'head' && this.socket.bytesRead === 0) {
      this.#phase = 'unused';
      this.#deadline.start(this.front.timeouts.of(FIRST_BYTES_MS));
      return;
    }
    const isIdle = this.#phase === 'idle' && this.isQuiet && this.#reader?.isHolding !== true;
    if (isIdle && this.socket.bytesRead === this.#bytesBefore) this.socket.destroySoon();
  }

  expired(): void {
    switch (this.#phase) {
      case 'head':
        this.front.counters.headerTimeouts += 1;
        if (this.socket.bytesRead > this.#bytesBefore) this.#sayLast(CLIENT_STALLED);
        else this.#closeSoon();
        return;
      case 'unused':
        afterNextRead(() => this.#endUnused());
        return;
      case 'busy':
        this.#endStalled();
        return;
      case 'idle':
        this.#look();
        return;
      case 'linger':
        if (this.#isBroken || this.#lastExchange?.request.complete !== true) this.socket.destroy();
        else this.#rest();
        return;
      case 'closing':
        resetSocket(this.raw);
        return;
      case 'tunnel':
    }
  }

  #rest(): void {
    if (this.front.isClosing || this.isCut) {
      this.#closeSoon();
      return;
    }
    this.#phase = 'idle';
    this.#bytesBefore = this.socket.bytesRead;
    this.#deadline.start(this.front.lookTime);
    this.#idleSinceMs = this.#deadline.sinceMs;
  }

  /** Reads the next request after the response to the last has been sent. */
  #readOnAfterAnswer(): void {
    if (this.isQuiet) this.#readOn();
    else this.#lastExchange?.response.once('finish', () => this.#readOn());
  }

  #readOn(): void {
    const reader = this.#reader;
    if (reader === undefined || !this.isFree) return;
    reader.readOn();
    // The buffered beginning of a head gets the whole header time-out from now on.
    if (this.#phase !== 'idle' || !reader.hasBegun) return;
    this.#phase = 'head';
    this.#bytesBefore -= 1;
    this.#deadline.start(this.front.headerTime);
  }

  /** Closes after pending output; the wait for a stalled client is bounded. */
  #closeSoon(): void {
    this.#phase = 'closing';
    this.#deadline.start(this.front.idleTime);
    if (this.isQuiet) this.socket.destroySoon();
    else this.#lastExchange?.response.once('finish', () => this.socket.destroySoon());
  }

  /** The response is complete while the request is still arriving. */
  #linger(): void {
    this.#phase = 'linger';
    this.#deadline.start(this.front.timeouts.of(LINGER_MS));
  }

  #look(): void {
    const { front } = this;
    const idleMs = front.timers.monotonicMs() - this.#idleSinceMs;
    if (this.socket.bytesRead > this.#bytesBefore) {
      this.#phase = 'head';
      this.#deadline.start(front.headerTime);
    } else if (front.config.idleTimeoutMs > 0 && idleMs >= front.config.idleTimeoutMs) {
      afterNextRead(() => this.#endIdle());
    } else {
      this.#deadline.start(front.lookTime);
    }
  }

  #endIdle(): void {
    if (this.#phase !== 'idle' || this.socket.destroyed) return;
    if (this.socket.bytesRead > this.#bytesBefore) {
      this.#deadline.start(this.front.lookTime);
      return;
    }
    this.front.counters.idleTimeouts += 1;
    this.#closeSoon();
  }

  #endUnused(): void {
    if (this.#phase !== 'unused' || this.socket.destroyed) return;
    if (this.socket.bytesRead === 0) {
      this.#closeSoon();
      return;
    }
    this.#phase = 'head';
    this.#deadline.start(this.front.headerTime);
  }

  #endStalled(): void {
    const exchange = this.#exchange;
    if (exchange?.isClientAwaited === true) {
      this.front.counters.idleTimeouts += 1;
      exchange.breakOff(CLIENT_STALLED, 'idle_timeout');
    } else {
      this.#deadline.start(this.front.idleTime);
    }
  }

  #refuse(answer: OwnAnswer): void {
    this.#break();
    this.front.counters.parseErrors += 1;
    if (this.#exchange?.request.complete === false) this.#exchange.breakOff(answer, 'malformed');
    else if (this.isQuiet) this.#sayLast(answer);
    else this.#lastExchange?.response.once('finish', () => this.#sayLast(answer));
  }

  /** Ignores all further input. */
  #break(): void {
    this.#isBroken = true;
    this.#reader?.stop();
  }

  /** Writes past the parser, which is no longer usable. */
  #sayLast(answer: OwnAnswer): void {
    this.#break();
    this.front.counters.countAnswer(answer.statusCode);
    this.front.accessLog?.refusedRequest(this.origin.peer, answer.statusCode, answer.text, answer.code);
    this.socket.end(rawAnswer(answer, this.front.timers.nowMs()));
    this.socket.resume();
    this.#linger();
  }

  #close(): void {
    this.#deadline.stop();
    this.#exchange?.abandon(!this.isCut);
    this.front.forget(this);
  }
}
