import type { GraphSettings } from '../../settings.ts';
import { HttpTarget } from './http-target.ts';
import type { CommandTarget } from './target.ts';

/** The server that the settings name, else the data directory, which `creates` may make. */
export async function openTarget(settings: GraphSettings, creates = false): Promise<CommandTarget> {
  if (settings.url !== '') return new HttpTarget(settings.url, settings.apiKey);
  // The engine is loaded for a data directory alone: a server has its own.
  const [{ commandLog }, { LocalTarget }] = await Promise.all([
    import('./command-log.ts'),
    import('./local-target.ts'),
  ]);
  const log = commandLog(settings);
  return creates ? LocalTarget.openOrCreate(settings, log) : LocalTarget.open(settings, log);
}
