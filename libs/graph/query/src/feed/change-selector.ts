import type { RecordChange } from '#graph/engine';
import type { GraphReader } from '#graph/execution';
import { encodeEntityHead, MemoryGraph, type Stamp } from '#graph/memory';
import type { Entity } from '#graph/model';
import type { Span } from '../ast/ast.ts';
import type { PreparedQuery } from '../execute/engine/prepared-query.ts';
import type { QueryEngine } from '../execute/engine/query-engine.ts';
import { syntaxFault } from '../syntax/fault.ts';

/** What a reader wants: all changes, or those of some entities. */
export interface ChangeFilter {
  /** Classes, types or labels, of which an entity has one. */
  readonly classes?: readonly string[] | undefined;
  /** PQL: `FIND` and one entity, with conditions or without. */
  readonly query?: string | undefined;
}

/** Numbers of the graphs of all selectors: an engine keeps plans by number. */
let version = 0;

/**
 * Chooses the changes of entities that a filter selects as they were before or are after. Queries run over a
 * graph of these states alone, with the query engine: conditions mean what they mean elsewhere.
 */
export class ChangeSelector {
  readonly #engine: QueryEngine;
  readonly #classes: readonly string[] | undefined;
  readonly #query: PreparedQuery | undefined;

  /** Throws PQL_SYNTAX, also for a query that is not about one entity. */
  constructor(engine: QueryEngine, filter: ChangeFilter) {
    this.#engine = engine;
    this.#classes = filter.classes;
    this.#query = filter.query === undefined ? undefined : engine.prepare(filter.query);
    if (this.#query !== undefined) requireOneEntity(this.#query);
  }

  /** The changes that are wanted, in order. */
  async select(changes: readonly RecordChange[]): Promise<readonly RecordChange[]> {
    if (this.#classes === undefined && this.#query === undefined) return changes;
    const named = changes.filter((change) => isTold(change, (entity) => this.#isNamed(entity)));
    if (this.#query === undefined) return named;
    const states = named.flatMap(({ before, after }) =>
      [before?.entity, after?.entity].filter((entity) => entity !== undefined),
    );
    const selected = await this.#selected(
      this.#query,
      states.filter((entity) => this.#isNamed(entity)),
    );
    return named.filter((change) => isTold(change, (entity) => selected.has(entity)));
  }

  #isNamed({ type, class: className, labels }: Entity): boolean {
    if (this.#classes === undefined) return true;
    return this.#classes.some(
      (name) => name === type || name === className || labels?.includes(name) === true,
    );
  }

  /** A graph has one state of each entity: further ones are in further graphs. */
  async #selected(query: PreparedQuery, states: readonly Entity[]): Promise<ReadonlySet<Entity>> {
    const selected = new Set<Entity>();
    for (let rest = states; rest.length > 0;) {
      const now = new Map<string, Entity>();
      const later: Entity[] = [];
      for (const state of rest) {
        if (now.has(state.id)) later.push(state);
        else now.set(state.id, state);
      }
      const snapshot = graphOf(now.values());
      const result = await this.#engine.run(snapshot, query);
      for (const node of result.entities(0, result.count)) {
        const state = now.get(String(snapshot.nodeField(node, '_id')));
        if (state !== undefined) selected.add(state);
      }
      rest = later;
    }
    return selected;
  }
}

/** Whether an entity was wanted before a change, or is after it; a forgotten record may be any reader's. */
function isTold({ before, after, forgotten }: RecordChange, isWanted: (entity: Entity) => boolean): boolean {
  if (forgotten !== undefined) return true;
  return [before?.entity, after?.entity].some((entity) => entity !== undefined && isWanted(entity));
}

function graphOf(entities: Iterable<Entity>): GraphReader {
  const graph = MemoryGraph.create({ sealIdleMs: 0 });
  version++;
  for (const entity of entities) {
    const { id, type, key, class: className, display_name: displayName, labels, properties } = entity;
    const input = { type, key, class: className, displayName, labels, properties };
    const head = encodeEntityHead(id, input);
    graph.putEntity(version, { id, head, input, stamp: stampOf(entity), owners: [] });
  }
  graph.publish(version);
  return graph.snapshot();
}

function stampOf({ source, created_at, updated_at, last_seen_at, version: number }: Entity): Stamp {
  return {
    connectorId: source.connector_id,
    syncId: source.sync_id,
    syncedAtMs: Date.parse(source.synced_at),
    createdAtMs: Date.parse(created_at),
    updatedAtMs: Date.parse(updated_at),
    lastSeenAtMs: Date.parse(last_seen_at),
    deletedAtMs: null,
    version: number,
  };
}

function requireOneEntity({ bound, text }: PreparedQuery): void {
  const { body, mode, asOf, parameters } = bound;
  const refuse = (what: string, span: Span): never => {
    const hint = 'changes are selected by FIND, one entity, and WITH';
    throw syntaxFault(text, span, `a selection of changes has no ${what}`, { hint });
  };
  const start = { start: 0, end: 0 };
  if (mode !== 'run') return refuse('EXPLAIN and no PROFILE', start);
  if (body.kind !== 'find') return refuse('paths and no blast radius', start);
  const [hop] = body.hops;
  if (hop !== undefined) return refuse('relationships', hop.span);
  if (asOf !== undefined) return refuse('AS OF', asOf.span);
  const [parameter] = parameters;
  if (parameter !== undefined) return refuse('parameters', parameter.span);
  const { where, grouping, returns, orderBy, skip, limit } = body;
  const isPlain = [where, grouping, returns, orderBy[0], skip, limit].every((clause) => clause === undefined);
  const rest = { start: Math.min(body.node.span.end, text.length), end: text.length };
  if (!isPlain) return refuse('clause after the entity', rest);
}
