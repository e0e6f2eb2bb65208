import type { QueryScheduler } from '#graph/execution';
import type { Warning } from '#graph/model';
import { DomainError, type HangUp } from '#platform/foundation';
import { valueOfJson } from '../graph/snapshot-graph.ts';
import type { Counters } from '../overlay/counters.ts';
import type { CypherRequest } from './cypher-request.ts';
import type { PlanOperator } from './plan-operator.ts';
import { jsonValueOf } from './json-value.ts';
import type { TransactionOptions } from './transaction.port.ts';
import type { DoorLimits, DocumentedResult, TransactionService } from './transaction-service.ts';

export interface CypherReply {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly counters: Counters;
  readonly warnings: readonly Warning[];
  readonly snapshot_version: number;
  /** After EXPLAIN and PROFILE. */
  readonly plan?: PlanOperator;
}

/** What the caller may run, and what exists for him. */
export type StatementAccess = Pick<TransactionOptions, 'admit' | 'scope'>;

/** Single statements, each in a transaction of its own, with results in JSON. */
export class CypherService {
  readonly #transactions: TransactionService;
  readonly #scheduler: QueryScheduler;

  constructor(transactions: TransactionService, scheduler: QueryScheduler) {
    this.#transactions = transactions;
    this.#scheduler = scheduler;
  }

  /**
   * The whole result; more than `limit` rows are QUERY_TOO_LARGE. Throws the errors of
   * {@link TransactionService}.
   */
  async run(request: CypherRequest, hangUp: HangUp, access: StatementAccess = {}): Promise<CypherReply> {
    const { limit } = request;
    const admitRow = (rowsSoFar: number): void => {
      if (rowsSoFar >= limit) throw tooManyRows(limit);
    };
    return replyOf(await this.#run(request, { hangUp, access }, { admitRow }));
  }

  /** The whole result as lines, one object for each row, and a last line that says that it is complete. */
  async lines(
    request: CypherRequest,
    hangUp: HangUp,
    access: StatementAccess = {},
  ): Promise<AsyncGenerator<string>> {
    return this.#linesOf(await this.#run(request, { hangUp, access }, { admitColumns: refuseReserved }));
  }

  #run(
    request: CypherRequest,
    { hangUp, access }: { readonly hangUp: HangUp; readonly access: StatementAccess },
    limits: DoorLimits,
  ): Promise<DocumentedResult> {
    const { cypher: text, params, timeoutMs, asOf } = request;
    const parameters = new Map(Object.entries(params).map(([name, json]) => [name, valueOfJson(json)]));
    return this.#transactions.runForDocuments(
      { text, parameters },
      { access: 'write', timeoutMs, asOf, ...access },
      hangUp,
      limits,
    );
  }

  async *#linesOf({ result, documents }: DocumentedResult): AsyncGenerator<string> {
    const { columns, remaining: count } = result;
    while (result.remaining > 0) {
      await this.#scheduler.turn();
      for (const row of result.takeNow(ROWS_PER_CHUNK)) {
        const cells = row.map((value, at) => [columns[at] ?? '', jsonValueOf(value, documents)] as const);
        yield `${JSON.stringify(Object.fromEntries(cells))}\n`;
      }
    }
    yield `${JSON.stringify({ end: true, count })}\n`;
  }
}

/** Rows that are written between two turns of others. */
const ROWS_PER_CHUNK = 64;

/** The names that tell the last line of a stream from its rows. */
function refuseReserved(names: readonly string[]): void {
  const name = names.find((each) => each === 'end' || each === 'error');
  if (name === undefined) return;
  throw new DomainError(
    'INVALID_REQUEST',
    `a stream cannot have a column \`${name}\`: that name marks a line that is not a row; write AS and another name`,
    { details: { field: 'cypher' } },
  );
}

function tooManyRows(limit: number): DomainError {
  return new DomainError(
    'QUERY_TOO_LARGE',
    `the statement has more than ${limit} rows: add LIMIT, raise "limit" (at most 10000), or ask for application/x-ndjson`,
    { details: { limit } },
  );
}

function replyOf({ result, documents }: DocumentedResult): CypherReply {
  const { columns, summary } = result;
  return {
    columns,
    rows: result.takeNow(Infinity).map((row) => row.map((value) => jsonValueOf(value, documents))),
    counters: summary.counters,
    warnings: summary.notifications.flatMap(({ warning }) => warning ?? []),
    ...(summary.plan !== undefined && { plan: summary.plan.root }),
    snapshot_version: documents.snapshotVersion,
  };
}
