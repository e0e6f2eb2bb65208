/**
 * Plans whole requests. Order matters: deletes first, so that nothing refers to deleted entities; then
 * entities, then the stubs that relationships need, then the deletions of a full sync, and relationships
 * last, when the remaining entities are known.
 */
import type { MemoryGraph } from '#graph/memory';
import {
  createProperties,
  entityId,
  type EntityKey,
  type EntityStatement,
  type RelationshipInput,
  UNLABELLED,
} from '#graph/model';
import { DomainError } from '#platform/foundation';
import type {
  DanglingPolicy,
  DeleteRequest,
  SafetyValve,
  SyncRequest,
  SyncScope,
} from '../request/requests.ts';
import { connectorsOf } from '../source/owner-marks.ts';
import type { SourceTable } from '../source/source-table.ts';
import { ChangePlan, type PlanCounts, planCounts, UpsertTally } from './change-plan.ts';
import { linkIdentity } from './deleted-relationship.ts';
import { DropPlanner, type DropPlannerParts, ROWS_PER_SLICE, type StatedRecords } from './drop-planner.ts';
import { EntityPlanner, type PlannerParts } from './entity-planner.ts';
import type { PlanContext } from './plan-context.ts';
import { RelationshipPlanner } from './relationship-planner.ts';
import { SourcePlanner } from './source-planner.ts';
import { Stamper } from './stamper.ts';
import { entityText, relationshipText, WarningList } from './warning-list.ts';

/** The handling of relationships with a missing end; `collect` receives each one's position in the list. */
export type DanglingHandling = DanglingPolicy | { collect(index: number, error: DomainError): void };

export interface Upserts {
  readonly entities: readonly EntityStatement[];
  readonly relationships: readonly RelationshipInput[];
}

/** Ids of records that a source no longer states. */
export interface WithdrawnRecords {
  readonly entities: readonly string[];
  readonly relationships: readonly string[];
}

export interface PlannerOptions {
  readonly onDangling: DanglingHandling;
  /** Fits the context. */
  readonly stamper?: Stamper | undefined;
  /** Of all parts of a sync. */
  readonly warnings?: WarningList | undefined;
  /** Entities that a later part deletes: no relationship may lead to them. */
  readonly leaving?: ReadonlySet<string> | undefined;
}

/** The state on which a plan is based: the latest one, durable or not. */
export interface PlanGround {
  readonly memory: MemoryGraph;
  readonly sources: SourceTable;
}

export class RequestPlanner {
  readonly plan = new ChangePlan();
  readonly warnings: WarningList;
  readonly #context: PlanContext;
  readonly #parts: PlannerParts;
  readonly #entities: EntityPlanner;
  readonly #relationships: RelationshipPlanner;
  readonly #onDangling: DanglingHandling;
  readonly #entityTally = new UpsertTally();
  readonly #relationshipTally = new UpsertTally();

  constructor(ground: PlanGround, context: PlanContext, options: PlannerOptions) {
    const { onDangling, stamper = new Stamper(context), warnings = new WarningList(), leaving } = options;
    const { plan } = this;
    const { memory } = ground;
    const sources = new SourcePlanner(context, stamper, ground.sources);
    this.warnings = warnings;
    this.#context = context;
    this.#parts = { memory, plan, stamper, sources, warnings, leaving };
    this.#entities = new EntityPlanner(this.#parts);
    this.#relationships = new RelationshipPlanner(this.#parts, this.#entities);
    this.#onDangling = onDangling;
  }

