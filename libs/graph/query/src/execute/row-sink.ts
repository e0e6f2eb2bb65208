/** Where enumerated rows go: into a table, or straight into a count. */
import { DomainError } from '#platform/foundation';
import type { ExecutionContext } from './execution-context.ts';
import { RowTable } from './row-table.ts';

export interface RowSink {
  /** Adds a row, which is only lent, and how many rows it stands for; true when it wants no more. */
  add(row: Uint32Array, weight: number): boolean;
  /** What came of it so far, for PROFILE. */
  readonly rows: number;
  /** Work that added rows have left, to be done before the next ones. */
  rest?(): Generator<void, void> | undefined;
}

/** A slot, and its share of the places of sorted rows. */
const SLOT_BYTES = 6;

/** Keeps the first slots of each row. */
export class TableSink implements RowSink {
  readonly table: RowTable;
  readonly #context: ExecutionContext;
  readonly #isDistinct: boolean;
  readonly #most: number;

  /** Distinct: rows may come again, since they differ in slots that are not kept. */
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

/** A count of rows that is exact. */
export function countedRows(count: number): number {
  if (count <= Number.MAX_SAFE_INTEGER) return count;
  throw new DomainError('QUERY_TOO_LARGE', 'expected at most 2^53 − 1 rows to count: narrow the query', {
    details: { limit: Number.MAX_SAFE_INTEGER },
  });
}
