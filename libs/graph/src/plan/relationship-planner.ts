import { DomainError } from '#foundation';
import {
  entityId,
  type Properties,
  relationshipId,
  type RelationshipInput,
  type RelationshipKey,
} from '#model';
import type { RelationshipReference } from '../ingest/requests.ts';
import { encodeProperties } from '../memory/head/encode-head.ts';
import type { RelationshipState } from '../memory/version.ts';
import type { PlannedEnd, RelationshipPut } from './change-plan.ts';
import { deletedRelationship } from './deleted-relationship.ts';
import type { EntityPlanner, PlannerParts, UpsertOutcome } from './entity-planner.ts';
import { mergeProperties } from './patch.ts';
import { relationshipText } from './warning-list.ts';

/** Plans what becomes of relationships. Their entities are planned first. */
export class RelationshipPlanner {
  readonly #parts: PlannerParts;
  readonly #entities: EntityPlanner;

  constructor(parts: PlannerParts, entities: EntityPlanner) {
    this.#parts = parts;
    this.#entities = entities;
  }

  /**
   * `dangling` when an end will not exist. Throws DUPLICATE_KEY when the plan has other content for the
   * same.
   */
  upsert(input: RelationshipInput): UpsertOutcome | 'dangling' {
    const { memory, plan, warnings } = this.#parts;
    const from = this.#entities.end(input.from.type, input.from.key);
    const to = this.#entities.end(input.to.type, input.to.key);
    if (from === undefined || to === undefined) return 'dangling';
    const id = relationshipId(from.id, input.verb, to.id, input.key);
    const link = memory.findRelationship(id);
    const state = link < 0 ? undefined : memory.relationshipState(link);
    const live = state === undefined || state.isDeleted ? undefined : state;
    const propertiesJson = encodeProperties(this.#propertiesOf(input, live), input.verb);
    warnings.verb(input.verb);
    if (plan.relationships.has(id)) return this.#fold(id, input, propertiesJson);
    if (live !== undefined && memory.hasSameProperties(link, input.verb, propertiesJson)) {
      this.#touch(id, link, input, live);
      return 'unchanged';
    }
    this.#put({ id, from, to, verb: input.verb, key: input.key, propertiesJson }, state);
    return live === undefined ? 'created' : 'updated';
  }

  /** Gives false when there is nothing to delete. */
  delete(reference: RelationshipReference): boolean {
    const { memory, plan } = this.#parts;
    const id = typeof reference === 'string' ? reference : idOf(reference);
    const link = memory.findRelationship(id);
    if (link < 0 || plan.relationships.has(id) || memory.relationshipState(link).isDeleted) return false;
    this.deleteLink(link);
    return true;
  }

  deleteLink(link: number): void {
    const change = deletedRelationship(this.#parts, link);
    this.#parts.plan.relationships.set(change.id, change);
  }

  /** Takes this connector's claim away; the relationship stays with its other owners. */
  disown(
    link: number,
    identity: { readonly id: string; readonly from: PlannedEnd; readonly to: PlannedEnd },
    state: RelationshipState,
    owners: readonly string[],
  ): void {
    const { verb, key, stamp } = state;
    this.#parts.plan.relationships.set(identity.id, {
      kind: 'touch',
      ...identity,
      link,
      verb,
      key,
      stamp,
      owners,
    });
  }

  #propertiesOf(input: RelationshipInput, live: RelationshipState | undefined): Properties {
    if (this.#parts.context.mode === 'diff') return input.properties;
    return mergeProperties(live?.properties(), input.properties);
  }

  #fold(id: string, input: RelationshipInput, propertiesJson: Uint8Array): UpsertOutcome {
    const { memory, plan } = this.#parts;
    const change = plan.relationships.get(id);
    const isSame =
      (change?.kind === 'put' &&
        change.verb === input.verb &&
        Buffer.compare(change.propertiesJson, propertiesJson) === 0) ||
      (change?.kind === 'touch' && memory.hasSameProperties(change.link, input.verb, propertiesJson));
    if (isSame) return 'folded';
    const other =
      change?.kind === 'delete' ? 'is deleted in the same request' : 'comes twice with different content';
    const { from, verb, to, key } = input;
    throw new DomainError('DUPLICATE_KEY', `relationship ${relationshipText(input)} ${other}`, {
      details: { from, verb, to, ...(key === undefined ? {} : { key }) },
    });
  }

  #put(
    content: Omit<RelationshipPut, 'kind' | 'stamp' | 'owners'>,
    state: RelationshipState | undefined,
  ): void {
    const { plan, stamper } = this.#parts;
    const stamp = state === undefined ? stamper.fresh : stamper.changed(state.stamp);
    const isNew = state === undefined || state.isDeleted;
    const owners = isNew ? stamper.ownersOfFresh : stamper.joined(state.owners);
    plan.relationships.set(content.id, { kind: 'put', ...content, stamp, owners });
  }

  #touch(id: string, link: number, input: RelationshipInput, state: RelationshipState): void {
    const { plan, stamper } = this.#parts;
    const { from, verb, to, key } = input;
    const stamp = stamper.seen(state.stamp);
    const owners = stamper.joined(state.owners);
    plan.relationships.set(id, { kind: 'touch', id, link, from, verb, to, key, stamp, owners });
  }
}

function idOf(name: RelationshipKey): string {
  const { from, verb, to, key } = name;
  return relationshipId(entityId(from.type, from.key), verb, entityId(to.type, to.key), key);
}
