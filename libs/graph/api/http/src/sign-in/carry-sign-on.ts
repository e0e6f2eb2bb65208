import type { FastifyInstance } from 'fastify';
import type { SingleSignOn } from '#platform/auth';

const MCP = '/mcp';
/** Where a client of MCP finds who issues tokens (RFC 9728). */
export const RESOURCE_PATH = '/.well-known/oauth-protected-resource';

/**
 * Gives browsers the new secrets of their sessions, and tells clients of MCP without a token where to get
 * one. Must be called before the application listens.
 */
export function carrySignOn(instance: FastifyInstance, { pages, address }: SingleSignOn): void {
  instance.addHook('onSend', (request, reply, _payload, done) => {
    pages?.cookies.renew(request, reply);
    if (reply.statusCode === 401 && request.routeOptions.url === MCP)
      reply.header(
        'WWW-Authenticate',
        `Bearer resource_metadata="${address.originOf(request)}${RESOURCE_PATH}${MCP}"`,
      );
    done();
  });
}
