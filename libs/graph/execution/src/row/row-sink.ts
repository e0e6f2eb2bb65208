/** The target of enumerated rows: a table, or a count. */
import { DomainError } from '#platform/foundation';
import type { ExecutionContext } from '../context/execution-context.ts';
import { RowTable } from './row-table.ts';

export interface RowSink {
  /**
   * Adds a row (valid during the call only) and the number of rows it represents; true if no more are needed.
   */
  add(row: Uint32Array, weight: number): boolean;
  /** The number of rows so far, for PROFILE. */
  readonly rows: number;
  /** Pending work of added rows, to be done before the next ones. */
  rest?(): Generator<void, void> | undefined;
}

/** Memory of a slot, and its share of the indices of sorted rows. */
const SLOT_BYTES = 6;

/** Keeps the first slots of each row. */
export class TableSink implements RowSink {
  readonly table: RowTable;
  readonly #context: ExecutionContext;
  readonly #isDistinct: boolean;
  readonly #most: number;

  /** Distinct: rows may repeat, since they differ in slots that are not kept. */
  constructor(context: ExecutionContext, kept: number, { isDistinct = false, most = Infinity } = {}) {
    this.#context = context;
    this.table = new RowTable(kept);
    this.#isDistinct = isDistinct;
    this.#most = most;
  }

  get rows(): number {
    return this.table.rows;
  }

  add(row: Uint32Array): boolean {
    if (this.table.rows >= this.#most) return true;
    const { rows } = this.table;
    if (this.#isDistinct) this.table.pushDistinct(row);
    else this.table.push(row);
    this.#context.checkSlots(this.table.rows * this.table.width);
    if (this.table.rows > rows) this.#context.hold(this.table.width * SLOT_BYTES);
    return this.table.rows >= this.#most;
  }
}

export class CountSink implements RowSink {
  #count = 0;

  get rows(): number {
    return this.#count;
  }

  add(_row: Uint32Array, weight: number): boolean {
    this.#count = countedRows(this.#count + weight);
    return false;
  }
}

/** An exact count of rows. */
export function countedRows(count: number): number {
  if (count <= Number.MAX_SAFE_INTEGER) return count;
  throw new DomainError('QUERY_TOO_LARGE', 'expected at most 2^53 − 1 rows to count: narrow the query', {
    details: { limit: Number.MAX_SAFE_INTEGER },
  });
}
