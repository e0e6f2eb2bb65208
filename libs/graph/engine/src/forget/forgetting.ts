/**
 * Forgets entities: at once in the graph, then in all files of the store.
 *
 * 1. One batch deletes the entity and its relationships, with tombstones that expire at once, and notes that
 *    this is pending. From then on the entity is not read, also by no query that includes deleted records.
 * 2. What findings, messages, runs, stored replies and open sessions say about it goes; the note has its
 *    names until then.
 * 3. Its former records in the history are replaced, and older tombstones expire.
 * 4. The log becomes a segment, the image is dropped, and all segments are merged without what expired.
 * 5. In a shared store, its batches are replaced by a base of what remains.
 * 6. The note says that it is done. Other processes of a shared store then do step 4, with their copies.
 *
 * The next open, or the leader, continues what was interrupted: each step may be repeated.
 * ADR 0560, 0561, 0579.
 */
import type { BatchWriter } from '#graph/storage';
import { DomainError, pause } from '#platform/foundation';
import { type ChangePlan, type RelationshipDelete } from '../plan/change-plan.ts';
import { linkIdentity } from '../plan/deleted-relationship.ts';
import { RequestPlanner } from '../plan/request-planner.ts';
import {
  decodeForgotten,
  encodeForgotten,
  FORGOTTEN_PREFIX,
  forgottenId,
  forgottenKey,
  type ForgottenRecord,
} from '../record/forgotten-record.ts';
import { RECORD_KIND } from '../record/record-key.ts';
import { Changes } from '../store/change-batches.ts';
import type { GraphLog } from '../store/graph-options.ts';
import type { GraphStore } from '../store/graph-store.ts';
import { requireId } from '../store/graph-view.ts';
import type { Documents } from '../store/documents.ts';
import type { Leadership } from '../store/leadership.ts';
import type { Leases } from '../store/leases.ts';
import type { Prepared } from '../store/prepared.ts';
import type { StoredReplies } from '../store/stored-replies.ts';
import type { Sessions } from '../session/sessions.ts';
import type { StoreReader } from '../store/store-reader.ts';
import { type ConcernedRecords, concernedRecords, expired } from './concerned-records.ts';
import { erasedParts, namesInHistory } from './erased-history.ts';
import { type EntityNames, Erasure } from '../erasure/erasure.ts';
import type { Naming } from '../erasure/state-owner.ts';
import { expireAtOnce } from './expire-at-once.ts';
import { type Elsewhere, WrittenElsewhere } from './written-elsewhere.ts';

const LEASE = 'forget';
const RETRY_MS = 100;
const CONNECTOR = 'api';

/** What went, and what the operator has to look after. */
export interface Forgotten {
  readonly id: string;
  /** RFC 3339 UTC, milliseconds. */
  readonly forgotten_at: string;
  readonly entities_deleted: number;
  readonly relationships_deleted: number;
  /** Former records in the history. */
  readonly history_records: number;
  /** Findings, messages, runs, stored replies and sessions that were changed or removed. */
  readonly documents_changed: number;
  /** Files in the data directory that may still hold it. */
  readonly files_left: readonly string[];
  /** The first of what still names it; null: an earlier call has looked, its names are known no more. */
  readonly naming: readonly Naming[] | null;
  /** Number of further ones. */
  readonly naming_more: number;
}

type Deleted = Pick<Forgotten, 'entities_deleted' | 'relationships_deleted'>;
const NOTHING_DELETED: Deleted = { entities_deleted: 0, relationships_deleted: 0 };
const NAMING_SHOWN = 100;

export interface ForgettingParts {
  readonly store: GraphStore;
  readonly reader: StoreReader;
  readonly log: GraphLog;
  readonly replies: StoredReplies;
  readonly graph: {
    readonly leadership: Leadership;
    readonly documents: Documents;
    readonly sessions: Sessions;
  };
}

export class Forgetting {
  readonly #store: GraphStore;
  readonly #reader: StoreReader;
  readonly #log: GraphLog;
  readonly #leases: Leases;
  readonly #elsewhere: WrittenElsewhere;
  #last: Promise<unknown> = Promise.resolve();
  #isStopped = false;

  constructor({ store, reader, log, replies, graph }: ForgettingParts) {
    const { leadership, documents, sessions } = graph;
    this.#store = store;
    this.#reader = reader;
    this.#log = log;
    this.#leases = leadership.leases;
    this.#elsewhere = new WrittenElsewhere({ documents, replies, sessions });
    leadership.onElected(() => {
      this.resume();
    });
    store.onForeign(RECORD_KIND.forgotten, (key, value) => {
      const names = value && decodeForgotten(value).names;
      if (names !== undefined) documents.leaveOut(new Erasure(forgottenId(key), names));
      this.#store.history.erased();
      this.#inBackground(() => this.#eraseCopy());
    });
  }

