/**
 * Forgets entities: at once in the graph, then in all files of the store.
 *
 * 1. One batch deletes the entity and its relationships, with tombstones that expire at once, and notes that
 *    this is pending. From then on nobody reads the entity, also no query that includes deleted records.
 * 2. Its former records in the history are replaced, and older tombstones expire.
 * 3. The log becomes a segment, the image is dropped, and all segments are merged without what expired.
 * 4. The note says that it is done.
 *
 * The next open continues what was interrupted: each step may be repeated (ADR 0560).
 */
import { NEVER_MS } from '#graph/memory';
import type { BatchWriter } from '#graph/storage';
import { DomainError } from '#platform/foundation';
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
import type { GraphLog } from '../store/graph-options.ts';
import type { GraphStore } from '../store/graph-store.ts';
import { requireId } from '../store/graph-view.ts';
import type { Prepared } from '../store/prepared.ts';
import type { StoreReader } from '../store/store-reader.ts';
import { concernedIds, expired } from './concerned-records.ts';
import { erasedParts, isInHistory } from './erased-history.ts';

const CHANGES_PER_BATCH = 64;
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
  /** Files in the data directory that may still hold it. */
  readonly files_left: readonly string[];
}

type Deleted = Pick<Forgotten, 'entities_deleted' | 'relationships_deleted'>;
type Erase = () => Promise<readonly string[]>;

const NOTHING_DELETED: Deleted = { entities_deleted: 0, relationships_deleted: 0 };

export class Forgetting {
  readonly #store: GraphStore;
  readonly #reader: StoreReader;
  readonly #log: GraphLog;
  #last: Promise<unknown> = Promise.resolve();
  #isStopped = false;

  constructor(store: GraphStore, reader: StoreReader, log: GraphLog) {
    this.#store = store;
    this.#reader = reader;
    this.#log = log;
  }

  /**
   * Resolves when no file of the store has the entity. Repeated calls are answered alike. Throws NOT_FOUND
   * for an id that was never known, NOT_SUPPORTED on a shared store, STORE_CORRUPT if a damaged segment
   * prevents the removal, which the next call or the next open tries again.
   */
  forget(id: string): Promise<Forgotten> {
    requireId(id);
    const { erase } = this.#store.storage;
    if (erase === undefined)
      throw new DomainError('NOT_SUPPORTED', 'entities of a shared store cannot be forgotten yet');
    return this.#next(() => this.#forget(id, erase));
  }

  /** Continues in the background what a stop has interrupted. */
  resume(): void {
    const { erase } = this.#store.storage;
    if (erase === undefined) return;
    this.#next(() => this.#resume(erase)).catch((error: unknown) => {
      if (!this.#isStopped)
        this.#log.error({ event: 'graph.not_forgotten', err: error }, 'removal of a forgotten entity failed');
    });
  }

  /** Begins no further step. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Resolves when nothing runs. */
  async settled(): Promise<void> {
    await this.#last;
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #forget(id: string, erase: Erase): Promise<Forgotten> {
    const { storage, history, publishedSeq } = this.#store;
    const noted = await storage.get(forgottenKey(id));
    const ids = await concernedIds(storage, id);
    const isKnown = ids.size > 0 || (await isInHistory(history, id, publishedSeq));
    if (isKnown) return this.#delete(id, ids, erase);
    if (noted === undefined)
      throw new DomainError('NOT_FOUND', 'no such entity, also none that was deleted', { details: { id } });
    const record = decodeForgotten(noted.value);
    return this.#erase(id, record, NOTHING_DELETED, erase);
  }

  async #delete(id: string, ids: ReadonlySet<string>, erase: Erase): Promise<Forgotten> {
    const { deleted, record } = await this.#store.run(() => this.#prepare(id, ids));
    return this.#erase(id, record, deleted, erase);
  }

  async #resume(erase: Erase): Promise<void> {
    const pending: (readonly [string, ForgottenRecord])[] = [];
    for await (const chunk of this.#store.storage.scan(FORGOTTEN_PREFIX)) {
      for (const { key, value } of chunk) pending.push([forgottenId(key), decodeForgotten(value)]);
    }
    for (const [id, record] of pending)
      if (record.isPending) await this.#erase(id, record, NOTHING_DELETED, erase);
  }

  *#prepare(
    id: string,
    ids: ReadonlySet<string>,
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
    const record = { atMs: nowMs, seq, isPending: true };
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

  async #erase(id: string, record: ForgottenRecord, deleted: Deleted, erase: Erase): Promise<Forgotten> {
    const { storage, history } = this.#store;
    let former = 0;
    const changes = new Changes((write) => this.#store.record(write));
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
    const { memory, recordsApplied } = this.#store;
    const left = await this.#reader.images.renewedBy(erase, memory, recordsApplied);
    this.#requireRunning();
    const done = encodeForgotten({ ...record, isPending: false });
    await this.#store.record((batch) => {
      batch.put(forgottenKey(id), done);
    });
    this.#log.info({ event: 'graph.forgotten', id, former, left: left.length }, 'entity forgotten');
    const forgottenAt = new Date(record.atMs).toISOString();
    return { id, forgotten_at: forgottenAt, ...deleted, history_records: former, files_left: left };
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

/** Collects changes into batches of a bounded size. */
class Changes {
  readonly #record: (write: (batch: BatchWriter) => void) => Promise<void>;
  #waiting: ((batch: BatchWriter) => void)[] = [];

  constructor(record: (write: (batch: BatchWriter) => void) => Promise<void>) {
    this.#record = record;
  }

  async add(write: (batch: BatchWriter) => void): Promise<void> {
    this.#waiting.push(write);
    if (this.#waiting.length >= CHANGES_PER_BATCH) await this.flush();
  }

  async flush(): Promise<void> {
    const writes = this.#waiting.splice(0);
    if (writes.length === 0) return;
    await this.#record((batch) => {
      for (const write of writes) write(batch);
    });
  }
}

/** Deleted before all times: no reader sees the records, and no retention keeps them. */
function expireAtOnce({ entities, relationships }: ChangePlan): void {
  for (const [id, change] of entities) entities.set(id, expiredNow(change));
  for (const [id, change] of relationships) relationships.set(id, expiredNow(change));
}

function expiredNow<T extends { readonly kind: string; readonly stamp: RelationshipDelete['stamp'] }>(
  change: T,
): T {
  return change.kind === 'delete' ? { ...change, stamp: { ...change.stamp, deletedAtMs: NEVER_MS } } : change;
}
