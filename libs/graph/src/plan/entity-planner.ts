import { DomainError } from '#foundation';
import { completeEntity, entityId, type EntityInput, type EntityStatement } from '#model';
import type { EntityReference } from '../ingest/requests.ts';
import { encodeEntityHead } from '../memory/head/encode-head.ts';
import type { MemoryGraph } from '../memory/memory-graph.ts';
import type { EntityState } from '../memory/version.ts';
import type { ChangePlan, EntityPut, EntityTouch, PlannedEnd } from './change-plan.ts';
import { deletedRelationship } from './deleted-relationship.ts';
import { mergePatch } from './patch.ts';
import type { PlanContext } from './plan-context.ts';
import type { Stamper } from './stamper.ts';
import { entityText, type WarningList } from './warning-list.ts';

/** What an upsert comes to. `folded`: the request said the same before. */
export type UpsertOutcome = 'created' | 'updated' | 'unchanged' | 'folded';

export interface PlannerParts {
  readonly memory: MemoryGraph;
  readonly plan: ChangePlan;
  readonly context: PlanContext;
  readonly stamper: Stamper;
  readonly warnings: WarningList;
}

/** Plans what becomes of entities, and of the relationships of those that go. */
export class EntityPlanner {
  readonly #parts: PlannerParts;

  constructor(parts: PlannerParts) {
    this.#parts = parts;
  }

  /** Throws DUPLICATE_KEY when the plan has other content for the same entity. */
  upsert(statement: EntityStatement): UpsertOutcome {
    const { memory, plan, warnings } = this.#parts;
    const id = entityId(statement.type, statement.key);
    const node = memory.findEntity(id);
    const state = node < 0 ? undefined : memory.entityState(node);
    const live = state === undefined || state.isDeleted ? undefined : state;
    const input = this.#complete(statement, live);
    const head = encodeEntityHead(id, input);
    warnings.class(input.class);
    if (plan.entities.has(id)) return this.#fold(id, input, head);
    if (live !== undefined && memory.hasSameContent(node, head)) {
      this.#touch({ id, node, input }, live);
      return 'unchanged';
    }
    this.#put({ id, node, input, head }, state);
    return live === undefined ? 'created' : 'updated';
  }

  /** Makes a bare entity where there is none; what this connector owns already counts as reported again. */
  stub(statement: EntityStatement): UpsertOutcome {
    const { memory, plan } = this.#parts;
    const id = entityId(statement.type, statement.key);
    if (plan.entities.has(id)) return 'folded';
    const node = memory.findEntity(id);
    const state = node < 0 ? undefined : memory.entityState(node);
    if (state === undefined || state.isDeleted) return this.upsert(statement);
    if (!state.owners.includes(this.#parts.context.connectorId)) return 'folded';
    this.#touch({ id, node, input: statement }, state);
    return 'unchanged';
  }

  /** Plans the end of an entity and of its relationships. Gives false when there is nothing to delete. */
  delete(reference: EntityReference): boolean {
    const { memory, plan } = this.#parts;
    const id = typeof reference === 'string' ? reference : entityId(reference.type, reference.key);
    const node = memory.findEntity(id);
    if (node < 0 || plan.entities.get(id)?.kind === 'delete') return false;
    const state = memory.entityState(node);
    if (state.isDeleted) return false;
    this.deleteNode(id, node, state);
    return true;
  }

  deleteNode(id: string, node: number, state: EntityState): void {
    const { memory, plan, stamper } = this.#parts;
    const input = { type: state.type, key: state.key };
    const stamp = stamper.deleted(state.stamp);
    plan.entities.set(id, {
      kind: 'delete',
      id,
      node,
      input,
      head: state.head(),
      stamp,
      owners: state.owners,
    });
    for (const link of memory.linksOf(node)) this.#deleteLink(link);
  }

  /** Takes this connector's claim away; the content stays with the other owners. */
  disown(id: string, node: number, state: EntityState, owners: readonly string[]): void {
    const input = { type: state.type, key: state.key };
    this.#parts.plan.entities.set(id, { kind: 'touch', id, node, input, stamp: state.stamp, owners });
  }

  /** The end of a relationship as it will be under the plan; undefined when it will not exist. */
  end(type: string, key: string): PlannedEnd | undefined {
    const { memory, plan } = this.#parts;
    const id = entityId(type, key);
    const change = plan.entities.get(id);
    if (change?.kind === 'delete') return undefined;
    if (change !== undefined)
      return { id, type, key, node: change.node, put: change.kind === 'put' ? change : undefined };
    const node = memory.findEntity(id);
    if (node < 0 || memory.entityState(node).isDeleted) return undefined;
    return { id, type, key, node, put: undefined };
  }

  #complete(statement: EntityStatement, live: EntityState | undefined): EntityInput {
    if (this.#parts.context.mode === 'diff') return completeEntity(statement);
    return mergePatch(statement, live);
  }

  #fold(id: string, input: EntityInput, head: Uint8Array): UpsertOutcome {
    const { memory, plan } = this.#parts;
    const change = plan.entities.get(id);
    const isSame =
      (change?.kind === 'put' && Buffer.compare(change.head, head) === 0) ||
      (change?.kind === 'touch' && memory.hasSameContent(change.node, head));
    if (isSame) return 'folded';
    const other =
      change?.kind === 'delete' ? 'is deleted in the same request' : 'comes twice with different content';
    throw new DomainError('DUPLICATE_KEY', `entity ${entityText(input)} ${other}`, {
      details: { type: input.type, key: input.key },
    });
  }

  #put(content: Pick<EntityPut, 'id' | 'node' | 'input' | 'head'>, state: EntityState | undefined): void {
    const { plan, stamper } = this.#parts;
    const { id, node, input, head } = content;
    const stamp = state === undefined ? stamper.fresh : stamper.changed(state.stamp);
    const isNew = state === undefined || state.isDeleted;
    const owners = isNew ? stamper.ownersOfFresh : stamper.joined(state.owners);
    plan.entities.set(id, { kind: 'put', id, node, input, head, stamp, owners });
  }

  #touch(entity: Pick<EntityTouch, 'id' | 'node' | 'input'>, state: EntityState): void {
    const { plan, stamper } = this.#parts;
    const { id, node, input } = entity;
    const stamp = stamper.seen(state.stamp);
    plan.entities.set(id, { kind: 'touch', id, node, input, stamp, owners: stamper.joined(state.owners) });
  }

  #deleteLink(link: number): void {
    const { plan } = this.#parts;
    const change = deletedRelationship(this.#parts, link);
    plan.relationships.set(change.id, change);
  }
}
