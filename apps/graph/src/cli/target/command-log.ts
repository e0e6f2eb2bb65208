import { createLogger, type Log } from '#platform/observability';
import type { GraphSettings } from '../../settings.ts';

/** Commands log warnings and errors only; standard output is for the result. */
export function commandLog(settings: GraphSettings): Log {
  const level = settings.logLevel === 'info' ? 'warn' : settings.logLevel;
  return createLogger({ format: settings.logFormat, level });
}
