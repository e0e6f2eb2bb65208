import type { FastifyRequest } from 'fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import { RouteConfig } from '@nestjs/platform-fastify';

/** Marks a handler for the body parsers, and keeps its other marks: Nest's own decorator replaces them. */
export function routeMark(mark: Readonly<Record<string, unknown>>): MethodDecorator {
  return (target, name, descriptor) => {
    const earlier: unknown = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, descriptor.value as object);
    RouteConfig({ ...(earlier as object | undefined), ...mark })(target, name, descriptor);
  };
}

/** The value of a mark of the matched route; undefined when no route matched. */
export function routeMarkOf(request: FastifyRequest, name: string): unknown {
  const config: unknown = request.routeOptions.config;
  return typeof config === 'object' && config !== null ? Reflect.get(config, name) : undefined;
}
