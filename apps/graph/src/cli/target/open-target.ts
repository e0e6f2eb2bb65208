import { createLogger, type Log } from '#observability';
import type { GraphSettings } from '../../settings.ts';
import { HttpTarget } from './http-target.ts';
import { LocalTarget } from './local-target.ts';
import type { Target } from './target.ts';

/** The server that the settings name, else the data directory. */
export function openTarget(settings: GraphSettings): Promise<Target> {
  if (settings.url !== '') return Promise.resolve(new HttpTarget(settings.url, settings.apiKey));
  return LocalTarget.open(settings, commandLog(settings));
}

/** Commands tell of what is wrong only: their result is what counts. */
export function commandLog(settings: GraphSettings): Log {
  const level = settings.logLevel === 'info' ? 'warn' : settings.logLevel;
  return createLogger({ format: settings.logFormat, level });
}
