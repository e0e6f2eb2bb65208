import { randomUUID } from 'node:crypto';
import type { BatchWriter } from '#graph/storage';
import { DomainError } from '#platform/foundation';
import { traced } from '#platform/observability';
import type { PlanCounts } from '../plan/change-plan.ts';
import { plannedChanges } from '../plan/planned-changes.ts';
import type { PlanContext } from '../plan/plan-context.ts';
import { type DanglingHandling, RequestPlanner } from '../plan/request-planner.ts';
import { Stamper } from '../plan/stamper.ts';
import { encodeReply } from '../record/reply-record.ts';
import type {
  BulkError,
  BulkReply,
  LastSync,
  SyncReply,
  WriteCounts,
  WriteReply,
} from '../request/replies.ts';
import type {
  BulkOperation,
  PartedSyncRequest,
  SyncOptions,
  SyncRequest,
  SyncScope,
  WriteOptions,
  WriteRequest,
} from '../request/requests.ts';
import { documentKey, encodeDocument } from '../store/documents.ts';
import type { GraphStore } from '../store/graph-store.ts';
import type { Preparation, Prepared } from '../store/prepared.ts';
import {
  earlierWriteReplyKey,
  type StoredReplies,
  type StoredSync,
  syncReplyKey,
  writeReplyKey,
} from '../store/stored-replies.ts';
import { type BulkRun, bulkRuns } from './bulk-run.ts';
import { PartedSync } from './parted-sync.ts';

const DEFAULT_CONNECTOR = 'api';

/** Additions of a session's commit to its sync. */
export interface SessionEnd {
  /** Throws if the session has changed since the request was made. */
  readonly requireSame: () => void;
  readonly record: (batch: BatchWriter) => void;
  readonly undo: () => void;
}

/** A sync that was made, or one made before, whose reply is stored. */
type Synced =
  | (Omit<StoredSync<SyncReply>, 'connectorId'> & { readonly isRepeated: false })
  | { readonly reply: SyncReply; readonly isRepeated: true };

/** What the last batch of a sync is made of. */
interface PlannedSync {
  readonly context: PlanContext;
  readonly planner: RequestPlanner;
  readonly reply: SyncReply;
  readonly session?: SessionEnd | undefined;
}

/** Converts requests to plans, and their results to replies. */
export class Ingest {
  readonly #store: GraphStore;
  readonly #replies: StoredReplies;
  readonly #lastSyncs = new Map<string, { readonly seq: number; readonly sync: LastSync }>();
  readonly #syncListeners: ((connectorId: string) => void)[] = [];
  #stamper: Stamper | undefined;

  constructor(store: GraphStore, replies: StoredReplies) {
    this.#store = store;
    this.#replies = replies;
    replies.onForeignSync<SyncReply>((sync) => {
      this.#rememberSync(sync);
      void this.#notifyWhenVisible(sync.connectorId);
    });
  }

