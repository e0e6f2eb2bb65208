import type { FastifyRequest } from 'fastify';
import { routeMark, routeMarkOf } from '#platform/auth';

const REMEDY = 'largeBodyRemedy';

/** What a client can do whose body is too large for this handler: the reply with 413 says it. */
export function LargeBodyRemedy(remedy: string): MethodDecorator {
  return routeMark({ [REMEDY]: remedy });
}

export function largeBodyRemedyOf(request: FastifyRequest): string | undefined {
  const remedy = routeMarkOf(request, REMEDY);
  return typeof remedy === 'string' ? remedy : undefined;
}
