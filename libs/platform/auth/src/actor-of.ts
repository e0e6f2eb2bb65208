import type { Actor } from '#platform/audit';
import type { FastifyRequest } from 'fastify';
import { callerOf } from './admission.ts';
import { ANYONE, type Caller, NOBODY } from './caller.ts';

/** The caller as the audit and the log know it. */
export function actorOf(caller: Caller, place: Pick<Actor, 'from' | 'what' | 'requestId'>): Actor {
  const { name: who, source } = caller;
  return { who, source, isNamed: caller !== ANYONE && caller !== NOBODY, ...place };
}

/** Who sends the request, for what: by its route, never the path, which has names and ids. */
export function actorOfRequest(request: FastifyRequest, caller = callerOf(request)): Actor {
  const route = request.is404 ? 'unknown route' : (request.routeOptions.url ?? 'unknown route');
  const place = { from: request.ip, what: `${request.method} ${route}`, requestId: request.id };
  return actorOf(caller, place);
}
