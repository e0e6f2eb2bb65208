/**
 * The deletions of a full sync: records that a connector owned and no longer reports. They lose this owner
 * and its statements; a record without owners is deleted. A connector never deletes another one's data.
 */
import type { MemoryGraph } from '#graph/memory';
import { entityId, type EntityKey, isUnread, type RelationshipEnd } from '#graph/model';
import { DomainError } from '#platform/foundation';
import type { SafetyValve, SyncScope } from '../request/requests.ts';
import type { ChangePlan } from './change-plan.ts';
import { linkIdentity } from './deleted-relationship.ts';
import type { EntityPlanner } from './entity-planner.ts';
import type { RelationshipPlanner } from './relationship-planner.ts';

const MAX_DELETE_RATIO = 0.5;
/** Minimum number of entities, or of relationships of one verb, for the deletion limit. */
const GUARDED_MIN = 20;

export interface DropPlannerParts {
  readonly memory: MemoryGraph;
  readonly plan: ChangePlan;
  readonly connectorId: string;
  readonly entities: EntityPlanner;
  readonly relationships: RelationshipPlanner;
  readonly scope: SyncScope;
  /** What the source states; default: what is planned. */
  readonly stated?: StatedRecords | undefined;
}

/** The ids of all records of a sync that is planned in parts. */
export interface StatedRecords {
  readonly entities: Pick<ReadonlySet<string>, 'has'>;
  readonly relationships: Pick<ReadonlySet<string>, 'has'>;
}

/** Relationships of one verb. */
interface OwnedVerb {
  owned: number;
  readonly absent: number[];
}

export class DropPlanner {
  readonly #parts: DropPlannerParts;
  readonly #partialNames: ReadonlySet<string>;
  readonly #partialVerbs: ReadonlySet<string>;
  readonly #partialEnds: ReadonlySet<string>;
  readonly #incrementTypes: ReadonlySet<string>;
  readonly #incrementVerbs: ReadonlySet<string>;
  readonly #removed: ReadonlySet<string>;

