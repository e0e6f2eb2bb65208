import type { FastifyInstance, FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Span, startSpan, withinSpan } from '#platform/observability';
import { HTTP_LIMITS } from '../http-limits.ts';

const VISIBLE = /^[\x21-\x7e]+$/;

/** The client's id when it is short and printable, else a new one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  if (typeof given !== 'string' || given.length > HTTP_LIMITS.requestIdLengthMax || !VISIBLE.test(given)) {
    return randomUUID();
  }
  return given;
}

/**
 * A span for each request, a child of the client's span if the request names one. Name and attributes are
 * those of the route, because a path may contain sensitive values.
 */
export function traceRequests(instance: FastifyInstance): void {
  const spans = new WeakMap<FastifyRequest, Span>();
  instance.addHook('onRequest', (request, reply, done) => {
    const route = request.is404 ? undefined : request.routeOptions.url;
    const { traceparent } = request.headers;
    const span = startSpan(route === undefined ? request.method : `${request.method} ${route}`, {
      kind: 'server',
      isRoot: true,
      parent: typeof traceparent === 'string' ? traceparent : undefined,
      attributes: { 'http.request.method': request.method, 'http.route': route },
    });
    if (span !== undefined) spans.set(request, span);
    // Also emitted when the client disconnects.
    reply.raw.once('close', () => {
      const { statusCode } = reply;
      span?.set({ 'http.response.status_code': statusCode, 'plexus.cut': !reply.raw.writableFinished });
      if (statusCode >= 500) span?.fail(String(statusCode));
      span?.end();
    });
    done();
  });
  // Body parsers call back from the socket's context, so the span covers only what runs after them.
  instance.addHook('preValidation', (request, _reply, done) => {
    withinSpan(spans.get(request), done);
  });
}
