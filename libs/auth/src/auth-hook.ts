import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiKeyGate, PublicMark } from './api-key-gate.ts';
import { PUBLIC_MARK } from './public.decorator.ts';
import { UNAUTHORIZED_BODY } from './unauthorized.ts';

/**
 * Answers 401 and gives true when the gate does not admit the request. Call it in the first `onRequest`
 * hook, and where the router answers without hooks.
 */
export function refuseStranger(gate: ApiKeyGate, request: FastifyRequest, reply: FastifyReply): boolean {
  if (gate.admits(request.headers.authorization, publicMarkOf(request))) return false;
  reply.code(401).header('WWW-Authenticate', 'Bearer').send(UNAUTHORIZED_BODY);
  return true;
}

/** The mark of the matched route; undefined when it has none, or when nothing was matched. */
export function publicMarkOf(request: FastifyRequest): PublicMark | undefined {
  const config: unknown = request.routeOptions.config;
  if (typeof config !== 'object' || config === null) return undefined;
  const mark: unknown = Reflect.get(config, PUBLIC_MARK);
  return typeof mark === 'string' ? mark : undefined;
}
