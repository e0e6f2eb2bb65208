import type { Type } from '@nestjs/common';
import { PATTERN_METADATA } from '@nestjs/microservices/constants.js';
import { type Requirement, requirementOf } from '#platform/auth';

/** A method as `@GrpcMethod` and `@GrpcStreamCall` note it. */
interface MethodPattern {
  readonly service: string;
  readonly rpc: string;
}

/** What each method of the controllers requires of its callers, by `package.Service/Method`. */
export function methodRequirements(
  packageName: string,
  controllers: readonly Type[],
): ReadonlyMap<string, Requirement> {
  const handlers = controllers.flatMap(({ prototype }) =>
    Object.values(Object.getOwnPropertyDescriptors(prototype as object)).map(({ value }) => value as unknown),
  );
  return new Map(
    handlers.flatMap((handler) =>
      typeof handler !== 'function'
        ? []
        : patternsOf(handler).map(
            ({ service, rpc }) => [`${packageName}.${service}/${rpc}`, requirementOf(handler)] as const,
          ),
    ),
  );
}

function patternsOf(handler: object): readonly MethodPattern[] {
  return (Reflect.getMetadata(PATTERN_METADATA, handler) ?? []) as readonly MethodPattern[];
}
