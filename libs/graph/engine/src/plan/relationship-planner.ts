import { encodeProperties, type RelationshipState } from '#graph/memory';
import { entityId, relationshipId, type RelationshipInput, type RelationshipKey } from '#graph/model';
import { DomainError } from '#platform/foundation';
import type { RelationshipReference } from '../request/requests.ts';
import { connectorsOf } from '../source/owner-marks.ts';
import { kindsOf, propertiesOf, relationshipFields, verbOf } from '../source/record-fields.ts';
import { isSameFields, type Statement } from '../source/statement.ts';
import type { RelationshipChange, UpsertOutcome } from './change-plan.ts';
import { deletedRelationship, type LinkIdentity, linkIdentity } from './deleted-relationship.ts';
import type { EntityPlanner, LeaveOutcome, PlannerParts } from './entity-planner.ts';
import { mergeContent, type PatchedContent } from './patch.ts';
import type { Kept } from './source-planner.ts';
import { relationshipText } from './warning-list.ts';

/** A live relationship. */
interface KnownRelationship {
  readonly identity: LinkIdentity;
  readonly link: number;
  readonly state: RelationshipState;
}

/** Plans changes of relationships. Their entities must be planned first. */
export class RelationshipPlanner {
  readonly #parts: PlannerParts;
  readonly #entities: EntityPlanner;

  constructor(parts: PlannerParts, entities: EntityPlanner) {
    this.#parts = parts;
    this.#entities = entities;
  }

  /**
   * Returns `dangling` if an end will not exist. Throws DUPLICATE_KEY if the plan has other content for the
   * same relationship.
   */
  upsert(input: RelationshipInput): UpsertOutcome | 'dangling' {
    const { memory, plan, sources, stamper, warnings } = this.#parts;
    const from = this.#entities.end(input.from.type, input.from.key);
    const to = this.#entities.end(input.to.type, input.to.key);
    if (from === undefined || to === undefined) return 'dangling';
    const id = relationshipId(from.id, input.verb, to.id, input.key);
    const link = memory.findRelationship(id);
    const state = link < 0 ? undefined : memory.relationshipState(link);
    const live = liveOf(state);
    warnings.verb(input.verb);
    if (live !== undefined && !sources.isSole(id, live.owners)) {
      return this.#restate(input, { identity: { id, from, to }, link, state: live });
    }
    const { properties, kinds } = this.#contentOf(input, live);
    const propertiesJson = encodeProperties(properties, input.verb, kinds);
    if (plan.relationships.has(id)) return this.#fold(id, input, propertiesJson);
    if (live !== undefined && memory.hasSameProperties(link, input.verb, propertiesJson)) {
      this.#touch(id, link, input, live);
      return 'unchanged';
    }
    const stamp = state === undefined ? stamper.fresh : stamper.changed(state.stamp);
    plan.relationships.set(id, {
      kind: 'put',
      id,
      link,
      from,
      verb: input.verb,
      to,
      key: input.key,
      propertiesJson,
      stamp,
      owners: stamper.sole(0),
      statements: undefined,
    });
    return live === undefined ? 'created' : 'updated';
  }

  /** Returns false if there is nothing to delete. */
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

  /** Removes this connector's statement and ownership; other sources' statements become visible. */
  withdraw(relationship: KnownRelationship): LeaveOutcome {
    const { sources, stamper } = this.#parts;
    const { identity, link, state } = relationship;
    const connectors = stamper.left(connectorsOf(state.owners));
    if (connectors.length === 0) {
      this.deleteLink(link);
      return 'deleted';
    }
    const statements = sources.withdrawn(sources.ofRelationship(identity.id, state));
    return this.#settle(relationship, statements, connectors);
  }

  /** Like {@link withdraw}, for a relationship that this connector may state no longer. */
  withdrawById(id: string): LeaveOutcome {
    const { memory, plan, sources, leaving } = this.#parts;
    const link = memory.findRelationship(id);
    const state = link < 0 ? undefined : liveOf(memory.relationshipState(link));
    if (state === undefined || plan.relationships.has(id) || !sources.isOwner(state.owners)) return 'kept';
    const identity = linkIdentity(memory, state);
    const outcome = this.withdraw({ identity, link, state });
    // A later part deletes it with its end, and counts it.
    const isLeaving = leaving?.has(identity.from.id) === true || leaving?.has(identity.to.id) === true;
    return outcome === 'updated' && isLeaving ? 'kept' : outcome;
  }

