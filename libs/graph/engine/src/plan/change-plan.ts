/**
 * All changes of a request, computed before anything is changed. It has one change for each record; the store
 * writes a plan as one batch, then applies it to memory.
 *
 *   put      the first or new content
 *   touch    the content stays; the last-seen time or the owners change
 *   delete   the record becomes a tombstone with its last content
 */
import type { Stamp } from '#graph/memory';
import type { EntityInput, EntityKey } from '#graph/model';

interface Change {
  readonly id: string;
  readonly stamp: Stamp;
  readonly owners: readonly string[];
  /** Its record of statements; null removes it, undefined keeps it. */
  readonly statements: string | null | undefined;
}

/** A source's new priority. */
export interface PriorityChange {
  readonly connectorId: string;
  readonly priority: number;
}

export interface EntityPut extends Change {
  readonly kind: 'put';
  /** −1 until a new entity is put. */
  node: number;
  readonly input: EntityInput;
  readonly head: Uint8Array;
}

export interface EntityTouch extends Change {
  readonly kind: 'touch';
  readonly node: number;
  readonly input: EntityKey;
}

export interface EntityDelete extends Change {
  readonly kind: 'delete';
  readonly node: number;
  readonly input: EntityKey;
  readonly head: Uint8Array;
}

export type EntityChange = EntityPut | EntityTouch | EntityDelete;

/** One end of a relationship: a node, or an entity put by the same plan. */
export interface PlannedEnd extends EntityKey {
  readonly id: string;
  readonly node: number;
  readonly put: EntityPut | undefined;
}

interface RelationshipContent {
  readonly from: EntityKey;
  readonly verb: string;
  readonly to: EntityKey;
  readonly key?: string | undefined;
}

export interface RelationshipPut extends Change, RelationshipContent {
  readonly kind: 'put';
  /** −1 if it is new. */
  readonly link: number;
  readonly from: PlannedEnd;
  readonly to: PlannedEnd;
  readonly propertiesJson: Uint8Array;
}

export interface RelationshipTouch extends Change, RelationshipContent {
  readonly kind: 'touch';
  readonly link: number;
}

export interface RelationshipDelete extends Change, RelationshipContent {
  readonly kind: 'delete';
  readonly link: number;
  readonly propertiesJson: Uint8Array;
}

export type RelationshipChange = RelationshipPut | RelationshipTouch | RelationshipDelete;

export class ChangePlan {
  readonly entities = new Map<string, EntityChange>();
  readonly relationships = new Map<string, RelationshipChange>();
  priority: PriorityChange | undefined;

  get isEmpty(): boolean {
    return this.entities.size === 0 && this.relationships.size === 0 && this.priority === undefined;
  }
}

/** The number of records by what is done to them, without zeros. */
export function countsOf({ entities, relationships }: ChangePlan): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [what, changes] of Object.entries({ entities, relationships })) {
    for (const { kind } of changes.values()) {
      const name = `${what}_${kind}`;
      counts[name] = (counts[name] ?? 0) + 1;
    }
  }
  return counts;
}

/** The outcome of an upsert. `folded`: it repeats an earlier one of the request. */
export type UpsertOutcome = 'created' | 'updated' | 'unchanged' | 'folded';

/** Numbers of upserts by outcome. Folded ones do not count. */
export class UpsertTally {
  created = 0;
  updated = 0;
  unchanged = 0;

  add(outcome: UpsertOutcome): void {
    if (outcome !== 'folded') this[outcome]++;
  }

  get written(): number {
    return this.created + this.updated + this.unchanged;
  }

  plus(other: UpsertTally): UpsertTally {
    const sum = new UpsertTally();
    for (const { created, updated, unchanged } of [this, other]) {
      sum.created += created;
      sum.updated += updated;
      sum.unchanged += unchanged;
    }
    return sum;
  }
}

/** The counts of a plan. The plan itself counts deletes, since some follow from others. */
export interface PlanCounts {
  readonly entities: UpsertTally;
  readonly relationships: UpsertTally;
  readonly entitiesDeleted: number;
  readonly relationshipsDeleted: number;
}

export function planCounts(plan: ChangePlan, entities: UpsertTally, relationships: UpsertTally): PlanCounts {
  return {
    entities,
    relationships,
    entitiesDeleted: countDeletes(plan.entities.values()),
    relationshipsDeleted: countDeletes(plan.relationships.values()),
  };
}

export function addedCounts(one: PlanCounts, other: PlanCounts): PlanCounts {
  return {
    entities: one.entities.plus(other.entities),
    relationships: one.relationships.plus(other.relationships),
    entitiesDeleted: one.entitiesDeleted + other.entitiesDeleted,
    relationshipsDeleted: one.relationshipsDeleted + other.relationshipsDeleted,
  };
}

function countDeletes(changes: Iterable<{ readonly kind: string }>): number {
  let count = 0;
  for (const change of changes) if (change.kind === 'delete') count++;
  return count;
}

/** Ids of records that a batch puts or deletes. */
export interface WrittenRecords {
  readonly entities: readonly string[];
  readonly relationships: readonly string[];
}

/** The records whose content a plan changes. */
export function writtenIds({ entities, relationships }: ChangePlan): WrittenRecords {
  return { entities: idsOfChanged(entities), relationships: idsOfChanged(relationships) };
}

function idsOfChanged(changes: ReadonlyMap<string, { readonly kind: string }>): readonly string[] {
  const ids: string[] = [];
  for (const [id, { kind }] of changes) if (kind !== 'touch') ids.push(id);
  return ids;
}
