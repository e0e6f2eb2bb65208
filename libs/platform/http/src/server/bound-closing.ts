import type { FastifyInstance } from 'fastify';
import { afterNextRead } from '#platform/foundation';
import { endStalledSoon } from '../request/hang-up.ts';

/**
 * A closing server refuses new connections, answers the requests that have arrived, and tells their clients
 * that it closes. Then it closes idle connections, and streams whose readers take nothing. Those that become
 * idle later would delay it until their keep-alive ends; and since Node checks no time limit any more, a
 * client that sends nothing would delay it forever: all are closed after `graceMs`.
 */
export function boundClosing(
  instance: FastifyInstance,
  graceMs: number,
  onCutOff: () => void = () => undefined,
): void {
  const { server } = instance;
  let isClosing = false;
  const closeIdle = server.closeIdleConnections.bind(server);
  // Node closes them together with the port: a request that has arrived and is not yet read would be lost.
  server.closeIdleConnections = () => afterNextRead(closeIdle);
  instance.addHook('onSend', (_request, reply, payload, done) => {
    if (isClosing) reply.header('Connection', 'close');
    done(null, payload);
  });
  instance.addHook('onResponse', (_request, _reply, done) => {
    if (isClosing) setImmediate(closeIdle);
    done();
  });
  instance.addHook('preClose', (done) => {
    isClosing = true;
    endStalledSoon(server);
    const cutOff = setTimeout(() => {
      onCutOff();
      server.closeAllConnections();
    }, graceMs);
    server.once('close', () => clearTimeout(cutOff));
    // Right after pending connections are accepted: the others are reset with the port.
    setImmediate(done);
  });
}
