import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { DomainError } from '#platform/foundation';
import { type HttpMetrics, isTracing, type Log } from '#platform/observability';
import { addBodyParsers } from '../body/body-parsers.ts';
import { allowStreaming, isStreamingRoute } from '../body/streaming-body.ts';
import { answerClientError } from '../error/client-error.ts';
import { type ErrorFilter } from '../error/error.filter.ts';
import { HTTP_LIMITS } from '../http-limits.ts';
import { requestIdOf } from '../request/request-id.ts';
import { RouteIndex } from './route-index.ts';
import { traceRequests } from './trace-requests.ts';

export interface ServerOptions {
  /** Of a whole body, as it comes and unpacked. */
  readonly bodyBytesMax: number;
  /** How long requests in flight have to end when the server closes; then their connections are closed. */
  readonly closeGraceMs: number;
  readonly log: Log;
  /** A line at level `debug` for each request. */
  readonly logsRequests?: boolean;
  readonly errors: ErrorFilter;
  /** Why a request may not pass; undefined when it may. Asked first, for every URL, before the body. */
  readonly faultOf?: (request: FastifyRequest) => Error | undefined;
}

/** A Fastify instance with every rule of this library in place, ready for Nest's adapter. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { faultOf, errors } = options;
  const instance = fastify({
    bodyLimit: options.bodyBytesMax,
    requestTimeout: HTTP_LIMITS.requestTimeoutMs,
    keepAliveTimeout: HTTP_LIMITS.keepAliveTimeoutMs,
    http: {
      headersTimeout: HTTP_LIMITS.headersTimeoutMs,
      connectionsCheckingInterval: HTTP_LIMITS.timeoutCheckMs,
    },
    routerOptions: { maxParamLength: HTTP_LIMITS.pathParameterLengthMax },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    genReqId: requestIdOf,
    requestIdHeader: false,
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      reply.header('X-Request-Id', request.id);
      errors.answer(faultOf?.(request) ?? error, request, reply);
    },
  });
  addBodyParsers(instance, options.bodyBytesMax);
  if (isTracing()) traceRequests(instance);
  addHooks(instance, options);
  boundClosing(instance, options);
  return instance;
}

/**
 * A server that closes lets go of connections that are idle at that moment. Those that become idle later
 * would hold it for as long as they are kept alive; and, since Node then looks at no time limit any more, a
 * client that sends nothing would hold it for ever.
 */
function boundClosing(instance: FastifyInstance, { closeGraceMs, log }: ServerOptions): void {
  let isClosing = false;
  instance.addHook('onResponse', (_request, _reply, done) => {
    if (isClosing) setImmediate(() => instance.server.closeIdleConnections());
    done();
  });
  instance.addHook('preClose', (done) => {
    const cutOff = setTimeout(() => {
      log.warn({ event: 'http.cut_off', closeGraceMs }, 'closed connections whose requests did not end');
      instance.server.closeAllConnections();
    }, closeGraceMs);
    isClosing = true;
    instance.server.once('close', () => {
      clearTimeout(cutOff);
    });
    done();
  });
}

function addHooks(instance: FastifyInstance, options: ServerOptions): void {
  const routes = new RouteIndex();
  routes.watch(instance);
  instance.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id);
    const fault = options.faultOf?.(request) ?? routeFault(routes, request, reply);
    if (fault !== undefined) {
      options.errors.answer(fault, request, reply);
      return;
    }
    if (isStreamingRoute(request)) allowStreaming(request);
    done();
  });
  if (options.logsRequests !== true) return;
  instance.addHook('onResponse', (request, reply, done) => {
    logRequest(options.log, request, reply);
    done();
  });
}

/** Counts what is answered. Call it before the routes are there. */
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
  log.debug(fields, 'answered request');
}

function routeFault(
  routes: RouteIndex,
  request: FastifyRequest,
  reply: FastifyReply,
): DomainError | undefined {
  if (!request.is404) return undefined;
  const methods = routes.methodsOf(request.url);
  if (methods.length === 0) return new DomainError('NOT_FOUND', 'no such path');
  reply.header('Allow', methods.join(', '));
  return new DomainError('METHOD_NOT_ALLOWED', `expected ${methods.join(' or ')}, got ${request.method}`);
}