  /**
   * Resolves when no file of the store has the entity; of a shared store the database, and the files of this
   * process. Repeated calls are answered alike. Throws NOT_FOUND for an id that was never known,
   * STORE_UNAVAILABLE or, if a damaged segment prevents the removal, STORE_CORRUPT: the next call or the next
   * open tries again.
   */
  forget(id: string): Promise<Forgotten> {
    requireId(id);
    return this.#next(() => this.#alone(() => this.#forget(id)));
  }

  /** Continues in the background what a stop has interrupted, in this process or another one. */
  resume(): void {
    this.#inBackground(() => this.#resume());
  }

  /** Resolves when what was interrupted is done; a failure is logged. */
  async sweep(): Promise<number> {
    this.resume();
    await this.settled();
    return 0;
  }

  /** Begins no further step. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Resolves when nothing runs. */
  async settled(): Promise<void> {
    await this.#last;
  }

  #inBackground(work: () => Promise<unknown>): void {
    this.#next(work).catch((error: unknown) => {
      if (!this.#isStopped)
        this.#log.error({ event: 'graph.not_forgotten', err: error }, 'removal of a forgotten entity failed');
    });
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** While no other process of a shared store rewrites the same history. */
  async #alone<T>(work: () => Promise<T>): Promise<T> {
    while (!(await this.#leases.hold(LEASE))) {
      this.#requireRunning();
      await pause(RETRY_MS);
    }
    try {
      await this.#store.catchUp();
      return await work();
    } finally {
      await this.#leases.release(LEASE);
    }
  }

  async #forget(id: string): Promise<Forgotten> {
    // What another node has erased would seem to be known still.
    await this.#eraseCopy();
    const { storage, history, publishedSeq } = this.#store;
    const noted = await storage.get(forgottenKey(id));
    const known = await concernedRecords(storage, id);
    const names = known.names ?? (await namesInHistory(history, id, publishedSeq));
    if (names !== undefined) return this.#delete(id, { ...known, names });
    if (noted === undefined)
      throw new DomainError('NOT_FOUND', 'no such entity, also none that was deleted', { details: { id } });
    const record = decodeForgotten(noted.value);
    return this.#erase(id, record, NOTHING_DELETED);
  }

  async #delete(id: string, known: Known): Promise<Forgotten> {
    const { deleted, record } = await this.#store.run(() => this.#prepare(id, known));
    return this.#erase(id, record, deleted);
  }

  async #resume(): Promise<void> {
    if ((await this.#noted()).some(({ record }) => record.isPending))
      await this.#alone(async () => {
        for (const { id, record } of await this.#noted())
          if (record.isPending) await this.#erase(id, record, NOTHING_DELETED);
      });
    await this.#eraseCopy();
  }

  async #noted(): Promise<readonly { readonly id: string; readonly record: ForgottenRecord }[]> {
    const noted: { readonly id: string; readonly record: ForgottenRecord }[] = [];
    for await (const chunk of this.#store.storage.scan(FORGOTTEN_PREFIX))
      for (const { key, value } of chunk)
        noted.push({ id: forgottenId(key), record: decodeForgotten(value) });
    return noted;
  }

  /** Erases from the copy of this process what another one has erased from the shared log. */
  async #eraseCopy(): Promise<void> {
    const { storage } = this.#store;
    if (storage.shared === undefined) return;
    // The batch that brings the news comes into the copy after it is told.
    await this.#store.drain();
    const { erasedSeq } = storage.shared;
    const isDue = (await this.#noted()).some(({ record }) => !record.isPending && record.seq > erasedSeq);
    if (!isDue || this.#isStopped) return;
    await this.#eraseFiles();
    this.#log.info({ event: 'graph.copy_erased' }, 'forgotten entities erased from the local copy');
  }

  #eraseFiles(): Promise<readonly string[]> {
    const { storage, memory, recordsApplied } = this.#store;
    return this.#reader.images.renewedBy(() => storage.erase(), memory, recordsApplied);
  }

  *#prepare(
    id: string,
    { ids, names }: Known,
  ): Generator<undefined, Prepared<{ readonly deleted: Deleted; readonly record: ForgottenRecord }>> {
    const nowMs = this.#store.nowMs();
    const seq = this.#store.nextSeq;
    const context = { connectorId: CONNECTOR, syncId: '', nowMs, order: seq, mode: 'diff' } as const;
    const planner = new RequestPlanner(this.#store, context, { onDangling: 'refuse' });
    const { plan } = planner;
    const remove = { entities: [id], relationships: [] };
    const counts = yield* planner.write({ entities: [], relationships: [], delete: remove });
    this.#addDeleted(plan, id, ids);
    expireAtOnce(plan);
    const record = { atMs: nowMs, seq, isPending: true, names };
    return {
      reply: {
        deleted: {
          entities_deleted: counts.entitiesDeleted,
          relationships_deleted: counts.relationshipsDeleted,
        },
        record,
      },
      plan,
      target: id,
      record: (batch) => {
        batch.put(forgottenKey(id), encodeForgotten(record));
      },
    };
  }

  /** Memory keeps deleted records for a time, too. */
  #addDeleted(plan: ChangePlan, id: string, ids: ReadonlySet<string>): void {
    const { memory } = this.#store;
    const node = memory.findEntity(id);
    if (node >= 0 && !plan.entities.has(id)) {
      const state = memory.entityState(node);
      const { stamp, owners } = state;
      const input = { type: state.type, key: state.key };
      const head = state.head();
      plan.entities.set(id, { kind: 'delete', id, node, input, head, stamp, owners, statements: null });
    }
    for (const link of Array.from(ids, (each) => memory.findRelationship(each))) {
      if (link < 0) continue;
      const change = this.#deletedLink(link);
      if (!plan.relationships.has(change.id)) plan.relationships.set(change.id, change);
    }
  }

  #deletedLink(link: number): RelationshipDelete {
    const { memory } = this.#store;
    const state = memory.relationshipState(link);
    return {
      kind: 'delete',
      ...linkIdentity(memory, state),
      link,
      verb: state.verb,
      key: state.key,
      propertiesJson: state.propertiesJson(),
      stamp: state.stamp,
      owners: state.owners,
      statements: null,
    };
  }

  async #erase(id: string, record: ForgottenRecord, deleted: Deleted): Promise<Forgotten> {
    const { storage, history } = this.#store;
    const elsewhere = await this.#eraseElsewhere(id, record);
    let former = 0;
    let last = record.seq;
    const changes = new Changes((write) =>
      this.#record((batch) => {
        last = this.#store.nextSeq;
        write(batch);
      }),
    );
    for await (const { records, write } of erasedParts(history, id, record.seq)) {
      this.#requireRunning();
      former += records;
      await changes.add(write);
    }
    for await (const { id: each, write } of expired(storage, id, record.seq)) {
      await changes.add((batch) => {
        // A source may have stated it again since the scan.
        if (!this.#isLive(each)) write(batch);
      });
    }
    await changes.flush();
    history.erased();
    this.#requireRunning();
    // Those of an attempt before this one have keys, too.
    const seq = Math.max(last, storage.durableSeq);
    // The log goes on with a batch that may stay: nodes compare the last one that they have with it.
    if (storage.shared !== undefined) await this.#note(id, { ...record, names: undefined });
    const left = await this.#eraseFiles();
    this.#requireRunning();
    await storage.shared?.eraseLog(seq);
    this.#requireRunning();
    await this.#note(id, { ...record, names: undefined, seq, isPending: false });
    this.#log.info({ event: 'graph.forgotten', id, former, left: left.length }, 'entity forgotten');
    const forgottenAt = new Date(record.atMs).toISOString();
    return {
      id,
      forgotten_at: forgottenAt,
      ...deleted,
      history_records: former,
      documents_changed: elsewhere?.changed ?? 0,
      files_left: left,
      naming: elsewhere?.naming.slice(0, NAMING_SHOWN) ?? null,
      naming_more: Math.max(0, (elsewhere?.naming.length ?? 0) - NAMING_SHOWN),
    };
  }

  /** The note loses the names then. Undefined if an earlier attempt has done it. */
  async #eraseElsewhere(id: string, record: ForgottenRecord): Promise<Elsewhere | undefined> {
    if (record.names === undefined) return undefined;
    const elsewhere = await this.#elsewhere.erase(new Erasure(id, record.names));
    this.#requireRunning();
    await this.#note(id, { ...record, names: undefined });
    return elsewhere;
  }

  #note(id: string, record: ForgottenRecord): Promise<void> {
    const value = encodeForgotten(record);
    return this.#record((batch) => {
      batch.put(forgottenKey(id), value);
    });
  }

  /** Throws STORE_UNAVAILABLE once another process may do the same: it has read other parts than this one. */
  #record(write: (batch: BatchWriter) => void): Promise<void> {
    return this.#store.record(write, {
      check: () => {
        if (!this.#leases.isHeld(LEASE))
          throw new DomainError('STORE_UNAVAILABLE', 'another node may go on with the removal');
      },
    });
  }

  #isLive(id: string): boolean {
    const { memory } = this.#store;
    const node = memory.findEntity(id);
    if (node >= 0) return !memory.entityState(node).isDeleted;
    const link = memory.findRelationship(id);
    return link >= 0 && !memory.relationshipState(link).isDeleted;
  }

  #requireRunning(): void {
    if (this.#isStopped)
      throw new DomainError('STORE_UNAVAILABLE', 'the removal goes on when the store is opened again');
  }
}

/** An entity that is in the store. */
interface Known extends ConcernedRecords {
  readonly names: EntityNames;
}
