/**
 * What an edge has recorded and not yet handed to its sender.
 *
 * 1. Rows go into columns, those of all tables into the batch that is open. The batch is closed when it is
 *    full, or when it is taken: it becomes bytes then, and its columns are used again.
 * 2. When `bufferEvents` rows wait, closed or open, the newest is dropped, and counted under its table. What
 *    was recorded before stays: a gap at the end is easier to reason about than one in the middle.
 * 3. Rows of the lossless tables do not count, and are kept until LOSSLESS_ROWS_MAX of them wait.
 */
import { assert } from '#platform/foundation';
import { TableBuilder } from './table-builder.ts';
import {
  BATCH_EVENTS_DEFAULT,
  BATCH_ROWS_MAX,
  BATCH_VARIABLE_BYTES,
  BUFFER_EVENTS_DEFAULT,
  LOSSLESS_ROWS_MAX,
} from '../limits.ts';
import type { RowOf, TableBatch } from '../table/table-batch.ts';
import { LOSSLESS_TABLES, TABLE_NAMES, type TableName } from '../table/tables.ts';
import { encodeTables } from '../wire/encode-tables.ts';

export interface EventBufferOptions {
  /** Rows that may wait, `telemetry.buffer_size`. */
  readonly bufferEvents?: number;
  /** Rows of a full batch, `telemetry.batch_size`. */
  readonly batchEvents?: number;
}

/** A batch that left the buffer. */
export interface EncodedBatch {
  readonly eventCount: number;
  readonly bytes: Uint8Array;
}

interface ClosedBatch extends EncodedBatch {
  readonly losslessCount: number;
}

interface TableEntry {
  readonly builder: TableBuilder<TableName>;
  readonly isLossless: boolean;
}

/** Holds the events of one run; recording is synchronous and never waits. */
export class EventBuffer {
  readonly #bufferEvents: number;
  readonly #batchEvents: number;
  readonly #tables = new Map<TableName, TableEntry>();
  readonly #closed: ClosedBatch[] = [];
  readonly #dropped = Object.fromEntries(TABLE_NAMES.map((table) => [table, 0])) as Record<TableName, number>;
  /** Rows that wait: all, and those of them that stand in the open batch; detail and lossless. */
  #detail = 0;
  #lossless = 0;
  #openDetail = 0;
  #openLossless = 0;

  constructor({ bufferEvents, batchEvents }: EventBufferOptions = {}) {
    this.#bufferEvents = bufferEvents ?? BUFFER_EVENTS_DEFAULT;
    this.#batchEvents = Math.min(batchEvents ?? BATCH_EVENTS_DEFAULT, this.#bufferEvents);
    assert(this.#batchEvents > 0, 'expected room for an event in a batch');
    assert(this.#batchEvents + LOSSLESS_ROWS_MAX <= BATCH_ROWS_MAX, 'expected a batch within its bound');
  }

  /** Rows that wait to be taken. */
  get eventCount(): number {
    return this.#detail + this.#lossless;
  }

  /** How many rows of detail may be recorded now without loss. */
  get room(): number {
    return this.#bufferEvents - this.#detail;
  }

  /** Whether a full batch waits: there is no need to linger for more. */
  get hasFullBatch(): boolean {
    return this.#closed.length > 0;
  }

  /** Rows lost so far, by table; never decreases. */
  get dropped(): Readonly<Record<TableName, number>> {
    return this.#dropped;
  }

  /** Copies the row, or drops it and gives false. */
  record<T extends TableName>(table: T, row: RowOf<T>): boolean {
    const { builder, isLossless } = this.#entry(table);
    if (isLossless ? this.#lossless >= LOSSLESS_ROWS_MAX : this.#detail >= this.#bufferEvents) {
      this.#dropped[table]++;
      return false;
    }
    builder.append(row);
    if (isLossless) {
      this.#lossless++;
      this.#openLossless++;
    } else {
      this.#detail++;
      this.#openDetail++;
    }
    if (this.#openDetail >= this.#batchEvents || builder.variableBytes >= BATCH_VARIABLE_BYTES) this.#close();
    return true;
  }

  /** The oldest batch, full or not; undefined when nothing waits. */
  takeBatch(): EncodedBatch | undefined {
    if (this.#closed.length === 0) this.#close();
    const batch = this.#closed.shift();
    if (batch === undefined) return undefined;
    this.#detail -= batch.eventCount - batch.losslessCount;
    this.#lossless -= batch.losslessCount;
    return { eventCount: batch.eventCount, bytes: batch.bytes };
  }

  #entry(table: TableName): TableEntry {
    const known = this.#tables.get(table);
    if (known !== undefined) return known;
    const isLossless = LOSSLESS_TABLES.has(table);
    const entry = { builder: new TableBuilder<TableName>(table), isLossless };
    this.#tables.set(table, entry);
    return entry;
  }

  #close(): void {
    const eventCount = this.#openDetail + this.#openLossless;
    if (eventCount === 0) return;
    const builders = Array.from(this.#tables.values(), ({ builder }) => builder);
    const bytes = encodeTables(builders.map((builder) => builder.batch() as TableBatch));
    this.#closed.push({ eventCount, bytes, losslessCount: this.#openLossless });
    for (const builder of builders) builder.reset();
    this.#openDetail = 0;
    this.#openLossless = 0;
  }
}
