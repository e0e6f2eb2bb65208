/**
 * The log of results of osqueryd, one JSON object on each line: changes as events or in batches, snapshots
 * (https://osquery.readthedocs.io/en/stable/deployment/logging/). What it says in the end is kept, not how it
 * came about.
 */
import { type JsonObject } from '#graph/model';
import { DomainError } from '#platform/foundation';
import { parseJsonObject } from '../document/json-text.ts';

/** Columns of one row, as texts. */
export type Row = Readonly<Record<string, string>>;

export interface QueryResult {
  readonly host: string;
  /** The name of the query in the schedule or a pack. */
  readonly query: string;
  readonly rows: readonly Row[];
  /** Whether the log begins after the query has: rows from before are unknown. */
  readonly isPartial: boolean;
}

interface QueryState {
  readonly host: string;
  readonly query: string;
  epoch: number;
  counter: number;
  isPartial: boolean;
  /** Of a snapshot whose rows are lines of their own. */
  snapshot: string | undefined;
  /** Rows by their text, with how often they are there. */
  readonly rows: Map<string, { readonly row: Row; count: number }>;
}

const WHAT = 'a line of results of osquery';

export class ResultLog {
  readonly #states = new Map<string, QueryState>();
  #unknownCount = 0;

  /** Rows that were removed and had never been added. */
  get unknownCount(): number {
    return this.#unknownCount;
  }

  /** Throws INVALID_REQUEST for a line that is no result. */
  read(text: string): void {
    const line = parseJsonObject(text, WHAT);
    const { name: query, hostIdentifier: host, action, diffResults, snapshot } = line;
    if (typeof query !== 'string' || query === '' || typeof host !== 'string' || host === '')
      throw fault('a "name" and a "hostIdentifier"');
    const state = this.#stateOf(host, query, line);
    if (diffResults !== undefined) this.#changeAll(state, diffResults);
    else if (action === 'snapshot') this.#replace(state, line, snapshot);
    else if (action === 'added' || action === 'removed') this.#change(state, action, rowOf(line['columns']));
    else throw fault('"diffResults", or the "action" added, removed or snapshot');
  }

  *results(): Iterable<QueryResult> {
    for (const { host, query, rows, isPartial } of this.#states.values())
      yield { host, query, isPartial, rows: Array.from(rows.values(), ({ row }) => row) };
  }

  #stateOf(host: string, query: string, { epoch, counter, action }: JsonObject): QueryState {
    const key = `${host}\0${query}`;
    const known = this.#states.get(key);
    const number = typeof epoch === 'number' ? epoch : Number(epoch ?? 0);
    const count = Number(counter ?? 0);
    const isFirst = count === 0;
    if (known === undefined) {
      const isPartial = !isFirst && action !== 'snapshot';
      const state = {
        host,
        query,
        epoch: number,
        counter: count,
        isPartial,
        snapshot: undefined,
        rows: new Map(),
      };
      this.#states.set(key, state);
      return state;
    }
    // Osquery states everything again: it was restarted without its database, or was told to.
    if (number !== known.epoch || (isFirst && known.counter > 0 && action !== 'snapshot')) {
      known.rows.clear();
      known.epoch = number;
      known.isPartial = !isFirst && action !== 'snapshot';
    }
    known.counter = count;
    return known;
  }

  /** `""` stands for no rows. */
  #changeAll(state: QueryState, diff: unknown): void {
    if (typeof diff !== 'object' || diff === null) throw fault('"diffResults" with "added" and "removed"');
    const { added, removed } = diff as JsonObject;
    for (const row of rowsOf(removed)) this.#change(state, 'removed', row);
    for (const row of rowsOf(added)) this.#change(state, 'added', row);
  }

  #replace(state: QueryState, line: JsonObject, snapshot: unknown): void {
    const stamp = `${String(line['unixTime'])} ${String(line['counter'])}`;
    // With `columns`, each row has a line of its own.
    const isRow = snapshot === undefined && line['columns'] !== undefined;
    if (!isRow || state.snapshot !== stamp) state.rows.clear();
    state.snapshot = stamp;
    state.isPartial = false;
    const rows = isRow ? [rowOf(line['columns'])] : rowsOf(snapshot);
    for (const row of rows) this.#change(state, 'added', row);
  }

  #change({ rows }: QueryState, action: 'added' | 'removed', row: Row): void {
    const key = JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
    const known = rows.get(key);
    if (action === 'added') {
      if (known === undefined) rows.set(key, { row, count: 1 });
      else known.count++;
    } else if (known === undefined) this.#unknownCount++;
    else if (--known.count === 0) rows.delete(key);
  }
}

function rowsOf(value: unknown): readonly Row[] {
  if (value === undefined || value === '') return [];
  if (!Array.isArray(value)) throw fault('a list of rows');
  return value.map(rowOf);
}

/** Numbers, where osquery writes them as such, are texts as well. */
function rowOf(value: unknown): Row {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw fault('a row with "columns"');
  const cells = Object.entries(value).flatMap(([name, cell]: [string, unknown]) => {
    if (cell === null) return [];
    if (typeof cell !== 'string' && typeof cell !== 'number' && typeof cell !== 'bigint')
      throw fault(`a text or a number in the column ${name.slice(0, 100)}`);
    return [[name, String(cell)] as const];
  });
  return Object.fromEntries(cells);
}

function fault(expected: string): DomainError {
  return new DomainError('INVALID_REQUEST', `expected ${expected} in ${WHAT}, got something else`);
}
