/**
 * Events that an edge has recorded and not yet passed to its sender.
 *
 * 1. Rows of all tables are appended to the columns of one open batch. The batch is closed when it is full or
 *    taken: it is encoded to bytes, and its columns are reused.
 * 2. When `bufferEvents` rows are buffered, in closed batches or the open one, a new row is dropped, and
 *    counted by table. Earlier rows are kept: a gap at the end is easier to reason about than one in the
 *    middle.
 * 3. Rows of the lossless tables have a separate limit, LOSSLESS_ROWS_MAX.
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
  /** Maximum number of buffered rows, `telemetry.buffer_size`. */
  readonly bufferEvents?: number;
  /** Number of rows in a full batch, `telemetry.batch_size`. */
  readonly batchEvents?: number;
}

/** A batch taken from the buffer. */
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

/** Buffers the events of one run. Recording is synchronous and never blocks. */
export class EventBuffer {
  readonly #bufferEvents: number;
  readonly #batchEvents: number;
  readonly #tables = new Map<TableName, TableEntry>();
  readonly #closed: ClosedBatch[] = [];
  readonly #dropped = Object.fromEntries(TABLE_NAMES.map((table) => [table, 0])) as Record<TableName, number>;
  /** Numbers of buffered rows, detail and lossless: in total, then in the open batch. */
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

  /** Number of buffered rows. */
  get eventCount(): number {
    return this.#detail + this.#lossless;
  }

  /** Number of detail rows that can be recorded now without loss. */
  get room(): number {
    return this.#bufferEvents - this.#detail;
  }

  /** Whether a closed batch is ready: the sender need not wait for more rows. */
  get hasFullBatch(): boolean {
    return this.#closed.length > 0;
  }

  /** Number of dropped rows by table; never decreases. */
  get dropped(): Readonly<Record<TableName, number>> {
    return this.#dropped;
  }

  /** Copies the row, or drops it and returns false. */
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

  /** Removes and returns the oldest batch, full or not; undefined if the buffer is empty. */
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
