import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { type Soon, whenThere } from '#platform/foundation';
import { type HttpMetrics, isTracing, type Log } from '#platform/observability';
import type { ServerTls } from '#platform/tls';
import { addBodyParsers } from '../body/body-parsers.ts';
import { allowStreaming, isStreamingRoute } from '../body/streaming-body.ts';
import { answerClientError } from '../error/client-error.ts';
import { type ErrorFilter } from '../error/error.filter.ts';
import { HTTP_LIMITS } from '../http-limits.ts';
import { requestIdOf, traceRequests } from '../request/request-trace.ts';
import { boundClosing } from './bound-closing.ts';
import { keepToTls, listeningServer } from './listening-server.ts';
import { queryFault, routeFault, RouteIndex } from './route-index.ts';

export interface ServerOptions {
  /** Limit of a whole body, both as received and decompressed. */
  readonly bodyBytesMax: number;
  /** Grace period of requests in flight when the server closes; after it their connections are closed. */
  readonly closeGraceMs: number;
  readonly log: Log;
  /** Logs a line at level `debug` for each request. */
  readonly logsRequests?: boolean;
  readonly errors: ErrorFilter;
  /** Undefined: plain text. */
  readonly tls?: ServerTls | undefined;
  /**
   * The reason to reject a request; undefined when it is admitted. Called first, for every URL, before the
   * body is read, which waits for a promise.
   */
  readonly faultOf?: (request: FastifyRequest) => Soon<Error | undefined>;
  /**
   * Calls `end` once an admitted request may go on no longer, whatever of its body or response is to come.
   * Returns the function that ends the watch.
   */
  readonly follow?: (request: FastifyRequest, end: () => void) => () => void;
  /** Runs the handler of an admitted request, and what follows from it. */
  readonly within?: (request: FastifyRequest, work: () => void) => void;
  /** Called for each answer that refuses the caller: 401 and 403. */
  readonly onRefused?: (request: FastifyRequest, status: number) => void;
}

const LIMITS = {
  requestTimeout: HTTP_LIMITS.requestTimeoutMs,
  keepAliveTimeout: HTTP_LIMITS.keepAliveTimeoutMs,
  headersTimeout: HTTP_LIMITS.headersTimeoutMs,
  connectionsCheckingInterval: HTTP_LIMITS.timeoutCheckMs,
};

/** A Fastify instance with all hooks of this library, ready for Nest's adapter. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { faultOf, errors, closeGraceMs, log, tls } = options;
  const instance = fastify({
    bodyLimit: options.bodyBytesMax,
    serverFactory: (handler) => listeningServer(handler, LIMITS, tls),
    routerOptions: { maxParamLength: HTTP_LIMITS.pathParameterLengthMax },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    genReqId: requestIdOf,
    requestIdHeader: false,
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      reply.header('X-Request-Id', request.id);
      const answer = (fault: unknown): void => errors.answer(fault ?? error, request, reply);
      void Promise.resolve(whenThere(faultOf?.(request), answer)).catch(answer);
    },
  });
  addBodyParsers(instance, options.bodyBytesMax);
  if (isTracing()) traceRequests(instance);
  addHooks(instance, options);
  if (tls !== undefined) keepToTls(instance);
  boundClosing(instance, closeGraceMs, () => {
    log.warn({ event: 'http.cut_off', closeGraceMs }, 'connections with unfinished requests closed');
  });
  return instance;
}

function addHooks(instance: FastifyInstance, options: ServerOptions): void {
  const routes = new RouteIndex();
  routes.watch(instance);
  const waiting = waitingForContinue(instance);
  instance.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id);
    const decided = whenThere(options.faultOf?.(request), (refusal) => {
      // The client may have left meanwhile.
      if (reply.raw.destroyed) return;
      const fault = refusal ?? routeFault(routes, request, reply) ?? queryFault(request);
      if (fault !== undefined) {
        // The body may or may not follow: the connection is of no further use.
        if (waiting.has(request.raw)) reply.raw.shouldKeepAlive = false;
        options.errors.answer(fault, request, reply);
        return;
      }
      if (options.follow !== undefined)
        reply.raw.once(
          'close',
          options.follow(request, () => reply.raw.destroy()),
        );
      if (waiting.has(request.raw)) reply.raw.writeContinue();
      if (isStreamingRoute(request)) allowStreaming(request);
      done();
    });
    if (decided instanceof Promise)
      decided.catch((error: unknown) => options.errors.answer(error, request, reply));
  });
  const { within, onRefused } = options;
  // Body parsing resumes from a socket callback: only later hooks run within the asynchronous context.
  if (within !== undefined)
    instance.addHook('preValidation', (request, _reply, done) => within(request, () => done()));
  if (onRefused !== undefined)
    instance.addHook('onResponse', (request, { statusCode }, done) => {
      if (REFUSALS.has(statusCode)) onRefused(request, statusCode);
      done();
    });
  if (options.logsRequests !== true) return;
  instance.addHook('onResponse', (request, reply, done) => {
    logRequest(options.log, request, reply);
    done();
  });
}

const REFUSALS: ReadonlySet<number> = new Set([401, 403]);

/** Requests with `Expect: 100-continue`. Node would ask for the body before anything was checked. */
function waitingForContinue(instance: FastifyInstance): WeakSet<IncomingMessage> {
  const waiting = new WeakSet<IncomingMessage>();
  instance.server.on('checkContinue', (request, response) => {
    waiting.add(request);
    instance.server.emit('request', request, response);
  });
  return waiting;
}

/** Counts responses. Call it before the routes are registered. */
export function countRequests(instance: FastifyInstance, metrics: HttpMetrics): void {
  instance.addHook('onResponse', (request, reply, done) => {
    const route = request.is404 ? undefined : request.routeOptions.url;
    metrics.count({ route, status: reply.statusCode });
    done();
  });
}

function logRequest(log: Log, request: FastifyRequest, reply: FastifyReply): void {
  const fields = {
    event: 'http.request',
    method: request.method,
    route: request.routeOptions.url,
    status: reply.statusCode,
    ms: reply.elapsedTime,
    request_id: request.id,
  };
  log.debug(fields, 'request answered');
}