  /** Yields regularly, so that the caller can run other work. */
  *write(
    request: Upserts & { readonly delete?: DeleteRequest | undefined },
  ): Generator<undefined, PlanCounts> {
    for (const reference of request.delete?.relationships ?? []) this.#relationships.delete(reference);
    for (const reference of request.delete?.entities ?? []) this.#entities.delete(reference);
    yield* this.#upsertEntities(request.entities);
    if (this.#onDangling === 'stub') yield* this.#stubEnds(request.relationships, new UpsertTally());
    yield* this.#upsertRelationships(request.relationships);
    return this.#counts();
  }

  *sync(request: SyncRequest): Generator<undefined, PlanCounts> {
    const parts = this.#dropParts(request);
    yield* this.#upsertEntities(request.entities);
    if (this.#onDangling === 'stub') yield* this.#stubEnds(request.relationships, this.#entityTally);
    if (request.mode === 'patch') yield* this.#upsertRelationships(request.relationships);
    else yield* this.#diff(request, parts);
    if (this.#parts.sources.isReranked) yield* this.#rerank(parts);
    return this.#counts();
  }

  *#diff(request: SyncRequest, parts: DropPlannerParts): Generator<undefined, void> {
    const drops = new DropPlanner(parts);
    this.#entityTally.updated += yield* drops.dropEntities(request);
    yield* this.#upsertRelationships(request.relationships);
    this.#relationshipTally.updated += yield* drops.dropRelationships(request);
  }

  /**
   * What the source of a sync in parts withdraws, and which entities are deleted with that. Throws like a
   * sync, before its first part is written.
   */
  *withdrawn(
    request: SyncScope & SafetyValve,
    stated: StatedRecords,
  ): Generator<undefined, WithdrawnRecords & { readonly leaving: ReadonlySet<string> }> {
    const drops = new DropPlanner({ ...this.#dropParts(request), stated });
    yield* drops.dropEntities(request);
    yield* drops.dropRelationships(request);
    const { entities, relationships } = this.plan;
    const leaving = new Set<string>();
    for (const [id, { kind }] of entities) if (kind === 'delete') leaving.add(id);
    return { entities: [...entities.keys()], relationships: [...relationships.keys()], leaving };
  }

  /** Ends the statements of this source on records that it still has. */
  *withdraw({ entities, relationships }: WithdrawnRecords): Generator<undefined, PlanCounts> {
    for (const [index, id] of relationships.entries()) {
      if (this.#relationships.withdrawById(id) === 'updated') this.#relationshipTally.updated++;
      if (index % ROWS_PER_SLICE === ROWS_PER_SLICE - 1) yield;
    }
    for (const [index, id] of entities.entries()) {
      if (this.#entities.withdrawById(id) === 'updated') this.#entityTally.updated++;
      if (index % ROWS_PER_SLICE === ROWS_PER_SLICE - 1) yield;
    }
    return this.#counts();
  }

  /** Applies the source's new priority to the records that it shares with others. */
  *rerank(scope: SyncScope): Generator<undefined, PlanCounts> {
    if (this.#parts.sources.isReranked) yield* this.#rerank(this.#dropParts(scope));
    return this.#counts();
  }

  #dropParts(scope: SyncScope): DropPlannerParts {
    return {
      memory: this.#parts.memory,
      plan: this.plan,
      connectorId: this.#context.connectorId,
      entities: this.#entities,
      relationships: this.#relationships,
      scope,
    };
  }

  *#rerank(parts: DropPlannerParts): Generator<undefined, void> {
    const { connectorId, priority } = this.#context;
    if (priority !== undefined) this.plan.priority = { connectorId, priority };
    this.#entityTally.updated += yield* rerankEntities(parts);
    this.#relationshipTally.updated += yield* rerankRelationships(parts);
  }

  *#upsertEntities(statements: readonly EntityStatement[]): Generator<undefined, void> {
    for (let index = 0; index < statements.length; index++) {
      const statement = statements[index];
      if (statement !== undefined) this.#entityTally.add(this.#entities.upsert(statement));
      if (index % ROWS_PER_SLICE === ROWS_PER_SLICE - 1) yield;
    }
  }

  /** `seen` counts existing ends: a sync has seen them, a write does not write them. */
  *#stubEnds(relationships: readonly RelationshipInput[], seen: UpsertTally): Generator<undefined, void> {
    for (const [index, relationship] of relationships.entries()) {
      for (const end of [relationship.from, relationship.to]) {
        if (end.type === UNLABELLED) continue;
        const outcome = this.#entities.stub(bare(end));
        (outcome === 'unchanged' ? seen : this.#entityTally).add(outcome);
      }
      if (index % ROWS_PER_SLICE === ROWS_PER_SLICE - 1) yield;
    }
  }

  *#upsertRelationships(inputs: readonly RelationshipInput[]): Generator<undefined, void> {
    for (let index = 0; index < inputs.length; index++) {
      const input = inputs[index];
      if (input !== undefined) this.#upsertRelationship(input, index);
      if (index % ROWS_PER_SLICE === ROWS_PER_SLICE - 1) yield;
    }
  }

  #upsertRelationship(input: RelationshipInput, index: number): void {
    const outcome = this.#relationships.upsert(input);
    if (outcome !== 'dangling') this.#relationshipTally.add(outcome);
    else if (this.#onDangling === 'skip') this.warnings.skipped(input);
    else if (typeof this.#onDangling === 'object')
      this.#onDangling.collect(index, this.#danglingError(input));
    else throw this.#danglingError(input);
  }

  #danglingError(input: RelationshipInput): DomainError {
    const { from, verb, to } = input;
    const missing = [from, to].filter((end) => this.#entities.end(end.type, end.key) === undefined);
    const message = `relationship ${relationshipText(input)}: there is no ${missing.map(entityText).join(', no ')}`;
    return new DomainError('DANGLING_RELATIONSHIP', message, { details: { from, verb, to, missing } });
  }

  #counts(): PlanCounts {
    return planCounts(this.plan, this.#entityTally, this.#relationshipTally);
  }
}

function bare(end: EntityKey): EntityStatement {
  return {
    type: end.type,
    key: end.key,
    class: undefined,
    displayName: undefined,
    properties: createProperties(),
  };
}

/* Recomputes records with several sources after a change of a source's priority. */

/** Reranks records without a change in the plan; yields regularly. Returns the number of changed ones. */
function* rerankEntities(parts: DropPlannerParts): Generator<undefined, number> {
  const { memory, connectorId, plan, entities } = parts;
  let rows = 0;
  let updated = 0;
  for (const node of memory.ownedEntities(connectorId)) {
    if (++rows % ROWS_PER_SLICE === 0) yield;
    const state = memory.entityState(node);
    if (connectorsOf(state.owners).length === 1) continue;
    const id = entityId(state.type, state.key);
    if (!plan.entities.has(id) && entities.rerank({ id, node, state }) === 'updated') updated++;
  }
  return updated;
}

function* rerankRelationships(parts: DropPlannerParts): Generator<undefined, number> {
  const { memory, connectorId, plan, relationships } = parts;
  let rows = 0;
  let updated = 0;
  for (const link of memory.ownedRelationships(connectorId)) {
    if (++rows % ROWS_PER_SLICE === 0) yield;
    const state = memory.relationshipState(link);
    if (connectorsOf(state.owners).length === 1) continue;
    const identity = linkIdentity(memory, state);
    if (plan.relationships.has(identity.id)) continue;
    if (relationships.rerank({ identity, link, state }) === 'updated') updated++;
  }
  return updated;
}
