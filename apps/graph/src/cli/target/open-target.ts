import { createLogger, type Log } from '#observability';
import type { GraphSettings } from '../../settings.ts';
import { HttpTarget } from './http-target.ts';
import { LocalTarget } from './local-target.ts';
import type { Target } from './target.ts';

/** The server that the settings name, else the data directory, which `creates` may make. */
export function openTarget(settings: GraphSettings, creates = false): Promise<Target> {
  if (settings.url !== '') return Promise.resolve(new HttpTarget(settings.url, settings.apiKey));
  const log = commandLog(settings);
  return creates ? LocalTarget.openOrCreate(settings, log) : LocalTarget.open(settings, log);
}

/** Commands tell of what is wrong only: their result is what counts. */
export function commandLog(settings: GraphSettings): Log {
  const level = settings.logLevel === 'info' ? 'warn' : settings.logLevel;
  return createLogger({ format: settings.logFormat, level });
}
