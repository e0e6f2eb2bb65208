/**
 * A client's connection that speaks HTTP. Hot path.
 *
 *     first head awaited -> busy <-> idle -> a head has begun -> busy
 *                            |
 *                            +-> a tunnel, after 101
 *
 *     any -> closing: what is still to be sent is sent
 *
 * 1. While a head is awaited, the header time runs: from the accept for the first one. Of a later one the
 *    parser does not tell the beginning: an idle connection is looked at from time to time, and when bytes
 *    have come since, it has one header time more to complete its head.
 * 2. While a request waits for its client, the idle time runs; while it waits for the upstream, the route's.
 * 3. What cannot be read is answered with 400 or 431 after the answers that are owed, and the connection
 *    ends. What was forwarded of such a request is called off.
 */
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Deadline, type Expirable } from '../listener/timeout-list.ts';
import { afterNextRead } from '../listener/after-next-read.ts';
import { resetSocket } from '../tcp/reset-socket.ts';
import { Tunnel } from '../tcp/tunnel.ts';
import { Exchange, type ExchangeHost } from './exchange.ts';
import type { HttpHost } from './http-host.ts';
import { CLIENT_STALLED, NO_TUNNEL, type OwnAnswer, rawAnswer } from './own-answer.ts';
import { answerTo, isAfterLast, type ParseFault } from './parse-fault.ts';
import { RequestHead } from './request-head.ts';
import type { RequestOrigin } from './request-origin.ts';
import type { RawHeaders } from './response-head.ts';
import { switchingHead } from './switching-head.ts';

/** How long the rest of what a client sends is read, and thrown away, after an answer that did not wait. */
const LINGER_MS = 2_000;

type Phase = 'head' | 'busy' | 'idle' | 'linger' | 'tunnel' | 'closing';

/** The listener that a connection came by. */
export interface ConnectionHost extends HttpHost {
  /** Finds the way of a request, or answers it. */
  serve(exchange: Exchange): void;
  /** It has its answer, or will have none. */
  served(exchange: Exchange, connection: Connection): void;
  /** It is closed. */
  forget(connection: Connection): void;
}

export interface ConnectionParts {
  readonly front: ConnectionHost;
  readonly socket: Socket;
  /** Below TLS; the same where there is none. */
  readonly raw: Socket;
  readonly origin: RequestOrigin;
}

export class Connection implements ExchangeHost, Expirable {
  readonly front: ConnectionHost;
  readonly socket: Socket;
  readonly raw: Socket;
  readonly origin: RequestOrigin;
  isCut = false;
  readonly #deadline = new Deadline(this);
  readonly #exchanges: Exchange[] = [];
  #lastExchange: Exchange | undefined;
  /** What came after the head of a request to change the protocol. */
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

  /** Whether every request has its answer. */
  get isQuiet(): boolean {
    return this.#exchanges.length === 0 && this.#lastExchange?.response.writableFinished !== false;
  }

  begin(request: IncomingMessage, response: ServerResponse, isUpgrade = false): void {
    // What comes after a request that was refused is not looked at: it may be a part of that one.
    if (this.#isBroken) return;
    this.#deadline.stop();
    this.#phase = 'busy';
    const head = new RequestHead(request, this.origin);
    this.#isBroken = head.fault !== undefined;
    const exchange = new Exchange({ connection: this, request, response, head, isUpgrade });
    this.#exchanges.push(exchange);
    this.#lastExchange = exchange;
    this.front.serve(exchange);
  }

  /** The parser has let go of the socket. */
  beginUpgrade(request: IncomingMessage, afterHead: Buffer, isUpgrade: boolean): void {
    const { socket } = this;
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.destroySoon());
    this.#afterHead = afterHead;
    this.begin(request, response, isUpgrade);
  }

  /** A request for a tunnel by CONNECT. */
  refuseTunnel(): void {
    this.#deadline.stop();
    this.socket.resume();
    this.#sayLast(NO_TUNNEL);
  }

  ended(exchange: Exchange): void {
    const index = this.#exchanges.indexOf(exchange);
    if (index !== -1) this.#exchanges.splice(index, 1);
    this.front.served(exchange, this);
    if (this.#exchanges.length > 0 || this.#phase !== 'busy') return;
    if (exchange.request.complete) this.#rest();
    else this.#linger();
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
    this.#exchanges.splice(this.#exchanges.indexOf(exchange), 1);
    exchange.response.detachSocket(socket);
    socket.write(switchingHead(raw), 'latin1');
    if (this.#afterHead !== undefined && this.#afterHead.length > 0) upstream.write(this.#afterHead);
    new Tunnel({
      downstream: socket,
      raw: this.raw,
      upstream,
      idle: this.front.idleTime,
      onIdle: () => (this.front.counters.idleTimeouts += 1),
      onClosed: () => exchange.tunnelEnded(),
    });
  }

  /** The parser, or the socket, has failed. */
  breakOff(fault: ParseFault): void {
    if (this.#isBroken) return;
    if (isAfterLast(fault) && !this.isQuiet) return;
    this.#isBroken = true;
    const answer = answerTo(fault);
    if (answer === undefined) this.socket.destroy();
    else this.#refuse(answer);
  }

  /** Ends it, if nothing is under way on it and something was before. */
  closeIfIdle(): void {
    if (this.#phase === 'idle' && this.isQuiet && this.socket.bytesRead === this.#bytesBefore) {
      this.socket.destroySoon();
    }
  }

  expired(): void {
    switch (this.#phase) {
      case 'head':
        this.front.counters.headerTimeouts += 1;
        if (this.socket.bytesRead > this.#bytesBefore) this.#sayLast(CLIENT_STALLED);
        else this.#closeSoon();
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

  /** After what is still to be sent; a client that does not take it is not waited for without end. */
  #closeSoon(): void {
    this.#phase = 'closing';
    this.#deadline.start(this.front.idleTime);
    if (this.isQuiet) this.socket.destroySoon();
    else this.#lastExchange?.response.once('finish', () => this.socket.destroySoon());
  }

  /** The answer is given, and the request is still coming. */
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

  #endStalled(): void {
    const stalled = this.#exchanges.filter((exchange) => exchange.isClientAwaited);
    if (stalled.length === 0) {
      this.#deadline.start(this.front.idleTime);
      return;
    }
    this.front.counters.idleTimeouts += 1;
    for (const exchange of stalled) exchange.breakOff(CLIENT_STALLED);
  }

  #refuse(answer: OwnAnswer): void {
    this.front.counters.parseErrors += 1;
    const broken = this.#exchanges.find((exchange) => !exchange.request.complete);
    if (broken !== undefined) broken.breakOff(answer);
    else if (this.isQuiet) this.#sayLast(answer);
    else this.#lastExchange?.response.once('finish', () => this.#sayLast(answer));
  }

  /** Beside the parser, which is of no use any more. */
  #sayLast(answer: OwnAnswer): void {
    this.#isBroken = true;
    this.front.counters.countAnswer(answer.statusCode);
    this.socket.end(rawAnswer(answer));
    this.#linger();
  }

  #close(): void {
    this.#deadline.stop();
    for (const exchange of this.#exchanges.slice()) exchange.abandon(!this.isCut);
    this.front.forget(this);
  }
}
