import { encodeEntityHead, type EntityState, type MemoryGraph } from '#graph/memory';
import {
  completeEntity,
  entityId,
  type EntityInput,
  type EntityKey,
  type EntityStatement,
} from '#graph/model';
import { DomainError } from '#platform/foundation';
import type { EntityReference } from '../request/requests.ts';
import {
  CLASS_BIT,
  connectorsOf,
  NAME_BIT,
  spelledOutBy,
  spelledOutIn,
  type ExplicitFields,
} from '../source/owner-marks.ts';
import { entityFields, entityOf, namesOf, propertiesOf, type StatedFields } from '../source/record-fields.ts';
import type { Statement } from '../source/statement.ts';
import type { ChangePlan, EntityTouch, PlannedEnd, UpsertOutcome } from './change-plan.ts';
import { deletedRelationship } from './deleted-relationship.ts';
import { mergePatch } from './patch.ts';
import type { SourcePlanner } from './source-planner.ts';
import type { Stamper } from './stamper.ts';
import { entityText, type WarningList } from './warning-list.ts';

/** The outcome for a record that loses a source: `updated` if other sources' statements become visible. */
export type LeaveOutcome = 'deleted' | 'updated' | 'kept';

/** A live entity. */
interface KnownEntity {
  readonly id: string;
  readonly node: number;
  readonly state: EntityState;
}

export interface PlannerParts {
  readonly memory: MemoryGraph;
  readonly plan: ChangePlan;
  readonly stamper: Stamper;
  readonly sources: SourcePlanner;
  readonly warnings: WarningList;
  /** Entities that a later part of the request deletes. */
  readonly leaving?: ReadonlySet<string> | undefined;
}

/** Plans changes of entities, and the deletion of relationships with their ends. */
export class EntityPlanner {
  readonly #parts: PlannerParts;

  constructor(parts: PlannerParts) {
    this.#parts = parts;
  }

  /** Throws DUPLICATE_KEY if the plan has other content for the same entity. */
  upsert(statement: EntityStatement): UpsertOutcome {
    const { memory, plan, sources, stamper, warnings } = this.#parts;
    const id = entityId(statement.type, statement.key);
    const node = memory.findEntity(id);
    const state = node < 0 ? undefined : memory.entityState(node);
    const live = state === undefined || state.isDeleted ? undefined : state;
    if (live !== undefined && !sources.isSole(id, live.owners)) {
      return this.#restate(statement, { id, node, state: live });
    }
    const input = this.#complete(statement, live);
    const head = encodeEntityHead(id, input);
    warnings.class(input.class);
    if (plan.entities.has(id)) return this.#fold(id, input, head);
    const spelledOut = this.#spelledOut(statement, live);
    if (live !== undefined && memory.hasSameContent(node, head)) {
      if (spelledOut !== spelledOutIn(live.owners)) {
        return this.#restate(statement, { id, node, state: live });
      }
      this.#touch({ id, node, input }, live);
      return 'unchanged';
    }
    const stamp = state === undefined ? stamper.fresh : stamper.changed(state.stamp);
    const owners = stamper.sole(spelledOut);
    plan.entities.set(id, { kind: 'put', id, node, input, head, stamp, owners, statements: undefined });
    return live === undefined ? 'created' : 'updated';
  }

  /** Creates a stub if the entity is missing; one already owned by this connector counts as seen again. */
  stub(statement: EntityStatement): UpsertOutcome {
    const { memory, plan, sources } = this.#parts;
    const id = entityId(statement.type, statement.key);
    if (plan.entities.has(id)) return 'folded';
    const node = memory.findEntity(id);
    const state = node < 0 ? undefined : memory.entityState(node);
    if (state === undefined || state.isDeleted) return this.upsert(statement);
    if (!sources.isOwner(state.owners)) return 'folded';
    if (sources.isReranked) return this.#show({ id, node, state }, sources.ofEntity(id, state));
    this.#touch({ id, node, input: statement }, state);
    return 'unchanged';
  }

