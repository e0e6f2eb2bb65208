import { isMissingFile, NodeDisk } from '#disk';
import { DomainError } from '#foundation';
import { Graph } from '#graph';
import type { Log } from '#observability';
import type { GraphSettings } from '../../settings.ts';

/** Opens a store that is there: a command that asks must not make one of a mistyped path. */
export async function openGraph(settings: GraphSettings, log: Log): Promise<Graph> {
  await new NodeDisk().list(settings.dataDir).catch((cause: unknown) => {
    if (!isMissingFile(cause)) throw cause;
    throw new DomainError('NOT_FOUND', `no data directory at ${settings.dataDir}`, { cause });
  });
  return openOrCreateGraph(settings, log);
}

export function openOrCreateGraph(settings: GraphSettings, log: Log): Promise<Graph> {
  return Graph.open({
    directory: settings.dataDir,
    disk: new NodeDisk(),
    retentionMs: settings.retention,
    log,
  });
}
