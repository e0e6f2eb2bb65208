import { builtLibrary } from '../targets/built-library.ts';
import { plainRow, type TableRow } from './row-schemas.ts';
import { SimulatedEdge } from './simulated-edge.ts';

const { EventBuffer } = await builtLibrary('load/telemetry');
const BATCH_EVENTS = 1_024;

/** An edge that records events and returns them in batches. */
export interface EdgeSource {
  /** Events recorded so far. */
  readonly events: number;
  /** Records transactions until a batch is full, at most this many; returns their number. */
  fill(transactionsMax: number): number;
  /** The recorded events that were not taken yet. */
  take(): Uint8Array | undefined;
}

/** Sends columns, as the product does. */
export class ColumnEdge implements EdgeSource {
  readonly #edge: SimulatedEdge;
  readonly #buffer = new EventBuffer({ batchEvents: BATCH_EVENTS });
  events = 0;

  constructor(number: number, accounts: number, seed: number) {
    this.#edge = new SimulatedEdge(number, accounts, seed);
  }

  fill(transactionsMax: number): number {
    let count = 0;
    while (count < transactionsMax && !this.#buffer.hasFullBatch) {
      this.events += this.#edge.next((table, row) => this.#buffer.record(table, row));
      count++;
    }
    return count;
  }

  take(): Uint8Array | undefined {
    return this.#buffer.takeBatch()?.bytes;
  }
}

/** Each event is an object, and a batch is their JSON. */
export class RowEdge implements EdgeSource {
  readonly #edge: SimulatedEdge;
  #rows: TableRow[] = [];
  events = 0;

  constructor(number: number, accounts: number, seed: number) {
    this.#edge = new SimulatedEdge(number, accounts, seed);
  }

  fill(transactionsMax: number): number {
    let count = 0;
    while (count < transactionsMax && this.#rows.length < BATCH_EVENTS) {
      this.events += this.#edge.next((table, row) => this.#rows.push({ table, row: plainRow(row) }));
      count++;
    }
    return count;
  }

  take(): Uint8Array | undefined {
    if (this.#rows.length === 0) return undefined;
    const bytes = new TextEncoder().encode(JSON.stringify(this.#rows));
    this.#rows = [];
    return bytes;
  }
}
