import type { FastifyInstance } from 'fastify';
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type ServerTls, tlsOptions } from '#platform/tls';

/** A server with these time limits: with a certificate it speaks TLS only, without one plain text only. */
export function listeningServer(
  handler: RequestListener,
  limits: ServerOptions,
  tls: ServerTls | undefined,
): Server {
  if (tls === undefined) return createServer(limits, handler);
  const server = createTlsServer({ ...limits, ...tlsOptions(tls) }, handler);
  // A connection without TLS gets no answer: nothing could be said in plain text.
  server.prependListener('tlsClientError', (_error, socket) => socket.destroy());
  tls.follow?.(server);
  return server;
}

const YEAR_S = 31_536_000;
/** Browsers would apply the header to every port of this machine. */
const LOCAL = /^(?:localhost|[^:]*\.localhost)(?::|$)/i;

/** Tells browsers to use TLS only for this host from now on, with each page. */
export function keepToTls(instance: FastifyInstance): void {
  instance.addHook('onSend', (request, reply, payload, done) => {
    const isPage = String(reply.getHeader('content-type')).startsWith('text/html');
    if (isPage && !LOCAL.test(request.headers.host ?? ''))
      reply.header('Strict-Transport-Security', `max-age=${YEAR_S}`);
    done(null, payload);
  });
}
