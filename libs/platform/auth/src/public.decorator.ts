import { routeMark } from './route-mark.ts';
import type { PublicMark } from './api-key-gate.ts';

/** Key of the mark in a route's Fastify configuration. */
export const PUBLIC_MARK = 'publicMark';

/**
 * Lets a handler answer without a key: always, or when the settings open `mark`. It applies to a handler,
 * never to a class, so that a method added later is guarded.
 */
export function Public(mark: PublicMark = 'always'): MethodDecorator {
  return routeMark({ [PUBLIC_MARK]: mark });
}

/** Whether a route's configuration answers everyone without a key, whatever the settings. */
export function isOpened(config: unknown): boolean {
  return typeof config === 'object' && config !== null && Reflect.get(config, PUBLIC_MARK) === 'always';
}
