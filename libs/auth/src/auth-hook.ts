import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DomainError } from '#foundation';
import type { ApiKeyGate, PublicMark } from './api-key-gate.ts';
import type { BrowserGate } from './browser-gate.ts';
import { PUBLIC_MARK } from './public.decorator.ts';
import { UNAUTHORIZED_BODY } from './unauthorized.ts';

/** Answers 401 and gives true when the gate does not admit the request. */
function refuseStranger(gate: ApiKeyGate, request: FastifyRequest, reply: FastifyReply): boolean {
  if (gate.admits(request.headers.authorization, publicMarkOf(request))) return false;
  reply.code(401).header('WWW-Authenticate', 'Bearer').send(UNAUTHORIZED_BODY);
  return true;
}

export interface Admission {
  readonly gate: ApiKeyGate;
  readonly browsers: BrowserGate;
  /** Answers a request that is refused for where it comes from. */
  readonly answer: (error: DomainError, request: FastifyRequest, reply: FastifyReply) => void;
}

/**
 * The first hook of a service, also where the router answers without hooks: true when the request may not
 * pass, and is answered. With a key the key decides; without, the rule for browsers. What is always public
 * is served to every page.
 */
export function refuses(
  { gate, browsers, answer }: Admission,
  request: FastifyRequest,
  reply: FastifyReply,
): boolean {
  if (!gate.isOpen) return refuseStranger(gate, request, reply);
  const fault = publicMarkOf(request) === 'always' ? undefined : browsers.faultOf(request);
  if (fault !== undefined) answer(fault, request, reply);
  return fault !== undefined;
}

/** The mark of the matched route; undefined when it has none, or when nothing was matched. */
export function publicMarkOf(request: FastifyRequest): PublicMark | undefined {
  const config: unknown = request.routeOptions.config;
  if (typeof config !== 'object' || config === null) return undefined;
  const mark: unknown = Reflect.get(config, PUBLIC_MARK);
  return typeof mark === 'string' ? mark : undefined;
}
