import { type Graph, type GraphSnapshot } from '#graph/engine';
import { memoryMaxOf, type ExecutionSettings, type QueryScheduler } from '#graph/execution';
import type { Warning } from '#graph/model';
import { type Clock, DomainError, type HangUp } from '#platform/foundation';
import { SnapshotGraph, valueOfJson } from '../graph/snapshot-graph.ts';
import { parse } from '../parser/parse.ts';
import { type CompiledQuery, compileStatement, updatingClause } from '../query/compile-query.ts';
import { single } from '../stage/stage.ts';
import { SyntaxFault } from '../syntax/fault.ts';
import type { Value } from '../value/value.ts';
import type { CypherRequest } from './cypher-request.ts';
import { jsonValueOf } from './json-value.ts';
import { StatementRun } from './statement-run.ts';

/** What a statement has changed; all 0 for one that reads. */
export interface Counters {
  readonly nodes_created: number;
  readonly nodes_deleted: number;
  readonly relationships_created: number;
  readonly relationships_deleted: number;
  readonly properties_set: number;
  readonly labels_added: number;
  readonly labels_removed: number;
}

export interface CypherReply {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly counters: Counters;
  readonly warnings: readonly Warning[];
  readonly snapshot_version: number;
}

const NOTHING_CHANGED: Counters = {
  nodes_created: 0,
  nodes_deleted: 0,
  relationships_created: 0,
  relationships_deleted: 0,
  properties_set: 0,
  labels_added: 0,
  labels_removed: 0,
};

export interface CypherServiceParts {
  readonly graph: Graph;
  readonly scheduler: QueryScheduler;
  readonly settings: ExecutionSettings;
  readonly clock: Clock;
}

/** Runs statements of Cypher on snapshots of the graph; they read. */
export class CypherService {
  readonly #parts: CypherServiceParts;

  constructor(parts: CypherServiceParts) {
    this.#parts = parts;
  }

  /**
   * The whole result; more than `limit` rows are QUERY_TOO_LARGE. Throws CYPHER_SYNTAX before anything runs,
   * CYPHER_FAILED for values, QUERY_TIMEOUT, TOO_BUSY.
   */
  async run(request: CypherRequest, hangUp: HangUp): Promise<CypherReply> {
    const { compiled, rows, snapshot } = await this.#collect(request, hangUp, request.limit);
    try {
      return replyOf(compiled, rows, snapshot);
    } finally {
      snapshot.release();
    }
  }

  /** The whole result as lines, one object for each row, and a last line that says that it is complete. */
  async lines(request: CypherRequest, hangUp: HangUp): Promise<AsyncGenerator<string>> {
    const found = await this.#collect(request, hangUp, Infinity, refuseReservedColumns);
    return this.#linesOf(found);
  }

  async #collect(
    { cypher, params, timeoutMs }: CypherRequest,
    hangUp: HangUp,
    limit: number,
    check?: (compiled: CompiledQuery) => void,
  ): Promise<CollectedResult> {
    const { graph, scheduler, settings, clock } = this.#parts;
    const compiled = compileText(cypher);
    check?.(compiled);
    const allowedMs = Math.min(timeoutMs ?? Infinity, settings.queryTimeout);
    const deadlineMs = clock.monotonicMs() + allowedMs;
    const turns = scheduler.admit({ deadlineMs, signal: hangUp });
    let snapshot: GraphSnapshot | undefined;
    try {
      await turns.begin();
      snapshot = graph.snapshot();
      const memoryMax = memoryMaxOf(settings);
      const limits = { clock, deadlineMs, timeoutMs: allowedMs, signal: hangUp, memoryMax };
      const run = new StatementRun(new SnapshotGraph(snapshot), parametersOf(params), limits);
      return { compiled, rows: await collected(compiled, run, { turns, limit }), snapshot };
    } catch (error) {
      snapshot?.release();
      throw error;
    } finally {
      turns.leave();
    }
  }

  async *#linesOf({ compiled: { columns = [] }, rows, snapshot }: CollectedResult): AsyncGenerator<string> {
    const names = columns.map(({ name }) => name);
    try {
      for (const [index, row] of rows.entries()) {
        if (index % ROWS_PER_CHUNK === 0) await this.#parts.scheduler.turn();
        const cells = row.map((value, at) => [names[at] ?? '', jsonValueOf(value, snapshot)] as const);
        yield `${JSON.stringify(Object.fromEntries(cells))}\n`;
      }
      yield `${JSON.stringify({ end: true, count: rows.length })}\n`;
    } finally {
      snapshot.release();
    }
  }
}

interface CollectedResult {
  readonly compiled: CompiledQuery;
  readonly rows: Collected;
  /** To be released by the caller. */
  readonly snapshot: GraphSnapshot;
}

/** Rows that are written between two turns of others. */
const ROWS_PER_CHUNK = 64;

/** The names that tell the last line of a stream from its rows. */
function refuseReservedColumns({ columns = [] }: CompiledQuery): void {
  const column = columns.find(({ name }) => name === 'end' || name === 'error');
  if (column === undefined) return;
  throw new DomainError(
    'INVALID_REQUEST',
    `a stream cannot have a column \`${column.name}\`: that name marks a line that is not a row; write AS and another name`,
    { details: { field: 'cypher' } },
  );
}

function compileText(text: string): CompiledQuery {
  const { mode, query } = parse(text);
  try {
    const update = updatingClause(query);
    if (update !== undefined) {
      const what = update.kind.toUpperCase();
      throw new SyntaxFault(
        'NotSupported',
        update.span,
        `${what} is not supported yet: statements only read`,
      );
    }
    if (mode !== 'run')
      throw new SyntaxFault('NotSupported', query.span, `${mode.toUpperCase()} is not supported yet`);
    return compileStatement(query);
  } catch (error) {
    throw error instanceof SyntaxFault ? error.toDomainError(text) : error;
  }
}

function parametersOf(params: CypherRequest['params']): ReadonlyMap<string, Value> {
  return new Map(Object.entries(params).map(([name, json]) => [name, valueOfJson(json)]));
}

type ScheduledTurns = ReturnType<QueryScheduler['admit']>;
type Collected = (readonly Value[])[];

async function collected(
  { stage, columns = [] }: CompiledQuery,
  run: StatementRun,
  { turns, limit }: { readonly turns: ScheduledTurns; readonly limit: number },
): Promise<Collected> {
  const slots = columns.map(({ slot }) => slot);
  let rows: Collected = [];
  const take = (row: readonly Value[]): void => {
    if (rows.length >= limit) throw tooManyRows(limit);
    run.hold(slots.length);
    rows.push(slots.map((slot) => row[slot] ?? null));
  };
  await run.takeAll(
    () => stage(single([]), run),
    turns,
    take,
    () => (rows = []),
  );
  return rows;
}

function tooManyRows(limit: number): DomainError {
  return new DomainError(
    'QUERY_TOO_LARGE',
    `the statement has more than ${limit} rows: add LIMIT, raise "limit" (at most 10000), or ask for application/x-ndjson`,
    { details: { limit } },
  );
}

function replyOf({ columns = [] }: CompiledQuery, rows: Collected, snapshot: GraphSnapshot): CypherReply {
  return {
    columns: columns.map(({ name }) => name),
    rows: rows.map((row) => row.map((value) => jsonValueOf(value, snapshot))),
    counters: NOTHING_CHANGED,
    warnings: [],
    snapshot_version: snapshot.snapshotVersion,
  };
}
