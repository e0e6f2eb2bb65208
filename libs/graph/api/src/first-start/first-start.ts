import { hash } from 'node:crypto';
import { readPackageLock } from '#graph/connector';
import type { Graph, GraphLog, SyncReply } from '#graph/engine';
import type { SavedQueries } from '#graph/query';
import type { Disk } from '#platform/disk';
import { savedQuery, STARTER_QUERIES } from './starter-queries.ts';

const CONNECTOR_ID = 'sbom';
const SYNC_PREFIX = 'package-lock-';
const HASH_HEX_SHOWN = 16;

interface FirstStartParts {
  readonly graph: Graph;
  readonly disk: Disk;
  readonly log: GraphLog;
  readonly queries: Pick<SavedQueries, 'change'>;
  readonly lockFile: string;
}

/**
 * Gives a graph that was never written to something to look at: the software bill of a package-lock.json, by
 * a sync like any other, and saved queries to ask of it. One that was broken off between the two is taken up
 * again. Undefined, and nothing done, when the graph has been written to otherwise. Throws DiskError when the
 * file cannot be read, INVALID_REQUEST when it is no lock file.
 */
export async function firstStart({
  graph,
  disk,
  log,
  queries,
  lockFile,
}: FirstStartParts): Promise<SyncReply | undefined> {
  if (graph.durableVersion > 0 && !isBrokenOff(graph)) return undefined;
  const text = await disk.readText(lockFile);
  const { entities, relationships, unresolved } = readPackageLock(text);
  const syncId = `${SYNC_PREFIX}${hash('sha256', text).slice(0, HASH_HEX_SHOWN)}`;
  const reply = await graph.sync({ connectorId: CONNECTOR_ID, syncId, entities, relationships });
  await queries.change(STARTER_QUERIES.map(savedQuery));
  const { entities_created, relationships_created } = reply;
  log.info(
    { event: 'first_start.loaded', lockFile, entities_created, relationships_created },
    'loaded the first input',
  );
  if (unresolved.length > 0) {
    log.warn(
      { event: 'first_start.unresolved', unresolved },
      'the lock file lacks packages that it asks for',
    );
  }
  return reply;
}

/** Whether the store holds one batch, and that is the sync of a first start: its queries have not come. */
function isBrokenOff(graph: Graph): boolean {
  if (graph.durableVersion > 1) return false;
  return graph
    .lastSyncs()
    .some((sync) => sync.connector_id === CONNECTOR_ID && sync.sync_id.startsWith(SYNC_PREFIX));
}
