import type { MemoryGraph } from '#graph/memory';
import type {
  ListedChanges,
  ListedEntity,
  ListedRecords,
  ListedRelationship,
  PlannedChanges,
} from '../request/replies.ts';
import type { ChangePlan, EntityChange, RelationshipChange } from './change-plan.ts';

type Effect = keyof ListedChanges<unknown>;

/** What a plan that is not carried out would change; at most `max` records of each kind. */
export function plannedChanges(plan: ChangePlan, memory: MemoryGraph, max: number): PlannedChanges {
  const entities = new ChangeLists<ListedEntity>(max);
  for (const change of plan.entities.values())
    entities.add(effectOnEntity(change, memory), () => listedEntity(change, memory));
  const relationships = new ChangeLists<ListedRelationship>(max);
  for (const change of plan.relationships.values())
    relationships.add(effectOnRelationship(change, memory), () => listedRelationship(change));
  return { entities: entities.lists(), relationships: relationships.lists() };
}

class ChangeLists<T> {
  readonly #max: number;
  readonly #records: Readonly<Record<Effect, T[]>> = { created: [], updated: [], deleted: [] };
  readonly #more: Record<Effect, number> = { created: 0, updated: 0, deleted: 0 };

  constructor(max: number) {
    this.#max = max;
  }

  add(effect: Effect | undefined, record: () => T): void {
    if (effect === undefined) return;
    const records = this.#records[effect];
    if (records.length < this.#max) records.push(record());
    else this.#more[effect]++;
  }

  lists(): ListedChanges<T> {
    const listed = (effect: Effect): ListedRecords<T> => ({
      records: this.#records[effect],
      more: this.#more[effect],
    });
    return { created: listed('created'), updated: listed('updated'), deleted: listed('deleted') };
  }
}

function effectOnEntity(change: EntityChange, memory: MemoryGraph): Effect | undefined {
  if (change.kind === 'delete') return 'deleted';
  if (change.kind === 'touch') return undefined;
  if (change.node < 0 || memory.entityState(change.node).isDeleted) return 'created';
  // Of several sources, one that leaves may leave the content as it is.
  return memory.hasSameContent(change.node, change.head) ? undefined : 'updated';
}

function effectOnRelationship(change: RelationshipChange, memory: MemoryGraph): Effect | undefined {
  if (change.kind === 'delete') return 'deleted';
  if (change.kind === 'touch') return undefined;
  const { link, verb, propertiesJson } = change;
  if (link < 0 || memory.relationshipState(link).isDeleted) return 'created';
  return memory.hasSameProperties(link, verb, propertiesJson) ? undefined : 'updated';
}

function listedEntity(change: EntityChange, memory: MemoryGraph): ListedEntity {
  const { type, key } = change.input;
  const shown = change.kind === 'put' ? change.input : memory.entityState(change.node);
  return { type, key, display_name: shown.displayName };
}

function listedRelationship({ from, verb, to, key }: RelationshipChange): ListedRelationship {
  const listed = {
    from: { type: from.type, key: from.key },
    verb,
    to: { type: to.type, key: to.key },
  };
  return key === undefined ? listed : { ...listed, key };
}
