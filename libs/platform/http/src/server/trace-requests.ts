import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Span, startSpan, withinSpan } from '#platform/observability';

/**
 * A span for each request, part of its client's trace if it names one. Its name and attributes are those of
 * the route: a path may hold what is nobody's business.
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
    // Also of a client that hangs up.
    reply.raw.once('close', () => {
      const { statusCode } = reply;
      span?.set({ 'http.response.status_code': statusCode, 'plexus.cut': !reply.raw.writableFinished });
      if (statusCode >= 500) span?.fail(String(statusCode));
      span?.end();
    });
    done();
  });
  // What reads the body calls back from its socket: only what comes after it is within the span.
  instance.addHook('preValidation', (request, _reply, done) => {
    withinSpan(spans.get(request), done);
  });
}
