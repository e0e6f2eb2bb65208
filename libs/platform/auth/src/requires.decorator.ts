import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import { ADMIN_ONLY, type Requirement } from './caller.ts';
import type { Permission } from './permission.ts';
import { routeMark } from './route-mark.ts';

const REQUIREMENT = 'requirement';

/**
 * The permission that a handler asks of its callers, for every interface. `keepsSource` states that the
 * handler passes the caller's source on (see `sourceOf`); without it, a key of one source cannot write here.
 * `keepsScope` states that the handler answers from the caller's scope, or shows no data; without it, a key
 * with a scope is refused here.
 */
export function Requires(
  permission: Permission,
  {
    keepsSource = false,
    keepsScope = false,
  }: { readonly keepsSource?: boolean; readonly keepsScope?: boolean } = {},
): MethodDecorator {
  const requirement: Requirement = { permission, keepsSource, keepsScope };
  return routeMark({ [REQUIREMENT]: requirement });
}

/** What a route's configuration requires: without a mark, `admin`. */
export function requirementIn(config: unknown): Requirement {
  return statedIn(config) ?? ADMIN_ONLY;
}

/** Undefined where nothing is stated. */
export function statedIn(config: unknown): Requirement | undefined {
  if (typeof config !== 'object' || config === null) return undefined;
  return Reflect.get(config, REQUIREMENT) as Requirement | undefined;
}

/** What a handler of any interface requires. */
export function requirementOf(handler: object): Requirement {
  return requirementIn(Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler));
}