  /** Loads the state stored before the restart. */
  async load(): Promise<void> {
    this.#lastSyncs.clear();
    for await (const sync of this.#replies.syncs<SyncReply>()) this.#rememberSync(sync);
  }

  lastSyncs(): readonly LastSync[] {
    return Array.from(this.#lastSyncs.values(), ({ sync }) => sync);
  }

  onSynced(listener: (connectorId: string) => void): void {
    this.#syncListeners.push(listener);
  }

  write(request: WriteRequest, options: WriteOptions = {}): Promise<WriteReply> {
    const { writeId, connectorId = DEFAULT_CONNECTOR } = request;
    if (writeId === undefined) return this.#write(request, options);
    return this.#replies.once(
      writeReplyKey(connectorId, writeId),
      (find) => this.#write(request, options, find),
      earlierWriteReplyKey(writeId),
    );
  }

  sync(request: SyncRequest, options: SyncOptions = {}, session?: SessionEnd): Promise<SyncReply> {
    if (options.dryRun === true) return this.#store.run(() => this.#prepareDryRun(request, options));
    const key = syncReplyKey(request.connectorId, request.syncId);
    return this.#replies.once<SyncReply>(key, (find) => {
      const prepare = (): Preparation<Synced> => {
        session?.requireSame();
        return this.#prepareSync(request, options, session);
      };
      return this.#synced(request.connectorId, prepare, find);
    });
  }

  /** A sync in several batches: see {@link PartedSync}. */
  syncInParts(request: PartedSyncRequest): Promise<SyncReply> {
    const { connectorId, syncId } = request;
    return this.#replies.once<SyncReply>(syncReplyKey(connectorId, syncId), async (find) => {
      const parted = new PartedSync(this.#store, request, () => this.#syncContext(request));
      await parted.write();
      return this.#synced(connectorId, () => this.#prepareLastPart(parted, request), find);
    });
  }

  /** The stored reply to a sync; NOT_FOUND if there is none. */
  syncReply(connectorId: string, syncId: string): Promise<SyncReply | undefined> {
    return this.#replies.find<SyncReply>(syncReplyKey(connectorId, syncId));
  }

  /** Like {@link syncReply}, as of this writer's turn; `other` gives the reply if there is none. */
  syncReplyInTurn<Other>(
    connectorId: string,
    syncId: string,
    other: () => Other,
  ): Promise<SyncReply | Other> {
    return this.#replies.findInTurn<SyncReply, Other>(syncReplyKey(connectorId, syncId), other);
  }

  async bulk(
    operations: readonly BulkOperation[],
    options: WriteOptions & { readonly connectorId?: string | undefined } = {},
  ): Promise<BulkReply> {
    const replies = await traced('ingest.bulk', () =>
      Promise.all(bulkRuns(operations).map((run) => this.#store.run(() => this.#prepareRun(run, options)))),
    );
    return {
      entities_written: sum(replies, (reply) => reply.entities_written),
      relationships_written: sum(replies, (reply) => reply.relationships_written),
      entities_deleted: sum(replies, (reply) => reply.entities_deleted),
      relationships_deleted: sum(replies, (reply) => reply.relationships_deleted),
      errors: replies.flatMap((reply) => reply.errors),
      warnings: replies.flatMap((reply) => reply.warnings),
    };
  }

  /** Commits a sync, unless a reply to it is found in the turn. */
  async #synced(
    connectorId: string,
    prepare: () => Preparation<Synced>,
    find: () => Promise<SyncReply | undefined>,
  ): Promise<SyncReply> {
    const done = await traced('ingest.diff', () =>
      this.#store.run<Synced>(prepare, async () => {
        const reply = await find();
        return reply && { reply, isRepeated: true };
      }),
    );
    if (done.isRepeated) return done.reply;
    this.#rememberSync({ connectorId, ...done });
    for (const listener of this.#syncListeners) listener(connectorId);
    return done.reply;
  }

  #write(
    request: WriteRequest,
    options: WriteOptions,
    find?: () => Promise<WriteReply | undefined>,
  ): Promise<WriteReply> {
    return traced('ingest.write', () => this.#store.run(() => this.#prepareWrite(request, options), find));
  }

  *#prepareWrite(request: WriteRequest, options: WriteOptions): Generator<undefined, Prepared<WriteReply>> {
    const { writeId } = request;
    const context = this.#context(request.connectorId, writeId);
    const onDangling = options.onDangling ?? 'refuse';
    const stamper = this.#stamperOf(context);
    const planner = new RequestPlanner(this.#store, context, { onDangling, stamper });
    const counts = yield* planner.write(request);
    const warnings = planner.warnings.all();
    const reply = { write_id: writeId ?? randomUUID(), ...writeCounts(counts), warnings };
    const target = context.connectorId;
    if (writeId === undefined) return { reply, plan: planner.plan, target };
    const stored = encodeReply({ atMs: context.nowMs, reply });
    const key = writeReplyKey(context.connectorId, writeId);
    return { reply, plan: planner.plan, target, record: (batch) => batch.put(key, stored) };
  }

  *#prepareRun(
    run: BulkRun,
    options: WriteOptions & { readonly connectorId?: string | undefined },
  ): Generator<undefined, Prepared<BulkReply>> {
    const errors: BulkError[] = [];
    const context = this.#context(options.connectorId);
    const onDangling = bulkHandling(run, options, errors);
    const planner = new RequestPlanner(this.#store, context, { onDangling });
    const counts = yield* planner.write(run);
    const reply = { ...writeCounts(counts), errors, warnings: planner.warnings.all() };
    return { reply, plan: planner.plan, target: context.connectorId };
  }

  *#prepareSync(
    request: SyncRequest,
    options: SyncOptions,
    session: SessionEnd | undefined,
  ): Generator<undefined, Prepared<Synced>> {
    const context = this.#syncContext(request);
    const planner = this.#syncPlanner(context, options);
    const reply = syncReply(request.syncId, yield* planner.sync(request), planner);
    return this.#preparedSync(request, { context, planner, reply, session });
  }

  /** With the new priority of records that the source shares: the parts were planned with it. */
  *#prepareLastPart(parted: PartedSync, request: PartedSyncRequest): Generator<undefined, Prepared<Synced>> {
    request.requireOpen?.();
    const context = this.#syncContext(request);
    const planner = parted.lastPlanner(context);
    const counts = parted.counts(yield* planner.rerank(request));
    return this.#preparedSync(request, {
      context,
      planner,
      reply: syncReply(request.syncId, counts, planner),
    });
  }

  #preparedSync(
    { connectorId, syncId, document }: Pick<SyncRequest, 'connectorId' | 'syncId' | 'document'>,
    { context, planner, reply, session }: PlannedSync,
  ): Prepared<Synced> {
    const stored = encodeReply({ atMs: context.nowMs, reply });
    const kept = document?.();
    return {
      reply: { reply, atMs: context.nowMs, seq: context.order, isRepeated: false },
      plan: planner.plan,
      target: connectorId,
      record: (batch) => {
        batch.put(syncReplyKey(connectorId, syncId), stored);
        if (kept !== undefined) batch.put(documentKey(kept.namespace, kept.id), encodeDocument(kept.value));
        session?.record(batch);
      },
      undo: session?.undo,
    };
  }

  /** The deletion limit becomes a warning in a dry run, so that the reply shows what it would reject. */
  *#prepareDryRun(request: SyncRequest, options: SyncOptions): Generator<undefined, Prepared<SyncReply>> {
    try {
      return { reply: yield* this.#planSync(request, options) };
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'SYNC_WOULD_DELETE_TOO_MUCH') throw error;
      const reply = yield* this.#planSync({ ...request, force: true }, options);
      const { code, message } = error;
      return { reply: { ...reply, warnings: [...reply.warnings, { code, message }] } };
    }
  }

  *#planSync(request: SyncRequest, options: SyncOptions): Generator<undefined, SyncReply> {
    const planner = this.#syncPlanner(this.#syncContext(request), options);
    const counts = yield* planner.sync(request);
    const reply = syncReply(request.syncId, counts, planner);
    if (options.listed === undefined) return reply;
    return { ...reply, changes: plannedChanges(planner.plan, this.#store.memory, options.listed) };
  }

  #syncPlanner(context: PlanContext, { onDangling = 'refuse' }: SyncOptions): RequestPlanner {
    return new RequestPlanner(this.#store, context, { onDangling });
  }

  /** Reused: there are dozens of small writes in one millisecond. */
  #stamperOf(context: PlanContext): Stamper {
    if (this.#stamper?.serves(context) !== true) this.#stamper = new Stamper(context);
    return this.#stamper;
  }

  #context(connectorId = DEFAULT_CONNECTOR, syncId = ''): PlanContext {
    return { connectorId, syncId, nowMs: this.#store.nowMs(), order: this.#store.nextSeq, mode: 'diff' };
  }

  #syncContext({ connectorId, syncId, mode = 'diff', priority }: SyncScope): PlanContext {
    return { ...this.#context(connectorId, syncId), mode, priority };
  }

  async #notifyWhenVisible(connectorId: string): Promise<void> {
    // If the database is unavailable now, the next sync notifies the listener.
    await this.#store.catchUp('published').catch(() => undefined);
    for (const listener of this.#syncListeners) listener(connectorId);
  }

  /** Two syncs of one connector may have the same time. */
  #rememberSync({ connectorId, seq, atMs, reply }: StoredSync<SyncReply>): void {
    const last = this.#lastSyncs.get(connectorId);
    if (last !== undefined && last.seq > seq) return;
    const syncedAt = new Date(atMs).toISOString();
    const sync = { connector_id: connectorId, sync_id: reply.sync_id, synced_at: syncedAt, reply };
    this.#lastSyncs.set(connectorId, { seq, sync });
  }
}

function bulkHandling(run: BulkRun, options: WriteOptions, errors: BulkError[]): DanglingHandling {
  if (options.onDangling === 'skip' || options.onDangling === 'stub') return options.onDangling;
  return {
    collect: (at: number, { code, message }: DomainError) => {
      errors.push({ index: run.relationshipIndexes[at] ?? -1, code, message });
    },
  };
}

function writeCounts(counts: PlanCounts): WriteCounts {
  return {
    entities_written: counts.entities.written,
    relationships_written: counts.relationships.written,
    entities_deleted: counts.entitiesDeleted,
    relationships_deleted: counts.relationshipsDeleted,
  };
}

function syncReply(syncId: string, counts: PlanCounts, planner: RequestPlanner): SyncReply {
  const { entities, relationships } = counts;
  return {
    sync_id: syncId,
    entities_created: entities.created,
    entities_updated: entities.updated,
    entities_unchanged: entities.unchanged,
    entities_deleted: counts.entitiesDeleted,
    relationships_created: relationships.created,
    relationships_updated: relationships.updated,
    relationships_unchanged: relationships.unchanged,
    relationships_deleted: counts.relationshipsDeleted,
    warnings: planner.warnings.all(),
  };
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
