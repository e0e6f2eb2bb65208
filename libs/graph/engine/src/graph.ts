import {
  type ChangeLog,
  type GraphSchema,
  type GraphSnapshot,
  type MemoryGraphStats,
  ScopedSnapshot,
} from '#graph/memory';
import type { Entity, Relationship, Scope } from '#graph/model';
import { type SharedPosition, Storage, type StorageStats, type Store } from '#graph/storage';
import { DomainError, type Steps, systemClock } from '#platform/foundation';
import { GraphFeed } from './feed/graph-feed.ts';
import { GraphDiff } from './diff/graph-diff.ts';
import { Forgetting } from './forget/forgetting.ts';
import { GraphHistory } from './moment/graph-history.ts';
import { History } from './history/history.ts';
import { countsOf, type GraphHealth, type GraphStats } from './graph-stats.ts';
import type { BulkReply, LastSync, SyncReply, WriteReply } from './request/replies.ts';
import type {
  BulkOperation,
  BulkOptions,
  PartedSyncRequest,
  SyncOptions,
  SyncRequest,
  WriteOptions,
  WriteRequest,
} from './request/requests.ts';
import { GraphTransaction } from './session/graph-transaction.ts';
import { Ingest } from './session/ingest.ts';
import { noteSeen } from './seq/seen-seq.ts';
import { foreignPoint, type SeqPoint } from './seq/seq-position.ts';
import { Sessions } from './session/sessions.ts';
import { Documents } from './store/documents.ts';
import type { GraphLog, GraphMemoryOptions, GraphOptions } from './store/graph-options.ts';
import { GraphStore } from './store/graph-store.ts';
import { GraphView, type NeighborOptions, type Neighbors, requireId } from './store/graph-view.ts';
import { Leadership } from './store/leadership.ts';
import { Leases } from './store/leases.ts';
import { NodeAddresses } from './store/node-addresses.ts';
import { GraphMaintenance } from './store/maintenance.ts';
import type { WithSources } from './store/record-sources.ts';
import { StoreReader } from './store/store-reader.ts';
import { StoredReplies } from './store/stored-replies.ts';
import { Ticks } from './store/ticks.ts';

const DEFAULT_RETENTION_MS = 30 * 86_400_000;
const SILENT: GraphLog = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * The graph and its store. Every write but `syncInParts` is one atomic batch and resolves when it is durable.
 * If it throws, it has changed nothing: DANGLING_RELATIONSHIP, DUPLICATE_KEY, SYNC_WOULD_DELETE_TOO_MUCH, or
 * STORE_UNAVAILABLE after a failed disk write. Reads see durable data, and continue if writes are rejected.
 */
export class Graph {
  readonly sessions: Sessions;
  readonly documents: Documents;
  readonly leadership: Leadership;
  readonly leases: Leases;
  readonly addresses: NodeAddresses;
  readonly ticks: Ticks;
  readonly history: GraphHistory;
  readonly feed: GraphFeed;
  readonly diff: GraphDiff;
  readonly forgetting: Forgetting;
  readonly #store: GraphStore;
  readonly #reader: StoreReader;
  readonly #ingest: Ingest;
  readonly #view: GraphView;
  readonly #maintenance: GraphMaintenance;
  readonly #ended: GraphMemoryOptions['ended'];

  /** Throws STORE_LOCKED, STORE_CORRUPT or STORE_TOO_NEW. */
  static async open(options: GraphOptions): Promise<Graph> {
    const { directory, disk, clock = systemClock, log = SILENT } = options;
    const storage = await Storage.open({ directory, disk, log, clock, ...options.storage });
    try {
      return await Graph.over(storage, options);
    } catch (error) {
      await storage.close();
      throw error;
    }
  }

  /** The graph of an open store, which is closed with the graph. */
  static async over(storage: Store, options: GraphMemoryOptions): Promise<Graph> {
    const { clock = systemClock, log = SILENT, retentionMs = DEFAULT_RETENTION_MS, audit } = options;
    const reader = new StoreReader(storage, { ...options, clock, log, retentionMs });
    const ground = await reader.read();
    const history = new History({ storage, keepMs: options.historyMs ?? 0 });
    await history.load(clock.nowMs());
    const store = new GraphStore({ storage, ...ground, clock, retentionMs, audit, history });
    const graph = new Graph(store, reader, new StoredReplies(store), options);
    await graph.#load();
    return graph;
  }

