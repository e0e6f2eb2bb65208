import { getHeapStatistics } from 'node:v8';
import type { Graph, PartedSyncRequest, SyncRequest } from '#graph/engine';
import type { FieldValue } from '#graph/model';
import { chunks, completed, DomainError, inTurns } from '#platform/foundation';
import { GraphEntities, type KnownEntity } from '../run/graph-entities.port.ts';
import { type SyncContent, type SyncCounts, SyncTarget } from '../sync/sync-target.port.ts';

const ATOMIC_BYTES_MAX = 268_435_456;
const HEAP_PARTS = 16;
/** Parts of a sync that is not atomic are that much smaller than the largest that is. */
const PARTS_OF_ATOMIC = 4;
/** Records of each kind of change that a dry run names. */
const LISTED_MAX = 1_000;

/** The live entities of a type, for mappings. */
export class SnapshotEntities extends GraphEntities {
  readonly #graph: Graph;

  constructor(graph: Graph) {
    super();
    this.#graph = graph;
  }

  override *ofType(type: string): Iterable<KnownEntity> {
    const snapshot = this.#graph.snapshot();
    try {
      for (const node of completed(snapshot.select({ names: [type] }))) {
        // A class may be named like a type.
        if (snapshot.nodeField(node, '_type') !== type) continue;
        yield {
          key: String(snapshot.nodeField(node, '_key')),
          connectorId: String(snapshot.nodeField(node, '_source')),
          field: (name) => snapshot.nodeField(node, name),
          isStatedByOthers: (own) =>
            this.#sources(String(snapshot.nodeField(node, '_id'))).some((id) => id !== own),
        };
      }
    } finally {
      snapshot.release();
    }
  }

  /** The types of the live entities with one of these keys. */
  async typesOfKeys(keys: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const types = new Map<string, string[]>();
    if (keys.length === 0) return types;
    const wanted: ReadonlySet<unknown> = new Set(keys);
    const test = { matches: (value: FieldValue) => wanted.has(value), equals: keys };
    const snapshot = this.#graph.snapshot();
    try {
      const found = await inTurns(
        snapshot.select({ names: '*', filter: { kind: 'test', field: '_key', test } }),
      );
      for (const node of found) {
        const key = String(snapshot.nodeField(node, '_key'));
        const ofKey = types.get(key) ?? [];
        types.set(key, [...ofKey, String(snapshot.nodeField(node, '_type'))]);
      }
      return types;
    } finally {
      snapshot.release();
    }
  }

  /** None for an entity that has gone since the snapshot. */
  #sources(id: string): readonly string[] {
    try {
      return this.#graph.entityWithSources(id).sources.map(({ connector_id: source }) => source);
    } catch (error) {
      if (error instanceof DomainError && error.code === 'NOT_FOUND') return [];
      throw error;
    }
  }
}

export interface GraphSyncOptions {
  /** Whether changes are counted, and not made. */
  readonly dryRun?: boolean;
  /** Default true: the cursors of a run are stored with its sync. */
  readonly keepsCursors?: boolean;
  /**
   * Memory of the records of a sync that is one atomic batch; larger ones are several. Default: a sixteenth
   * of the heap, at most 256 MiB.
   */
  readonly atomicBytes?: number;
}

/** Syncs the result of a connector into the graph of this process. */
export class GraphSyncTarget extends SyncTarget {
  readonly #graph: Graph;
  readonly #options: GraphSyncOptions;

  constructor(graph: Graph, options: GraphSyncOptions = {}) {
    super();
    this.#graph = graph;
    this.#options = options;
  }

  override async sync(content: SyncContent): Promise<SyncCounts> {
    const { dryRun = false, atomicBytes = atomicBytesOf(getHeapStatistics()) } = this.#options;
    if (!dryRun && content.recordBytes > atomicBytes) return this.#syncInParts(content, atomicBytes);
    try {
      return await this.#syncAtOnce(content, dryRun);
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'BODY_TOO_LARGE') throw error;
      // What it deletes does not fit one batch.
      return this.#syncInParts(content, atomicBytes);
    }
  }

  #syncAtOnce(content: SyncContent, dryRun: boolean): Promise<SyncCounts> {
    const request = {
      ...this.#scopeOf(content),
      entities: Array.from(content.entities()),
      relationships: Array.from(content.relationships()),
      /** Read when the drops are planned. */
      get partialTypes(): readonly string[] {
        return content.partialTypes();
      },
    };
    return this.#graph.sync(request, { onDangling: 'skip', dryRun, ...(dryRun && { listed: LISTED_MAX }) });
  }

  #syncInParts(content: SyncContent, atomicBytes: number): Promise<SyncCounts> {
    const { recordCount, recordBytes } = content;
    const ofPart = (recordCount * atomicBytes) / PARTS_OF_ATOMIC / Math.max(recordBytes, 1);
    return this.#graph.syncInParts({
      ...this.#scopeOf(content),
      parts: () => partsOf(content, Math.max(1, Math.floor(ofPart))),
      requireOpen: () => void content.partialTypes(),
      get partialTypes(): readonly string[] {
        return content.partialTypes();
      },
    });
  }

  #scopeOf(content: SyncContent): Omit<PartedSyncRequest, 'parts'> {
    const { connectorId, syncId, partialRelationships, unread, increment, emptied } = content;
    const { priority, force, document } = content;
    const { keepsCursors = true } = this.#options;
    const kept = { increment, emptied, document: keepsCursors ? document : undefined };
    return { connectorId, syncId, partialRelationships, unread, ...kept, priority, force };
  }

  override lastSync(connectorId: string): SyncCounts | undefined {
    return this.#graph.lastSyncs().find(({ connector_id: id }) => id === connectorId)?.reply;
  }
}

/** A sixteenth of the heap: the plan of a sync takes several times the memory of its records. */
function atomicBytesOf({ heap_size_limit: heapBytes }: { readonly heap_size_limit: number }): number {
  return Math.min(heapBytes / HEAP_PARTS, ATOMIC_BYTES_MAX);
}

function* partsOf(
  { entities, relationships }: SyncContent,
  count: number,
): Iterable<Pick<SyncRequest, 'entities' | 'relationships'>> {
  for (const part of chunks(entities(), count)) yield { entities: part, relationships: [] };
  for (const part of chunks(relationships(), count)) yield { entities: [], relationships: part };
}
