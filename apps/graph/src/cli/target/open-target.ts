import type { GraphSettings } from '../../settings.ts';
import { HttpTarget } from './http-target.ts';
import type { CommandTarget } from './target.ts';

/** The server in the settings, or else the data directory; `creates` allows a missing one. */
export async function openTarget(settings: GraphSettings, creates = false): Promise<CommandTarget> {
  if (settings.url !== '') return new HttpTarget(settings);
  // The engine is loaded only for a data directory: a server has its own.
  const [{ commandLog }, { LocalTarget }] = await Promise.all([
    import('./command-log.ts'),
    import('./local-target.ts'),
  ]);
  const log = commandLog(settings);
  return creates ? LocalTarget.openOrCreate(settings, log) : LocalTarget.open(settings, log);
}