  /** Plans the deletion of an entity and its relationships. Returns false if there is nothing to delete. */
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
    const { memory, plan, sources, stamper } = this.#parts;
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
      statements: sources.ended(id),
    });
    for (const link of memory.linksOf(node)) this.#deleteLink(link);
  }

  /** Removes this connector's statement and ownership; other sources' statements become visible. */
  withdraw(entity: KnownEntity): LeaveOutcome {
    const { sources, stamper } = this.#parts;
    const { id, node, state } = entity;
    const connectors = stamper.left(connectorsOf(state.owners));
    if (connectors.length === 0) {
      this.deleteNode(id, node, state);
      return 'deleted';
    }
    return this.#settle(entity, sources.withdrawn(sources.ofEntity(id, state)), connectors);
  }

  /** Like {@link withdraw}, for an entity that this connector may state no longer. */
  withdrawById(id: string): LeaveOutcome {
    const { memory, sources } = this.#parts;
    const node = memory.findLiveEntity(id);
    if (node < 0) return 'kept';
    const state = memory.entityState(node);
    return sources.isOwner(state.owners) ? this.withdraw({ id, node, state }) : 'kept';
  }

  /** Recomputes the content after a change of this connector's priority. */
  rerank(entity: KnownEntity): LeaveOutcome {
    const { id, state } = entity;
    return this.#settle(entity, this.#parts.sources.ofEntity(id, state), connectorsOf(state.owners));
  }

  /** The end of a relationship after the plan; undefined if it will not exist. */
  end(type: string, key: string): PlannedEnd | undefined {
    const { memory, plan, leaving } = this.#parts;
    const id = entityId(type, key);
    const change = plan.entities.size === 0 ? undefined : plan.entities.get(id);
    if (change?.kind === 'delete' || leaving?.has(id) === true) return undefined;
    if (change !== undefined)
      return { id, type, key, node: change.node, put: change.kind === 'put' ? change : undefined };
    const node = memory.findLiveEntity(id);
    return node < 0 ? undefined : { id, type, key, node, put: undefined };
  }

  #complete(statement: EntityStatement, live: EntityState | undefined): EntityInput {
    if (this.#parts.sources.isWhole) return completeEntity(statement);
    return mergePatch(statement, live);
  }

  #fold(id: string, input: EntityInput, head: Uint8Array): UpsertOutcome {
    const { memory, plan } = this.#parts;
    const change = plan.entities.get(id);
    const isSame =
      (change?.kind === 'put' && Buffer.compare(change.head, head) === 0) ||
      (change?.kind === 'touch' && memory.hasSameContent(change.node, head));
    if (isSame) return 'folded';
    throw this.#duplicate(id, input);
  }

  #duplicate(id: string, { type, key }: EntityKey): DomainError {
    const isDeleted = this.#parts.plan.entities.get(id)?.kind === 'delete';
    const other = isDeleted ? 'is deleted in the same request' : 'comes twice with different content';
    return new DomainError('DUPLICATE_KEY', `entity ${entityText({ type, key })} ${other}`, {
      details: { type, key },
    });
  }

  /** Puts a statement of an entity with other sources. */
  #restate(statement: EntityStatement, entity: KnownEntity): UpsertOutcome {
    const { plan, sources, warnings } = this.#parts;
    const { id, state } = entity;
    const statements = sources.restated(sources.ofEntity(id, state), entityFields(statement));
    const before = sources.noted(id);
    const stated = sources.note(id, statements);
    if (plan.entities.has(id)) {
      if (before !== undefined && isSameEntity(statement, before, stated)) return 'folded';
      throw this.#duplicate(id, statement);
    }
    warnings.class(statement.class ?? state.class);
    return this.#show(entity, statements);
  }

  #show({ id, node, state }: KnownEntity, statements: readonly Statement[]): UpsertOutcome {
    const { memory, plan, sources } = this.#parts;
    const input = entityOf(state.type, state.key, sources.union(statements));
    const head = encodeEntityHead(id, input);
    const isSame = memory.hasSameContent(node, head);
    const kept = sources.stated(id, state, {
      statements,
      isSame,
      spelledOut: spelledOutOf(input, statements),
    });
    if (isSame) plan.entities.set(id, { kind: 'touch', id, node, input, ...kept });
    else plan.entities.set(id, { kind: 'put', id, node, input, head, ...kept });
    return isSame ? 'unchanged' : 'updated';
  }

  /** Plans the entity with these statements, after this connector's was removed or its priority changed. */
  #settle(
    { id, node, state }: KnownEntity,
    statements: readonly Statement[],
    connectors: readonly string[],
  ): LeaveOutcome {
    const { memory, plan, sources } = this.#parts;
    const { type, key, stamp } = state;
    if (statements.length === 0) {
      const input = { type, key };
      plan.entities.set(id, {
        kind: 'touch',
        id,
        node,
        input,
        stamp,
        owners: connectors,
        statements: undefined,
      });
      return 'kept';
    }
    const input = entityOf(type, key, sources.union(statements));
    const head = encodeEntityHead(id, input);
    const isSame = memory.hasSameContent(node, head);
    if (isSame && connectors.length === connectorsOf(state.owners).length) return 'kept';
    const spelledOut = spelledOutOf(input, statements);
    const kept = sources.left(id, state, { statements, isSame, spelledOut, connectors });
    if (kept.stamp === stamp) plan.entities.set(id, { kind: 'touch', id, node, input, ...kept });
    else plan.entities.set(id, { kind: 'put', id, node, input, head, ...kept });
    return isSame ? 'kept' : 'updated';
  }

  /** The explicitly stated defaults; a patch keeps those that it does not name. */
  #spelledOut(statement: EntityStatement, live: EntityState | undefined): ExplicitFields {
    const named = spelledOutBy(statement);
    if (this.#parts.sources.isWhole || live === undefined) return named;
    const before = spelledOutIn(live.owners);
    const keptClass = statement.class === undefined ? before & CLASS_BIT : 0;
    const keptName = statement.displayName === undefined ? before & NAME_BIT : 0;
    return named | keptClass | keptName;
  }

  #touch(entity: Pick<EntityTouch, 'id' | 'node' | 'input'>, state: EntityState): void {
    const { plan, stamper } = this.#parts;
    const { id, node, input } = entity;
    const stamp = stamper.seen(state.stamp);
    const owners = stamper.joined(state.owners);
    plan.entities.set(id, { kind: 'touch', id, node, input, stamp, owners, statements: undefined });
  }

  #deleteLink(link: number): void {
    const { plan } = this.#parts;
    const change = deletedRelationship(this.#parts, link);
    plan.relationships.set(change.id, change);
  }
}

function spelledOutOf({ type, key }: EntityKey, [sole]: readonly Statement[]): ExplicitFields {
  return sole === undefined
    ? 0
    : spelledOutBy({ type, key, ...namesOf(sole.fields), properties: propertiesOf(sole.fields) });
}

/** Whether two statements of a request give the same entity, including defaults. */
function isSameEntity({ type, key }: EntityKey, a: StatedFields, b: StatedFields): boolean {
  const [one, other] = [a, b].map((fields) => encodeEntityHead('', entityOf(type, key, fields)));
  return one !== undefined && other !== undefined && Buffer.compare(one, other) === 0;
}