  private constructor(
    store: GraphStore,
    reader: StoreReader,
    replies: StoredReplies,
    { log = SILENT, ended, documentKinds }: GraphMemoryOptions,
  ) {
    this.#ended = ended;
    this.#store = store;
    this.#reader = reader;
    this.#ingest = new Ingest(store, replies);
    this.#view = new GraphView(store);
    this.documents = new Documents(store, documentKinds);
    this.ticks = new Ticks({ documents: this.documents, isShared: store.storage.shared !== undefined });
    this.leases = new Leases(store.storage.shared);
    this.leadership = new Leadership(this.leases);
    this.addresses = new NodeAddresses(this.leases);
    this.sessions = new Sessions(store, this.#ingest);
    this.history = new GraphHistory(store);
    this.feed = new GraphFeed(store);
    this.diff = new GraphDiff(store);
    this.forgetting = new Forgetting({ store, reader, log, replies, graph: this });
    const sweepables = [replies, this.sessions, this.history, this.forgetting];
    this.#maintenance = new GraphMaintenance(sweepables, log, this.leadership);
    reader.onSealed(() => {
      this.#sealed();
    });
    store.storage.shared?.follow({
      news: () => {
        // The next write catches up in any case.
        void store.catchUp('published').catch(() => undefined);
      },
      discard: (seq) => {
        store.discard(seq);
      },
      reload: () => this.#reload(),
    });
  }

  get openSnapshots(): number {
    return this.#store.memory.stats().openSnapshots;
  }

  /** Identifies the history of the sequence numbers: a restore starts another one. */
  get epoch(): string {
    return this.#store.epoch;
  }

  /** Sequence number up to which everything is durable and visible. */
  get durableVersion(): number {
    return this.#store.publishedSeq;
  }

  /** Sequence number of the last change of entities or relationships known to this process. */
  get changedVersion(): number {
    return this.#store.changedSeq;
  }

  get changes(): ChangeLog {
    return this.#store.memory.changes;
  }

  /** Whether everything up to a point of this epoch is durable and visible. */
  shows({ epoch, seq }: SeqPoint): boolean {
    return epoch === this.epoch && seq <= this.durableVersion;
  }

  /**
   * Resolves when everything up to `seq` is durable and visible. Rejects with NOT_CAUGHT_UP after
   * `timeoutMs`, on abort of the signal, and at once above the maximum number of waiters.
   */
  reached(seq: number, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    return this.#store.waiters.reached(seq, timeoutMs, signal);
  }

  /**
   * The same; throws CONFLICT for a point of another history, also if that began during the wait, and
   * STORE_UNAVAILABLE if it is unknown now whether the point is of another one.
   */
  async reachedPoint(point: SeqPoint, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    await this.#requireOurs(point);
    await this.reached(point.seq, timeoutMs, signal);
    await this.#requireOurs(point);
  }

  write(request: WriteRequest, options?: WriteOptions): Promise<WriteReply> {
    return this.#ingest.write(request, options);
  }

  /** Applies some thousand operations in order; valid ones are kept despite errors of others. */
  bulk(operations: readonly BulkOperation[], options?: BulkOptions): Promise<BulkReply> {
    return this.#ingest.bulk(operations, options);
  }

  sync(request: SyncRequest, options?: SyncOptions): Promise<SyncReply> {
    return this.#ingest.sync(request, options);
  }

  /** Several atomic batches, the deletions last. One that throws may have added records. */
  syncInParts(request: PartedSyncRequest): Promise<SyncReply> {
    return this.#ingest.syncInParts(request);
  }

  /** Calls `listener` with the connector's id when a sync is durable, but not for a replayed one. */
  onSynced(listener: (connectorId: string) => void): void {
    this.#ingest.onSynced(listener);
  }

  /** Throws NOT_FOUND if unknown or already deleted, INVALID_REQUEST for a malformed id. */
  async deleteEntity(id: string): Promise<void> {
    requireId(id);
    const reply = await this.write({ ...NOTHING, delete: { entities: [id], relationships: [] } });
    if (reply.entities_deleted === 0)
      throw new DomainError('NOT_FOUND', 'no such entity', { details: { id } });
  }

  async deleteRelationship(id: string): Promise<void> {
    requireId(id);
    const reply = await this.write({ ...NOTHING, delete: { entities: [], relationships: [id] } });
    if (reply.relationships_deleted > 0) return;
    throw new DomainError('NOT_FOUND', 'no such relationship', { details: { id } });
  }

  /**
   * An immutable view of the current durable data; call `release` after use. Throws NOT_CAUGHT_UP while the
   * log of another history is read.
   */
  snapshot(options?: { readonly includeDeleted?: boolean }): GraphSnapshot {
    this.#store.requireLoaded();
    const snapshot = this.#store.memory.snapshot(options);
    noteSeen(this.epoch, snapshot.snapshotVersion);
    return snapshot;
  }

  /** The same, of the part that exists in a scope; without one, of everything. */
  snapshotWithin(
    scope: Scope | undefined,
    options?: { readonly includeDeleted?: boolean },
  ): GraphSnapshot | ScopedSnapshot {
    return ScopedSnapshot.within(this.snapshot(options), scope);
  }

  /** A snapshot whose changes can be committed. Must be ended. */
  transaction(): GraphTransaction {
    return new GraphTransaction(this.#store, this.snapshot());
  }

  /** Throws the errors of {@link deleteEntity}, like the methods below. */
  entity(id: string, scope?: Scope): Entity {
    return this.#view.entity(id, scope);
  }

  /** Includes the sources with their statements and times. */
  entityWithSources(id: string, scope?: Scope): Entity & WithSources {
    return this.#view.entityWithSources(id, scope);
  }

  relationship(id: string, scope?: Scope): Relationship {
    return this.#view.relationship(id, scope);
  }

  relationshipWithSources(id: string, scope?: Scope): Relationship & WithSources {
    return this.#view.relationshipWithSources(id, scope);
  }

  neighbors(id: string, options?: NeighborOptions): Neighbors {
    return this.#view.neighbors(id, options);
  }

  /** Throws NOT_CAUGHT_UP like {@link snapshot}. */
  stats(): GraphStats {
    this.#store.requireLoaded();
    noteSeen(this.epoch, this.durableVersion);
    const counts = this.#store.memory.stats();
    const { entities, relationships, typeCounts, classCounts, labelCounts, verbCounts } = counts;
    return {
      total_entities: entities,
      total_relationships: relationships,
      types: typeCounts.size,
      classes: classCounts.size,
      type_counts: Object.fromEntries(typeCounts),
      class_counts: Object.fromEntries(classCounts),
      ...(labelCounts.size > 0 && { label_counts: Object.fromEntries(labelCounts) }),
      verb_counts: Object.fromEntries(verbCounts),
      storage: this.storageStats,
      snapshot_version: this.durableVersion,
    };
  }

  /** Numbers of live records; undefined while the log of another history is read. */
  get liveRecords(): Pick<MemoryGraphStats, 'entities' | 'relationships'> | undefined {
    return this.#store.isLoaded ? this.#store.memory.stats() : undefined;
  }

  get storageStats(): StorageStats {
    return this.#store.storage.stats();
  }

  schema(): GraphSchema {
    this.#store.requireLoaded();
    return this.#store.memory.schema();
  }

  /** The schema of the part that exists in a scope, in steps. */
  *schemaWithin(scope: Scope): Steps<GraphSchema> {
    const snapshot = new ScopedSnapshot(this.snapshot(), scope);
    try {
      return yield* snapshot.schema();
    } finally {
      snapshot.release();
    }
  }

  /** The counts of the part that exists in a scope, in steps; nothing of the store, which has all. */
  *statsWithin(scope: Scope): Steps<Omit<GraphStats, 'storage'>> {
    const seq = this.durableVersion;
    return countsOf(yield* this.schemaWithin(scope), seq);
  }

  lastSyncs(): readonly LastSync[] {
    this.#store.requireLoaded();
    return this.#ingest.lastSyncs();
  }

  health(): GraphHealth {
    const { failure, storage } = this.#store;
    if (failure !== undefined) return { status: 'unhealthy', reason: failure };
    const reason = storage.trouble ?? storage.damage[0]?.reason;
    return reason === undefined ? { status: 'healthy' } : { status: 'degraded', reason };
  }

  /** Why this process of a shared store cannot serve reads; undefined if it can. */
  get unready(): string | undefined {
    return this.#store.unready;
  }

  /** This process's progress among those of a shared store; undefined for a single process. */
  position(): (SharedPosition & { readonly seq: number }) | undefined {
    const position = this.#store.storage.shared?.position();
    return position && { ...position, seq: this.durableVersion };
  }

  backup(directory: string, onBytes?: (bytes: number) => void): Promise<void> {
    return this.#store.storage.backup(directory, onBytes);
  }

  backupStream(): AsyncGenerator<Uint8Array> {
    return this.#store.storage.backupStream();
  }

  /**
   * Waits for writes in progress, saves an image if it is worthwhile, and releases the directory; after a
   * failed start, a new one without records is removed.
   */
  async close({ isStarted = true }: { readonly isStarted?: boolean } = {}): Promise<void> {
    this.forgetting.stop();
    await this.leases.close();
    await this.#maintenance.stop();
    this.#store.waiters.close();
    await this.#store.drain();
    this.#view.release();
    if (this.#store.failure === undefined) {
      await this.#reader.images.close(this.#store.memory, this.#store.recordsApplied);
    }
    await this.#store.memory.close();
    const { entities, relationships } = this.#store.memory.stats();
    await this.#store.storage.close({ isNeeded: isStarted || entities + relationships > 0 });
    await this.forgetting.settled();
    await this.#ended?.();
  }

  async #requireOurs({ epoch, seq }: SeqPoint): Promise<void> {
    // Another process may have begun it.
    if (this.#store.storage.lastOf(epoch) < 0) await this.#store.catchUp();
    if (seq > this.#store.storage.lastOf(epoch)) throw foreignPoint(this.epoch);
  }

  /** The view's snapshot would keep the previous base in memory. */
  #sealed(): void {
    this.#view.release();
    this.history.sealed();
    void this.#reader.images.sealed(this.#store.memory, this.#store.recordsApplied);
  }

  async #load(): Promise<void> {
    await this.sessions.load();
    await this.#ingest.load();
    this.#maintenance.start({ sweep: () => this.history.expire() });
    this.leadership.start();
    this.forgetting.resume();
  }

  /** The store contains another history than this process's memory. */
  async #reload(): Promise<void> {
    const former = this.#store.memory;
    this.#store.replace(await this.#reader.read());
    this.#view.release();
    await this.history.load();
    await this.sessions.load();
    await this.#ingest.load();
    await this.documents.reloaded();
    void former.close();
  }
}

const NOTHING = { entities: [], relationships: [] };
