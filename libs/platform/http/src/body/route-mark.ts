import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import { RouteConfig } from '@nestjs/platform-fastify';

/** Marks a handler for the parsers of bodies, beside its other marks: Nest's own decorator replaces them. */
export function routeMark(mark: Readonly<Record<string, unknown>>): MethodDecorator {
  return (target, name, descriptor) => {
    const earlier: unknown = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, descriptor.value as object);
    RouteConfig({ ...(earlier as object | undefined), ...mark })(target, name, descriptor);
  };
}
