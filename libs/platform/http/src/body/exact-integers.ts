import type { FastifyRequest } from 'fastify';
import { routeMark, routeMarkOf } from '#platform/auth';

const EXACT = 'exactIntegers';

/** Marks a handler whose JSON body contains bigints for integers that a number would round. */
export function ExactIntegers(): MethodDecorator {
  return routeMark({ [EXACT]: true });
}

export function hasExactIntegers(request: FastifyRequest): boolean {
  return routeMarkOf(request, EXACT) === true;
}
