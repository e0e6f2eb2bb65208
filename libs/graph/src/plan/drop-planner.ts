/**
 * The dropping half of a full sync: what a connector owned and no longer reports. It loses this owner; with
 * its last owner it goes. One connector never deletes another's data.
 */
import { DomainError } from '#foundation';
import { entityId } from '#model';
import type { SafetyValve, SyncScope } from '../ingest/requests.ts';
import { linkIdentity } from './deleted-relationship.ts';
import type { EntityPlanner, PlannerParts } from './entity-planner.ts';
import type { RelationshipPlanner } from './relationship-planner.ts';

const MAX_DELETE_RATIO = 0.5;
/** Below so many entities a source may vanish as it likes. */
const GUARDED_ENTITIES_MIN = 20;

export interface DropPlannerParts extends PlannerParts {
  readonly entities: EntityPlanner;
  readonly relationships: RelationshipPlanner;
  readonly scope: SyncScope;
}

export class DropPlanner {
  readonly #parts: DropPlannerParts;
  readonly #partialNames: ReadonlySet<string>;
  readonly #partialVerbs: ReadonlySet<string>;

  constructor(parts: DropPlannerParts) {
    this.#parts = parts;
    const partial = parts.scope.partialTypes ?? [];
    this.#partialNames = new Set(partial);
    this.#partialVerbs = new Set(partial.map((name) => name.toUpperCase()));
  }

  /**
   * Yields now and then; returns the number deleted. Throws SYNC_WOULD_DELETE_TOO_MUCH before it plans any.
   */
  *dropEntities(valve: SafetyValve): Generator<undefined, number> {
    const { memory, context } = this.#parts;
    const absent: number[] = [];
    let owned = 0;
    for (const node of memory.ownedEntities(context.connectorId)) {
      if (++owned % ROWS_PER_SLICE === 0) yield;
      if (this.#isAbsentEntity(node)) absent.push(node);
    }
    guard(owned, absent.length, valve);
    let deleted = 0;
    for (const [index, node] of absent.entries()) {
      if (index % ROWS_PER_SLICE === 0) yield;
      if (this.#dropEntity(node)) deleted++;
    }
    return deleted;
  }

  /** After {@link dropEntities} and all upserts. Yields now and then; returns the number deleted. */
  *dropRelationships(): Generator<undefined, number> {
    const { memory, context } = this.#parts;
    let deleted = 0;
    let owned = 0;
    for (const link of memory.ownedRelationships(context.connectorId)) {
      if (++owned % ROWS_PER_SLICE === 0) yield;
      if (this.#dropRelationship(link)) deleted++;
    }
    return deleted;
  }

  #isAbsentEntity(node: number): boolean {
    const { memory, plan } = this.#parts;
    const { type, key } = memory.entityState(node);
    return !this.#partialNames.has(type) && !plan.entities.has(entityId(type, key));
  }

  #dropEntity(node: number): boolean {
    const { memory, stamper, entities } = this.#parts;
    const state = memory.entityState(node);
    const id = entityId(state.type, state.key);
    const owners = stamper.left(state.owners);
    if (owners.length === 0) entities.deleteNode(id, node, state);
    else entities.disown(id, node, state, owners);
    return owners.length === 0;
  }

  #dropRelationship(link: number): boolean {
    const { memory, plan, stamper, relationships } = this.#parts;
    const state = memory.relationshipState(link);
    if (this.#partialVerbs.has(state.verb.toUpperCase())) return false;
    const identity = linkIdentity(memory, state);
    if (plan.relationships.has(identity.id)) return false;
    if (this.#partialNames.has(identity.from.type) || this.#partialNames.has(identity.to.type)) return false;
    const owners = stamper.left(state.owners);
    if (owners.length === 0) relationships.deleteLink(link);
    else relationships.disown(link, identity, state, owners);
    return owners.length === 0;
  }
}

export const ROWS_PER_SLICE = 256;

function guard(owned: number, absent: number, valve: SafetyValve): void {
  const ratio = valve.maxDeleteRatio ?? MAX_DELETE_RATIO;
  if (valve.force === true || owned < GUARDED_ENTITIES_MIN || absent <= owned * ratio) return;
  throw new DomainError(
    'SYNC_WOULD_DELETE_TOO_MUCH',
    `the sync would drop ${String(absent)} of the connector's ${String(owned)} entities; send "force": true to do so`,
    { details: { entities_owned: owned, entities_dropped: absent, max_delete_ratio: ratio } },
  );
}
