/**
 * A transaction: what it reads is one snapshot, and its changes are one batch that is written only if no
 * other writer has changed what it depends on since. Others' changes are looked for in the writer's turn, so
 * also between the processes of a shared store.
 */
import type { EntityState, GraphSnapshot, RelationshipState } from '#graph/memory';
import type { EntityKey, EntityStatement, RelationshipInput } from '#graph/model';
import { DomainError } from '#platform/foundation';
import { linkIdentity } from '../plan/deleted-relationship.ts';
import { ROWS_PER_SLICE } from '../plan/drop-planner.ts';
import type { PlanContext } from '../plan/plan-context.ts';
import { RequestPlanner } from '../plan/request-planner.ts';
import type { SeqPoint } from '../seq/seq-position.ts';
import { connectorsOf } from '../source/owner-marks.ts';
import type { GraphStore } from '../store/graph-store.ts';
import type { Prepared } from '../store/prepared.ts';
import type { RecentWrites, WrittenIds } from '../store/recent-writes.ts';

/** A relationship with its ends, as a transaction looks at it. */
export interface SeenRelationship {
  readonly from: EntityKey;
  readonly to: EntityKey;
  readonly state: RelationshipState;
}

/** The changes of a transaction: each record once. */
export interface TransactionChanges {
  readonly connectorId: string;
  /**
   * Patches: properties that are not named stay, null removes one. They override what other sources state of
   * the same fields, and do not keep a record that its owners drop; a new record is owned by this source.
   */
  readonly entities: readonly EntityStatement[];
  readonly relationships: readonly RelationshipInput[];
  /** Ids. With an entity all of its relationships must be named. */
  readonly deleted: { readonly entities: readonly string[]; readonly relationships: readonly string[] };
  /** Asked in the writer's turn: whether what the changes were tested against still holds. */
  readonly isCurrent: () => boolean;
  /** Ids of entities and relationships that no other writer may have changed, made or deleted. */
  readonly unchanged: Iterable<string>;
  /** Whether an entity that another writer has put must not be there. */
  readonly collides: (entity: EntityState) => boolean;
  readonly collidesLink: (relationship: SeenRelationship) => boolean;
  /** Throws for a record that may not be deleted because of the other sources that state it. */
  readonly requireDeletable: (otherSources: readonly string[], record: string) => void;
}

export class GraphTransaction {
  readonly point: SeqPoint;
  readonly snapshot: GraphSnapshot;
  readonly #store: GraphStore;
  readonly #recent: RecentWrites;
  readonly #basis: { readonly close: () => void };
  /** Sequence numbers of its own batches. */
  readonly #own = new Set<number>();

  constructor(store: GraphStore, snapshot: GraphSnapshot) {
    this.#store = store;
    this.snapshot = snapshot;
    this.point = { epoch: store.epoch, seq: snapshot.snapshotVersion };
    this.#recent = store.recent;
    this.#basis = this.#recent.open(snapshot.snapshotVersion);
  }

  /**
   * Writes changes as one batch; resolves when it is durable. May be called again with further changes.
   * Throws CONFLICT where another writer was first.
   */
  async commit(changes: TransactionChanges): Promise<SeqPoint> {
    try {
      const seq = await this.#store.run(() => this.#prepare(changes));
      return { epoch: this.point.epoch, seq };
    } catch (error) {
      // A second try sees what was first.
      if (isOvertaken(error)) await this.#store.settled();
      throw error;
    }
  }

  /** Releases the snapshot; nothing more can be committed. */
  end(): void {
    this.#basis.close();
    this.snapshot.release();
  }