  constructor(parts: DropPlannerParts) {
    this.#parts = parts;
    const partial = parts.scope.partialTypes ?? [];
    this.#partialNames = new Set(partial);
    this.#partialVerbs = new Set(partial.map((name) => name.toUpperCase()));
    this.#partialEnds = new Set(
      parts.scope.partialRelationships?.map(({ verb, end, type, key }) =>
        partialEnd(verb, end, entityId(type, key)),
      ),
    );
    const { types = [], removed = [] } = parts.scope.increment ?? {};
    this.#incrementTypes = new Set(types);
    this.#incrementVerbs = new Set(types.map((name) => name.toUpperCase()));
    this.#removed = new Set(removed.map(({ type, key }) => entityId(type, key)));
  }

  /**
   * Yields regularly; returns the number of entities with changed content. Throws SYNC_WOULD_DELETE_TOO_MUCH
   * before it plans any change.
   */
  *dropEntities(valve: SafetyValve): Generator<undefined, number> {
    const { memory, connectorId, entities } = this.#parts;
    const absent: number[] = [];
    let owned = 0;
    for (const node of memory.ownedEntities(connectorId)) {
      if (++owned % ROWS_PER_SLICE === 0) yield;
      if (!this.#isAbsentEntity(node)) continue;
      absent.push(node);
      this.#requireSome(memory.entityState(node));
    }
    guard({ owned, absent: absent.length, kind: 'entities' }, valve);
    let updated = 0;
    for (const [index, node] of absent.entries()) {
      if (index % ROWS_PER_SLICE === 0) yield;
      const state = memory.entityState(node);
      const id = entityId(state.type, state.key);
      if (entities.withdraw({ id, node, state }) === 'updated') updated++;
    }
    return updated;
  }

  /**
   * Call after {@link dropEntities} and all upserts: relationships deleted with an entity are already
   * planned, and do not count for the deletion limit.
   */
  *dropRelationships(valve: SafetyValve): Generator<undefined, number> {
    const { memory, connectorId, relationships } = this.#parts;
    const verbs = new Map<string, OwnedVerb>();
    let rows = 0;
    for (const link of memory.ownedRelationships(connectorId)) {
      if (++rows % ROWS_PER_SLICE === 0) yield;
      this.#sort(link, verbs);
    }
    for (const [verb, { owned, absent }] of verbs) {
      guard({ owned, absent: absent.length, kind: 'relationships', verb }, valve);
    }
    let updated = 0;
    for (const link of Array.from(verbs.values(), ({ absent }) => absent).flat()) {
      if (++rows % ROWS_PER_SLICE === 0) yield;
      const state = memory.relationshipState(link);
      const identity = linkIdentity(memory, state);
      if (relationships.withdraw({ identity, link, state }) === 'updated') updated++;
    }
    return updated;
  }

  #isAbsentEntity(node: number): boolean {
    const { type, key } = this.#parts.memory.entityState(node);
    const id = entityId(type, key);
    if (this.#isStatedEntity(id)) return false;
    return this.#removed.has(id) || !(this.#isPartial({ type, key }) || this.#incrementTypes.has(type));
  }

  #sort(link: number, verbs: Map<string, OwnedVerb>): void {
    const verb = this.#parts.memory.relationshipState(link).verb.toUpperCase();
    const ofVerb = verbs.get(verb) ?? { owned: 0, absent: [] };
    verbs.set(verb, ofVerb);
    ofVerb.owned++;
    if (!this.#partialVerbs.has(verb) && this.#isAbsentRelationship(link)) ofVerb.absent.push(link);
  }

  #isAbsentRelationship(link: number): boolean {
    const { memory, plan, stated } = this.#parts;
    const state = memory.relationshipState(link);
    const { id, from, to } = linkIdentity(memory, state);
    const isIncrement = this.#incrementVerbs.has(state.verb.toUpperCase());
    // The end that states it is unchanged.
    if (isIncrement && !(this.#incrementTypes.has(from.type) && this.#isStatedEntity(from.id))) return false;
    if (plan.relationships.has(id) || stated?.relationships.has(id) === true) return false;
    if (this.#isPartial(from) || this.#isPartial(to)) return false;
    const ends = [partialEnd(state.verb, 'from', from.id), partialEnd(state.verb, 'to', to.id)];
    return !ends.some((end) => this.#partialEnds.has(end));
  }

  #isStatedEntity(id: string): boolean {
    const { plan, stated } = this.#parts;
    return plan.entities.has(id) || stated?.entities.has(id) === true;
  }

  #requireSome({ type, key }: EntityKey): void {
    if (this.#removed.has(entityId(type, key))) return;
    const emptied = this.#parts.scope.emptied ?? [];
    if (!emptied.includes(type) && !emptied.includes('*')) return;
    throw new DomainError(
      'SYNC_WOULD_DELETE_TOO_MUCH',
      `the source had entities of ${type}, and is empty now: "allow_empty": true in its config accepts that`,
    );
  }

  #isPartial(entity: EntityKey): boolean {
    return this.#partialNames.has(entity.type) || isUnread(entity, this.#parts.scope.unread);
  }
}

function partialEnd(verb: string, end: RelationshipEnd, id: string): string {
  return `${verb.toUpperCase()} ${end} ${id}`;
}

export const ROWS_PER_SLICE = 256;

interface Withdrawal {
  readonly owned: number;
  readonly absent: number;
  readonly kind: 'entities' | 'relationships';
  readonly verb?: string;
}

function guard({ owned, absent, kind, verb }: Withdrawal, valve: SafetyValve): void {
  const ratio = valve.maxDeleteRatio ?? MAX_DELETE_RATIO;
  if (valve.force === true || owned < GUARDED_MIN || absent <= owned * ratio) return;
  const what = verb === undefined ? kind : `${verb} ${kind}`;
  throw new DomainError(
    'SYNC_WOULD_DELETE_TOO_MUCH',
    `the sync would drop ${String(absent)} of the connector's ${String(owned)} ${what}; send "force": true to do so`,
    {
      details: {
        ...(verb !== undefined && { verb }),
        [`${kind}_owned`]: owned,
        [`${kind}_dropped`]: absent,
        max_delete_ratio: ratio,
      },
    },
  );
}
