import { hash } from 'node:crypto';
import { readPackageLock } from '#graph/connector';
import type { Graph, GraphLog, SyncReply } from '#graph/engine';
import type { SavedQueries } from '#graph/query';
import type { Disk } from '#platform/disk';
import { savedQuery, STARTER_QUERIES } from './starter-queries.ts';

const CONNECTOR_ID = 'sbom';
const SYNC_PREFIX = 'package-lock-';
const HASH_HEX_SHOWN = 16;

/** The data loaded into a new graph at the first start; undefined if none. */
export abstract class FirstStart {
  abstract readonly loaded: SyncReply | undefined;
}

interface FirstStartOptions {
  readonly graph: Graph;
  readonly disk: Disk;
  readonly log: GraphLog;
  readonly queries: Pick<SavedQueries, 'change'>;
  readonly lockFile: string;
}

/**
 * Loads initial data into a graph without writes: the packages of a package-lock.json, by an ordinary sync,
 * and saved queries. Resumes after an interruption between the two. Returns undefined, without changes, if
 * the graph has other writes. Throws DiskError if the file is unreadable, INVALID_REQUEST if it is not a lock
 * file.
 */
export async function firstStart({
  graph,
  disk,
  log,
  queries,
  lockFile,
}: FirstStartOptions): Promise<SyncReply | undefined> {
  if (graph.durableVersion > 0 && !isBrokenOff(graph)) return undefined;
  const text = await disk.readText(lockFile);
  const { entities, relationships, unresolved } = readPackageLock(text);
  const syncId = `${SYNC_PREFIX}${hash('sha256', text).slice(0, HASH_HEX_SHOWN)}`;
  const reply = await graph.sync({ connectorId: CONNECTOR_ID, syncId, entities, relationships });
  await queries.change(STARTER_QUERIES.map(savedQuery));
  const { entities_created, relationships_created } = reply;
  log.info(
    { event: 'first_start.loaded', lockFile, entities_created, relationships_created },
    'initial data loaded',
  );
  if (unresolved.length > 0) {
    log.warn({ event: 'first_start.unresolved', unresolved }, 'lock file refers to missing packages');
  }
  return reply;
}

/** Whether the only batch in the store is the sync of a first start, whose queries are missing. */
function isBrokenOff(graph: Graph): boolean {
  if (graph.durableVersion > 1) return false;
  return graph
    .lastSyncs()
    .some((sync) => sync.connector_id === CONNECTOR_ID && sync.sync_id.startsWith(SYNC_PREFIX));
}
