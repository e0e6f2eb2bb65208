import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Timers } from '../cluster/target/cluster-context.ts';
import type { AccessLog } from '../listener/access-log.ts';
import { type Cut, Front, type ListenerOf } from '../listener/front.ts';
import { plainAddress, TrustedProxies } from '../listener/peer.ts';
import type { TimeoutList } from '../listener/timeout-list.ts';
import type { Timeouts } from '../listener/timeouts.ts';
import { requestPath } from '../route/request-host.ts';
import { type ConnectionHost, DownstreamConnection } from './downstream-connection.ts';
import { DownstreamRequest } from './downstream-request.ts';
import type { Exchange } from './exchange.ts';
import type { HeadFlusher } from './head-flusher.ts';
import {
  badRequest,
  EXPECTATION_FAILED,
  NO_TRACE,
  OPTIONS_OF_ALL,
  PLAIN_ON_TLS,
  rawAnswer,
  redirectToHttps,
  UNROUTED,
} from './own-answer.ts';
import { RequestHead } from './request-head.ts';
import { forwardedTarget, pathFault } from './request-path.ts';
import type { Routing } from './routing.ts';
import type { UpstreamPools } from './upstream-pools.ts';

const WEBSOCKET = 'websocket';
const CONTINUE = '100-continue';
const READ_ALL_HEADERS = 0;
const LIMITED_METHODS = new Set(['TRACE', 'OPTIONS']);

/** Shared by all HTTP fronts. */
export interface HttpContext {
  readonly timeouts: Timeouts;
  readonly pools: UpstreamPools;
  readonly flusher: HeadFlusher;
}

/** An HTTP listener under one configuration. */
export class HttpFront extends Front implements ConnectionHost {
  readonly timers: Timers;
  readonly pools: UpstreamPools;
  readonly flusher: HeadFlusher;
  readonly headerTime: TimeoutList;
  readonly idleTime: TimeoutList;
  readonly lookTime: TimeoutList;
  /** Replaced in one step by a reload; active requests keep the old one. */
  routing: Routing;
  isClosing = false;
  readonly #trusted: TrustedProxies;
  readonly #server: Server;
  readonly #connections = new Map<Duplex, DownstreamConnection>();
  #requestsActive = 0;

  constructor(listener: ListenerOf, routing: Routing, around: HttpContext) {
    const { timeouts, pools, flusher } = around;
    super(listener, timeouts);
    const { config } = listener;
    this.timers = timeouts.timers;
    this.pools = pools;
    this.flusher = flusher;
    this.routing = routing;
    this.headerTime = timeouts.of(config.headerTimeoutMs);
    this.idleTime = timeouts.of(config.idleTimeoutMs);
    this.lookTime = timeouts.of(
      Math.min(config.headerTimeoutMs || Infinity, config.idleTimeoutMs || config.headerTimeoutMs),
    );
    this.#trusted = new TrustedProxies(config.trustedProxies);
    this.#server = this.#makeServer();
  }