  /** Recomputes the content after a change of this connector's priority. */
  rerank(relationship: KnownRelationship): LeaveOutcome {
    const { identity, state } = relationship;
    const statements = this.#parts.sources.ofRelationship(identity.id, state);
    return this.#settle(relationship, statements, connectorsOf(state.owners));
  }

  /** Puts a statement of a relationship with other sources. */
  #restate(input: RelationshipInput, relationship: KnownRelationship): UpsertOutcome {
    const { plan, sources } = this.#parts;
    const { identity, state } = relationship;
    const { id } = identity;
    const fields = relationshipFields(input.verb, input);
    const statements = sources.restated(sources.ofRelationship(id, state), fields);
    const before = sources.noted(id);
    const stated = sources.note(id, statements);
    if (plan.relationships.has(id)) {
      if (before !== undefined && isSameFields(before, stated)) return 'folded';
      throw this.#duplicate(id, input);
    }
    const content = this.#content(relationship, statements);
    const kept = sources.stated(id, state, { ...content, statements, spelledOut: 0 });
    plan.relationships.set(id, changeOf(relationship, content, kept));
    return content.isSame ? 'unchanged' : 'updated';
  }

  #settle(
    relationship: KnownRelationship,
    statements: readonly Statement[],
    connectors: readonly string[],
  ): LeaveOutcome {
    const { plan, sources } = this.#parts;
    const { identity, link, state } = relationship;
    const { verb, key, stamp } = state;
    const { id } = identity;
    if (statements.length === 0) {
      const kept = { stamp, owners: connectors, statements: undefined };
      plan.relationships.set(id, { kind: 'touch', ...identity, link, verb, key, ...kept });
      return 'kept';
    }
    const content = this.#content(relationship, statements);
    if (content.isSame && connectors.length === connectorsOf(state.owners).length) return 'kept';
    const kept = sources.left(id, state, { ...content, statements, spelledOut: 0, connectors });
    plan.relationships.set(id, changeOf(relationship, { ...content, isSame: kept.stamp === stamp }, kept));
    return content.isSame ? 'kept' : 'updated';
  }

  #content({ link }: KnownRelationship, statements: readonly Statement[]): Content {
    const { memory, sources } = this.#parts;
    const fields = sources.union(statements);
    const verb = verbOf(fields);
    const propertiesJson = encodeProperties(propertiesOf(fields), verb, kindsOf(fields));
    return { verb, propertiesJson, isSame: memory.hasSameProperties(link, verb, propertiesJson) };
  }

  #contentOf(input: RelationshipInput, live: RelationshipState | undefined): PatchedContent {
    return this.#parts.sources.isWhole ? input : mergeContent(live, input);
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
    throw this.#duplicate(id, input);
  }

  #duplicate(id: string, input: RelationshipInput): DomainError {
    const isDeleted = this.#parts.plan.relationships.get(id)?.kind === 'delete';
    const other = isDeleted ? 'is deleted in the same request' : 'comes twice with different content';
    const { from, verb, to, key } = input;
    return new DomainError('DUPLICATE_KEY', `relationship ${relationshipText(input)} ${other}`, {
      details: { from, verb, to, ...(key === undefined ? {} : { key }) },
    });
  }

  #touch(id: string, link: number, input: RelationshipInput, state: RelationshipState): void {
    const { plan, stamper } = this.#parts;
    const { from, verb, to, key } = input;
    const stamp = stamper.seen(state.stamp);
    const owners = stamper.joined(state.owners);
    plan.relationships.set(id, {
      kind: 'touch',
      id,
      link,
      from,
      verb,
      to,
      key,
      stamp,
      owners,
      statements: undefined,
    });
  }
}

function idOf(name: RelationshipKey): string {
  const { from, verb, to, key } = name;
  return relationshipId(entityId(from.type, from.key), verb, entityId(to.type, to.key), key);
}

function liveOf(state: RelationshipState | undefined): RelationshipState | undefined {
  return state?.isDeleted === false ? state : undefined;
}

/** The content of a relationship with several sources. */
interface Content {
  readonly verb: string;
  readonly propertiesJson: Uint8Array;
  readonly isSame: boolean;
}

function changeOf(
  { identity, link, state }: KnownRelationship,
  { verb, propertiesJson, isSame }: Content,
  kept: Kept,
): RelationshipChange {
  const content = { ...identity, link, verb, key: state.key, ...kept };
  return isSame ? { kind: 'touch', ...content } : { kind: 'put', ...content, propertiesJson };
}
