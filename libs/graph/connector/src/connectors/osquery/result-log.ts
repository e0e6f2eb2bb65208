/**
 * The log of results of osqueryd, one JSON object on each line: changes as events or in batches, snapshots
 * (https://osquery.readthedocs.io/en/stable/deployment/logging/). What it says in the end is kept, not how it
 * came about.
 */
import { type JsonObject } from '#graph/model';
import { DomainError } from '#platform/foundation';
import { parseJsonObject, scalarText } from '../document/json-text.ts';

/** Columns of one row, as texts. */
export type Row = Readonly<Record<string, string>>;

export interface QueryResult {
  readonly host: string;
  /** The name of the query in the schedule or a pack. */
  readonly query: string;
  readonly rows: readonly Row[];
  /** Why there may have been other rows: a part of the log is missing, or what it says is ambiguous. */
  readonly doubt: string | undefined;
}

/** A row with its columns in order, as a text. */
interface KeyedRow {
  readonly key: string;
  readonly row: Row;
}

/** What one execution of a query has changed: its lines have one time and one counter. */
interface Run {
  readonly unixTime: string;
  /** Up to 64 bits. */
  readonly epoch: string;
  /** Undefined before osquery counted; 0 where it states rows anew. */
  readonly counter: number | undefined;
  readonly added: KeyedRow[];
  readonly removed: KeyedRow[];
}

interface QueryState {
  readonly host: string;
  readonly query: string;
  /** The one whose lines are being read. */
  run: Run | undefined;
  /** The last one before it. */
  last: Pick<Run, 'epoch' | 'counter'> | undefined;
  /** Of a snapshot whose rows are lines of their own. */
  snapshot: string | undefined;
  doubt: string | undefined;
  /** Rows by their text, with how often they are there. */
  readonly rows: Map<string, { readonly row: Row; count: number }>;
}

const WHAT = 'a line of results of osquery';
const NO_BEGINNING = 'expected the log from its beginning (counter 0); name a pattern with the rotated logs';

export class ResultLog {
  readonly #states = new Map<string, QueryState>();

  /** Throws INVALID_REQUEST for a line that is no result. */
  read(text: string): void {
    const line = parseJsonObject(text, WHAT);
    const { name: query, hostIdentifier: host, action, diffResults, snapshot } = line;
    if (typeof query !== 'string' || query === '' || typeof host !== 'string' || host === '')
      throw fault('a "name" and a "hostIdentifier"');
    const state = this.#stateOf(host, query);
    if (diffResults !== undefined) changeAll(runOf(state, line), diffResults);
    else if (action === 'snapshot') replace(state, line, snapshot);
    else if (action === 'added' || action === 'removed')
      runOf(state, line)[action].push(keyed(rowOf(line['columns'])));
    else throw fault('"diffResults", or the "action" added, removed or snapshot');
  }

  *results(): Iterable<QueryResult> {
    for (const state of this.#states.values()) {
      finish(state);
      const { host, query, doubt, rows } = state;
      yield { host, query, doubt, rows: Array.from(rows.values(), ({ row }) => row) };
    }
  }

  #stateOf(host: string, query: string): QueryState {
    const key = `${host}\0${query}`;
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    const nothing = { run: undefined, last: undefined, snapshot: undefined, doubt: undefined };
    const state = { host, query, ...nothing, rows: new Map() };
    this.#states.set(key, state);
    return state;
  }
}

/** The run of a line: another one begins with another time, epoch or counter. */
function runOf(state: QueryState, { unixTime, epoch: ofEpoch, counter: count }: JsonObject): Run {
  const time = scalarText(unixTime);
  const epoch = digitsOf('epoch', ofEpoch) ?? '0';
  const digits = digitsOf('counter', count);
  const counter = digits === undefined ? undefined : Number(digits);
  const { run } = state;
  if (run?.unixTime === time && run.epoch === epoch && run.counter === counter) return run;
  finish(state);
  const begun = { unixTime: time, epoch, counter, added: [], removed: [] };
  state.run = begun;
  return begun;
}

