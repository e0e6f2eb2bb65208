import { createLogger, type Log } from '#platform/observability';
import type { GraphSettings } from '../../settings.ts';

/** Commands tell of what is wrong only: their result is what counts. */
export function commandLog(settings: GraphSettings): Log {
  const level = settings.logLevel === 'info' ? 'warn' : settings.logLevel;
  return createLogger({ format: settings.logFormat, level });
}
