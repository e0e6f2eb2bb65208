import { Graph } from '#graph/engine';
import { type Disk, isMissingFile, NodeDisk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import type { Log } from '#platform/observability';
import type { GraphSettings } from '../../settings.ts';

/** Opens a store that is there: a command that asks must not make one of a mistyped path. */
export async function openGraph(settings: GraphSettings, log: Log): Promise<Graph> {
  await requireDirectory(new NodeDisk(), settings.dataDir);
  return openOrCreateGraph(settings, log);
}

/** Throws NOT_FOUND where there is no data directory. */
export async function requireDirectory(disk: Disk, dataDir: string): Promise<void> {
  await disk.list(dataDir).catch((cause: unknown) => {
    if (!isMissingFile(cause)) throw cause;
    throw new DomainError('NOT_FOUND', `no data directory at ${dataDir}`, { cause });
  });
}

export function openOrCreateGraph(settings: GraphSettings, log: Log): Promise<Graph> {
  return Graph.open({
    directory: settings.dataDir,
    disk: new NodeDisk(),
    retentionMs: settings.retention,
    log,
  });
}
