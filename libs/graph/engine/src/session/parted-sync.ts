import { entityId, relationshipId } from '#graph/model';
import { chunks, inTurns, type Steps } from '#platform/foundation';
import { traced } from '#platform/observability';
import { addedCounts, type PlanCounts } from '../plan/change-plan.ts';
import type { PlanContext } from '../plan/plan-context.ts';
import type { StatedRecords } from '../plan/drop-planner.ts';
import { RequestPlanner, type WithdrawnRecords } from '../plan/request-planner.ts';
import { WarningList } from '../plan/warning-list.ts';
import type { PartedSyncRequest } from '../request/requests.ts';
import type { GraphStore } from '../store/graph-store.ts';
import type { Prepared } from '../store/prepared.ts';
import { RecordIds } from './record-ids.ts';

/** Records that are withdrawn in one batch. */
const WITHDRAWN_MAX = 20_000;

/**
 * A sync of more records than a batch, or the memory, holds. It is checked as a whole, then what is stated is
 * written part by part, each an atomic batch that readers see at once, then what is no longer stated is
 * withdrawn in the same way. The caller writes the last batch, with the reply: a sync without a stored reply
 * has added some of its records, or all, and perhaps begun to delete; the next one of the source completes
 * it.
 */
export class PartedSync {
  readonly #store: GraphStore;
  readonly #request: PartedSyncRequest;
  readonly #context: () => PlanContext;
  readonly #warnings = new WarningList();
  #counts: PlanCounts | undefined;

  /** `context` is called in the turn of each part. */
  constructor(store: GraphStore, request: PartedSyncRequest, context: () => PlanContext) {
    this.#store = store;
    this.#request = request;
    this.#context = context;
  }

  /** Writes all but the last batch. Throws like a sync before it has written anything. */
  async write(): Promise<void> {
    const stated = await inTurns(this.#statedIds());
    const { leaving, ...withdrawn } = await this.#store.run(() => this.#prepareCheck(stated));
    for (const part of this.#request.parts()) await this.#write((planner) => planner.write(part), leaving);
    for (const part of partsOf(withdrawn)) await this.#write((planner) => planner.withdraw(part), leaving);
  }

  /** The planner of the last batch. */
  lastPlanner(context: PlanContext): RequestPlanner {
    return this.#plannerOf(context);
  }

  /** Of all batches, with those of the last one. */
  counts(last: PlanCounts): PlanCounts {
    return this.#counts === undefined ? last : addedCounts(this.#counts, last);
  }

  *#statedIds(): Steps<StatedRecords> {
    const entities = new RecordIds();
    const relationships = new RecordIds();
    for (const part of this.#request.parts()) {
      for (const { type, key } of part.entities) {
        entities.add(entityId(type, key));
        yield;
      }
      for (const { from, verb, to, key } of part.relationships) {
        const fromId = entityId(from.type, from.key);
        relationships.add(relationshipId(fromId, verb, entityId(to.type, to.key), key));
        yield;
      }
    }
    return { entities, relationships };
  }

  *#prepareCheck(
    stated: StatedRecords,
  ): Generator<undefined, Prepared<WithdrawnRecords & { readonly leaving: ReadonlySet<string> }>> {
    const planner = this.#plannerOf(this.#context());
    return { reply: yield* planner.withdrawn(this.#request, stated) };
  }

  async #write(
    plan: (planner: RequestPlanner) => Generator<undefined, PlanCounts>,
    leaving: ReadonlySet<string>,
  ): Promise<void> {
    const counts = await traced('ingest.part', () => this.#store.run(() => this.#preparePart(plan, leaving)));
    this.#counts = this.counts(counts);
  }

  *#preparePart(
    plan: (planner: RequestPlanner) => Generator<undefined, PlanCounts>,
    leaving: ReadonlySet<string>,
  ): Generator<undefined, Prepared<PlanCounts>> {
    this.#request.requireOpen?.();
    const planner = this.#plannerOf(this.#context(), leaving);
    const reply = yield* plan(planner);
    return { reply, plan: planner.plan, target: this.#request.connectorId };
  }

  #plannerOf(context: PlanContext, leaving?: ReadonlySet<string>): RequestPlanner {
    const options = { onDangling: 'skip', warnings: this.#warnings, leaving } as const;
    return new RequestPlanner(this.#store, context, options);
  }
}

/** Relationships first: their ends still exist then. */
function* partsOf({ entities, relationships }: WithdrawnRecords): Iterable<WithdrawnRecords> {
  for (const part of chunks(relationships, WITHDRAWN_MAX)) yield { entities: [], relationships: part };
  for (const part of chunks(entities, WITHDRAWN_MAX)) yield { entities: part, relationships: [] };
}