  *#prepare(changes: TransactionChanges): Generator<undefined, Prepared<number>> {
    if (!changes.isCurrent()) throw overtaken();
    yield* this.#requireUnovertaken(changes);
    this.#requireComplete(changes.deleted);
    this.#requireDeletable(changes);
    const context = this.#context(changes.connectorId);
    const planner = new RequestPlanner(this.#store, context, { onDangling: 'refuse' });
    try {
      yield* planner.write({ ...changes, delete: changes.deleted });
    } catch (error) {
      // An end of a new relationship is gone.
      if (error instanceof DomainError && error.code === 'DANGLING_RELATIONSHIP') throw overtaken();
      throw error;
    }
    this.#own.add(context.order);
    return {
      reply: context.order,
      plan: planner.plan,
      target: changes.connectorId,
      undo: () => {
        this.#own.delete(context.order);
      },
    };
  }

  #context(connectorId: string): PlanContext {
    const { nextSeq: order } = this.#store;
    return { connectorId, syncId: '', nowMs: this.#store.nowMs(), order, mode: 'patch', overrides: true };
  }

  *#requireUnovertaken(changes: TransactionChanges): Generator<undefined, void> {
    if (this.#store.recent !== this.#recent || this.#store.epoch !== this.point.epoch) throw overtaken();
    const written = this.#recent.since(this.point.seq, this.#own);
    if (written === undefined) throw overtaken();
    const { entities, relationships } = written;
    if (entities.size + relationships.size === 0) return;
    for (const id of changes.unchanged) {
      if (entities.has(id) || relationships.has(id)) throw overtaken();
    }
    yield* this.#requireNoCollision(changes, written);
  }

  *#requireNoCollision(
    { collides, collidesLink }: TransactionChanges,
    { entities, relationships }: WrittenIds,
  ): Generator<undefined, void> {
    const { memory } = this.#store;
    let rows = 0;
    for (const id of entities) {
      const node = memory.findLiveEntity(id);
      if (node >= 0 && collides(memory.entityState(node))) throw overtaken();
      if (++rows % ROWS_PER_SLICE === 0) yield;
    }
    for (const id of relationships) {
      const link = memory.findRelationship(id);
      const state = link < 0 ? undefined : memory.relationshipState(link);
      if (state !== undefined && !state.isDeleted && collidesLink({ ...this.#ends(state), state }))
        throw overtaken();
      if (++rows % ROWS_PER_SLICE === 0) yield;
    }
  }

  #ends({ from, to }: RelationshipState): Pick<SeenRelationship, 'from' | 'to'> {
    const { memory } = this.#store;
    return { from: memory.entityState(from), to: memory.entityState(to) };
  }

  /** Others may have connected an entity meanwhile. */
  #requireComplete({ entities, relationships }: TransactionChanges['deleted']): void {
    const { memory } = this.#store;
    const known = new Set(relationships);
    for (const id of entities) {
      const node = memory.findLiveEntity(id);
      if (node < 0) throw overtaken();
      for (const link of memory.linksOf(node)) {
        if (!known.has(linkIdentity(memory, memory.relationshipState(link)).id)) throw overtaken();
      }
    }
  }

  #requireDeletable({ deleted, connectorId, requireDeletable }: TransactionChanges): void {
    const { memory } = this.#store;
    const others = (owners: readonly string[]): readonly string[] =>
      connectorsOf(owners).filter((owner) => owner !== connectorId);
    for (const id of deleted.entities) {
      const { owners, type, key } = memory.entityState(memory.findLiveEntity(id));
      requireDeletable(others(owners), `${type} ${key}`);
    }
    for (const id of deleted.relationships) {
      const link = memory.findRelationship(id);
      if (link < 0) throw overtaken();
      const { owners, verb } = memory.relationshipState(link);
      requireDeletable(others(owners), `${verb} relationship`);
    }
  }
}

/** As Neo4j's drivers know it: they run the transaction again. */
const OUTDATED = 'Neo.TransientError.Transaction.Outdated';

/** Another transaction was first. */
export function overtaken(): DomainError {
  const message = 'another transaction has changed the same records first: run this one again';
  return new DomainError('CONFLICT', message, { details: { code: OUTDATED } });
}

/** Whether an error says that another transaction was first. */
export function isOvertaken(error: unknown): boolean {
  return error instanceof DomainError && error.details?.['code'] === OUTDATED;
}
