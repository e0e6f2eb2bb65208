import type { GraphSchema } from './schema/graph-schema.ts';
import type { GraphSnapshot } from './snapshot/graph-snapshot.ts';
import type {
  EntityState,
  EntityVersion,
  RelationshipState,
  RelationshipVersion,
  Sighting,
  Stamp,
} from './version.ts';

export interface MemoryGraphOptions {
  /** How long tombstones stay when the base is rebuilt. Default 30 days. */
  readonly retentionMs?: number;
  /** Default `Date.now`. */
  readonly nowMs?: () => number;
  /** Seals by itself when the delta is large, or idle for this long. Default 1,000; 0 never seals by itself. */
  readonly sealIdleMs?: number;
  readonly onSealed?: (facts: { readonly seq: number; readonly tookMs: number }) => void;
  readonly onSealFailed?: (error: unknown) => void;
}

export interface ImageBytes {
  readonly bytes: Uint8Array;
  readonly compress: boolean;
}

export interface MemoryGraphStats {
  /** Live at the writer's view. */
  readonly entities: number;
  readonly relationships: number;
  readonly typeCounts: ReadonlyMap<string, number>;
  readonly classCounts: ReadonlyMap<string, number>;
  /** By upper-case verb. */
  readonly verbCounts: ReadonlyMap<string, number>;
  readonly bytes: number;
  readonly deltaVersions: number;
  readonly epoch: number;
}

/**
 * The graph in memory: a sealed base and what came since. One writer, any number of snapshots. Node and link
 * numbers that the writer is given hold until its next `await`: a seal renumbers.
 */
export class MemoryGraph {
  static create(options?: MemoryGraphOptions): MemoryGraph {
    throw new Error(`not yet ${String(options)}`);
  }

  /** Throws when the image is of another format or damaged: the caller rebuilds from records. */
  static fromImage(seq: number, parts: readonly Uint8Array[], options?: MemoryGraphOptions): MemoryGraph {
    throw new Error(`not yet ${String(seq)} ${String(parts.length)} ${String(options)}`);
  }

  declare readonly publishedSeq: number;

  /** −1 when unknown; finds tombstones too. */
  declare findEntity: (id: string) => number;
  declare entityState: (node: number) => EntityState;
  /** Whether the latest version's head equals these bytes, deleted or not. */
  declare hasSameContent: (node: number, head: Uint8Array) => boolean;
  /** A new entity, new content, or a deleted entity coming back. Sequence numbers never fall. */
  declare putEntity: (seq: number, version: EntityVersion) => number;
  declare touchEntity: (seq: number, node: number, sighting: Sighting) => void;
  /** The stamp carries `deletedAtMs`. Relationships of the node have to be deleted by the caller. */
  declare deleteEntity: (seq: number, node: number, stamp: Stamp) => void;

  declare findRelationship: (id: string) => number;
  declare relationshipState: (link: number) => RelationshipState;
  declare hasSameProperties: (link: number, verb: string, propertiesJson: Uint8Array) => boolean;
  declare putRelationship: (seq: number, version: RelationshipVersion) => number;
  declare touchRelationship: (seq: number, link: number, sighting: Sighting) => void;
  declare deleteRelationship: (seq: number, link: number, stamp: Stamp) => void;

  /** Live links at the writer's view, both directions, each once. */
  declare linksOf: (node: number) => Iterable<number>;
  /** Live at the writer's view. */
  declare ownedEntities: (connectorId: string) => Uint32Array;
  declare ownedRelationships: (connectorId: string) => Uint32Array;

  /** Readers may see what was written up to `seq`. */
  declare publish: (seq: number) => void;
  declare snapshot: (options?: { readonly includeDeleted?: boolean }) => GraphSnapshot;

  /**
   * Until the function it gives is called, no seal swaps the base (it may be built meanwhile): node and link
   * numbers stay valid for a writer whose plan spans several turns of the event loop.
   */
  declare holdStill: () => () => void;
  /** Builds the next base, off this thread, of all that is published. */
  declare seal: () => Promise<void>;
  /** When no seal is running. */
  declare whenIdle: () => Promise<void>;
  /** The base as bytes, with the sequence number it stands for; later records are not in it. */
  declare exportImage: () => { readonly seq: number; readonly parts: readonly ImageBytes[] };
  declare stats: () => MemoryGraphStats;
  declare schema: () => GraphSchema;
  declare close: () => Promise<void>;
}