  override closeIdle(): void {
    super.closeIdle();
    this.isClosing = true;
    for (const connection of this.#connections.values()) connection.closeIfIdle();
  }

  override cut(): Cut {
    for (const connection of this.#connections.values()) connection.isCut = true;
    return super.cut();
  }

  serve(exchange: Exchange): void {
    const { head } = exchange;
    this.#requestsActive += 1;
    this.counters.requestsActive += 1;
    if (this.config.paths === 'reject_ambiguous') head.fault ??= pathFault(head.path);
    if (head.fault !== undefined) {
      this.counters.parseErrors += 1;
      exchange.replyLast(badRequest(head.fault));
      return;
    }
    if (head.expectation !== '' && head.expectation !== CONTINUE) exchange.replyLast(EXPECTATION_FAILED);
    else if (head.path === '*') exchange.reply(OPTIONS_OF_ALL);
    else if (head.maxForwards !== undefined && LIMITED_METHODS.has(exchange.request.method ?? ''))
      this.#forwardLimited(exchange, head.maxForwards);
    else this.#route(exchange);
  }

  served(exchange: Exchange, connection: DownstreamConnection): void {
    this.#requestsActive -= 1;
    this.counters.requestsActive -= 1;
    if (this.accessLog === undefined) return;
    const { fault } = exchange.head;
    // Its target and its host are not to be logged: they may contain credentials.
    if (fault === undefined) this.#logAccess(this.accessLog, exchange, connection);
    else {
      const { peer } = connection.origin;
      this.accessLog.refusedRequest(peer, exchange.statusCode, badRequest(fault).text);
    }
  }

  forget(connection: DownstreamConnection): void {
    this.#connections.delete(connection.socket);
  }

  protected override get requestsActive(): number {
    return this.#requestsActive;
  }

  protected override plainAnswer(): string {
    this.counters.countAnswer(PLAIN_ON_TLS.statusCode);
    return rawAnswer(PLAIN_ON_TLS, this.timers.nowMs());
  }

  protected override begin(socket: Socket, raw: Socket): void {
    const peer = plainAddress(socket.remoteAddress);
    const scheme = socket === raw ? 'http' : 'https';
    const isTrusted = this.#trusted.includes(peer);
    const origin = { peer, scheme, isTrusted, trusted: this.#trusted } as const;
    const connection = new DownstreamConnection({ front: this, socket, raw, origin });
    this.#connections.set(socket, connection);
    this.#server.emit('connection', socket);
    connection.read();
    if (this.isClosing) connection.closeIfIdle();
  }

  /** TRACE and OPTIONS for the last proxy of a chain (RFC 9110, 7.6.2). */
  #forwardLimited(exchange: Exchange, maxForwards: number): void {
    if (maxForwards > 0) {
      exchange.head.forwardOnce(maxForwards);
      this.#route(exchange);
    } else exchange.reply(exchange.request.method === 'OPTIONS' ? OPTIONS_OF_ALL : NO_TRACE);
  }

  #route(exchange: Exchange): void {
    const { head } = exchange;
    const { routing } = this;
    const route = routing.match(head.host, head.path);
    if (route === undefined) {
      this.counters.unrouted += 1;
      exchange.reply(UNROUTED);
    } else if (route.cluster === undefined) {
      exchange.reply(head.host === '' ? badRequest('no host') : redirectToHttps(head.host, head.path));
    } else if (forwardedTarget(head.path, route) === undefined) {
      this.counters.parseErrors += 1;
      exchange.reply(badRequest('a path that leaves its prefix'));
    } else {
      exchange.start(route, routing.cluster(route.cluster), head.expectation === CONTINUE);
    }
  }

  #makeServer(): Server {
    const server = createServer({
      IncomingMessage: DownstreamRequest,
      maxHeaderSize: this.config.maxHeaderBytes,
      insecureHTTPParser: false,
      // Checked together with the other rules for forwarded requests.
      requireHostHeader: false,
      optimizeEmptyRequests: true,
      // The connection has its own time-outs.
      headersTimeout: 0,
      requestTimeout: 0,
      keepAliveTimeout: 0,
      shouldUpgradeCallback: (request) => this.#isUpgraded(request),
    });
    server.maxHeadersCount = READ_ALL_HEADERS;
    const begin = (request: IncomingMessage, response: ServerResponse): void =>
      this.#connections.get(request.socket)?.begin(request, response);
    server.on('request', begin);
    server.on('checkContinue', begin);
    server.on('checkExpectation', begin);
    server.on('upgrade', (request, socket, afterHead) =>
      this.#connections.get(socket)?.beginUpgrade(request, afterHead, this.#isUpgraded(request)),
    );
    server.on('connect', (_, socket) => this.#connections.get(socket)?.refuseTunnel());
    server.on('clientError', (fault, socket) => this.#connections.get(socket)?.breakOff(fault));
    return server;
  }

  /** Whether to upgrade: only to WebSocket, where the route allows it, and without pending responses. */
  #isUpgraded(request: IncomingMessage): boolean {
    const connection = this.#connections.get(request.socket);
    if (request.method !== 'GET' || connection?.isQuiet !== true) return false;
    const { fault, upgrade, hasBody, host, path } = new RequestHead(request, connection.origin);
    if (fault !== undefined || upgrade !== WEBSOCKET || hasBody) return false;
    return this.routing.match(host, path)?.websocket === true;
  }

  #logAccess(log: AccessLog, exchange: Exchange, { origin: { peer } }: DownstreamConnection): void {
    const {
      request,
      statusCode,
      startedMs,
      target,
      head,
      client,
      failure,
      failureCode,
      isIncomplete,
      cluster,
    } = exchange;
    log.answered({
      peer,
      client,
      method: request.method ?? '',
      host: head.host,
      // The query may contain secrets.
      path: requestPath(head.path),
      statusCode,
      durationMs: this.timers.monotonicMs() - startedMs,
      cluster,
      endpoint: target?.endpoint.text,
      reason: failure,
      code: failureCode,
      isIncomplete,
    });
  }
}