/** Takes over what the run has changed. */
function finish(state: QueryState): void {
  const { run } = state;
  if (run === undefined) return;
  compare(state, run);
  remove(state, run.removed);
  for (const row of run.added) add(state, row);
  Object.assign(state, { run: undefined, last: run, snapshot: undefined });
}

/** Whether the run goes on from the rows before, or begins anew. */
function compare(state: QueryState, run: Run): void {
  const { last, snapshot } = state;
  if (snapshot !== undefined || last === undefined || last.epoch !== run.epoch) begin(state, run.counter);
  else if (run.counter === undefined || last.counter === undefined) return;
  else if (run.counter === 0) restate(state, run, last.counter);
  // It has stated its rows anew meanwhile, and there were none, or a part of the log is missing.
  else if (run.counter < last.counter) begin(state, run.counter);
}

function remove(state: QueryState, removed: readonly KeyedRow[]): void {
  const { rows } = state;
  const keys = removed.map(({ key }) => key);
  const before = new Set(keys.filter((key) => rows.has(key)));
  for (const key of keys) {
    const known = rows.get(key);
    if (!before.has(key)) state.doubt ??= 'it removes rows that it has not added: expected the whole log';
    if (known !== undefined && --known.count === 0) rows.delete(key);
  }
}

function begin(state: QueryState, counter: number | undefined): void {
  state.rows.clear();
  state.doubt = counter === undefined || counter === 0 ? undefined : NO_BEGINNING;
}

/**
 * A counter of 0 again: all rows, since osquery has lost its database; or, since the text of the query is
 * another, only what differs from the rows before. Queries of events always have it, with new rows each time
 * (ADR 0591).
 */
function restate(state: QueryState, { added, removed }: Run, lastCounter: number): void {
  const { rows } = state;
  if (removed.length > 0 || rows.size === 0) return;
  const keys = new Set(added.map(({ key }) => key));
  const repeats = [...rows.keys()].filter((key) => keys.has(key)).length;
  const isAmbiguous = repeats === 0 ? lastCounter > 0 : lastCounter === 0 && repeats < rows.size;
  if (isAmbiguous) state.doubt ??= 'it has a counter of 0 again, and may begin anew or go on';
  // Rows that are there cannot be added: those that are repeated are stated anew.
  if (repeats > 0 && !isAmbiguous) begin(state, 0);
  else for (const key of keys) rows.delete(key);
}

/** `""` stands for no rows. */
function changeAll(run: Run, diff: unknown): void {
  if (typeof diff !== 'object' || diff === null) throw fault('"diffResults" with "added" and "removed"');
  const { added, removed } = diff as JsonObject;
  for (const row of rowsOf(removed)) run.removed.push(keyed(row));
  for (const row of rowsOf(added)) run.added.push(keyed(row));
}

function replace(state: QueryState, line: JsonObject, snapshot: unknown): void {
  finish(state);
  const stamp = `${scalarText(line['unixTime'])} ${scalarText(line['counter'])}`;
  // With `columns`, each row has a line of its own.
  const isRow = snapshot === undefined && line['columns'] !== undefined;
  if (!isRow && snapshot === undefined) throw fault('a "snapshot" or "columns"');
  if (!isRow || state.snapshot !== stamp) state.rows.clear();
  state.snapshot = stamp;
  state.doubt = undefined;
  for (const row of isRow ? [rowOf(line['columns'])] : rowsOf(snapshot)) add(state, keyed(row));
}

function add({ rows }: QueryState, { key, row }: KeyedRow): void {
  const known = rows.get(key);
  if (known === undefined) rows.set(key, { row, count: 1 });
  else known.count++;
}

function keyed(row: Row): KeyedRow {
  return { key: JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))), row };
}

/** Older versions of osquery write numbers as texts. */
function digitsOf(name: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const isText = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
  const text = isText ? String(value) : '';
  if (/^\d{1,20}$/.test(text)) return text.replace(/^0+(?=\d)/, '');
  throw fault(`a whole number as "${name}"`);
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
