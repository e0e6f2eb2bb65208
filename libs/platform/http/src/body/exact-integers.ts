import type { FastifyRequest } from 'fastify';
import { routeMark } from './route-mark.ts';

const EXACT = 'exactIntegers';

/** Marks a handler whose JSON body has bigints for the integers that a number would round. */
export function ExactIntegers(): MethodDecorator {
  return routeMark({ [EXACT]: true });
}

export function hasExactIntegers(request: FastifyRequest): boolean {
  const config: unknown = request.routeOptions.config;
  return typeof config === 'object' && config !== null && Reflect.get(config, EXACT) === true;
}
