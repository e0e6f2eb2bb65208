import { DomainError } from '#platform/foundation';
import type { PropertyGraph, StatementResult, StatementSummary, Value } from '#graph/cypher';

/** Takes the rows of a result. */
export interface RowSink {
  record(row: readonly Value[], graph: PropertyGraph): void;
  /** The bytes of a record, for later. */
  packed(row: readonly Value[], graph: PropertyGraph): Buffer;
  sendPacked(record: Buffer): void;
  /** Resolves when more can be written, or when work is stopped; undefined if that is now. */
  room(): Promise<undefined> | undefined;
}

/** The rows of one statement, handed out in the portions that the client asks for. */
export class ResultStream {
  readonly #result: StatementResult;
  #hasRows = false;
  /** The rest of the rows, once another statement runs in the transaction. */
  #packed: Buffer[] = [];

  constructor(result: StatementResult) {
    this.#result = result;
  }

  get columns(): readonly string[] {
    return this.#result.columns;
  }

  get summary(): StatementSummary {
    return this.#result.summary;
  }

  /** Whether a row has been handed out. */
  get hasRows(): boolean {
    return this.#hasRows;
  }

  get #hasMore(): boolean {
    return this.#packed.length > 0 || this.#result.hasMore;
  }

  /**
   * Packs the rest of the rows: the next statement of the transaction may change what they show. Throws
   * QUERY_TOO_LARGE for too many.
   */
  async settle(sink: RowSink, signal: AbortSignal): Promise<void> {
    let bytes = 0;
    while (this.#result.hasMore) {
      const rows = await this.#result.take(ROWS_PER_TURN);
      signal.throwIfAborted();
      for (const row of rows) {
        const record = sink.packed(row, this.#result.graph);
        bytes += record.length + PACKED_BYTES;
        this.#packed.push(record);
      }
      if (bytes > SETTLED_BYTES_MAX) throw tooManyRows();
    }
  }

  /** Writes at most `count` rows; resolves with whether more follow. Rejects when the signal is aborted. */
  async pull(count: number, sink: RowSink, signal: AbortSignal): Promise<boolean> {
    const packed = this.#packed.splice(0, Math.min(count, this.#packed.length));
    for (const record of packed) {
      sink.sendPacked(record);
      await sink.room();
      signal.throwIfAborted();
    }
    this.#hasRows ||= packed.length > 0;
    let left = count - packed.length;
    while (left > 0 && this.#result.hasMore) {
      const rows = await this.#result.take(Math.min(left, ROWS_PER_TURN));
      signal.throwIfAborted();
      for (const row of rows) sink.record(row, this.#result.graph);
      left -= rows.length;
      this.#hasRows ||= rows.length > 0;
      await sink.room();
      signal.throwIfAborted();
    }
    return this.#hasMore;
  }

  /** Drops at most `count` rows; resolves with whether more follow. Rejects when the signal is aborted. */
  async discard(count: number, signal: AbortSignal): Promise<boolean> {
    if (count === Infinity) {
      this.close();
      return false;
    }
    const packed = this.#packed.splice(0, Math.min(count, this.#packed.length));
    for (let left = count - packed.length; left > 0 && this.#result.hasMore; left -= ROWS_PER_TURN) {
      await this.#result.take(Math.min(left, ROWS_PER_TURN));
      signal.throwIfAborted();
    }
    return this.#hasMore;
  }

  close(): void {
    this.#packed = [];
    this.#result.close();
  }
}

/** Rows of open results that a transaction keeps while it runs another statement. */
const SETTLED_BYTES_MAX = 64 * 2 ** 20;
/** What a small buffer takes beside its bytes. */
const PACKED_BYTES = 100;

function tooManyRows(): DomainError {
  return new DomainError(
    'QUERY_TOO_LARGE',
    `expected results of at most ${SETTLED_BYTES_MAX / 2 ** 20} MiB to be open while another statement runs: read them before`,
    { details: { limit: SETTLED_BYTES_MAX } },
  );
}

/** Rows that are written between two turns of others. */
const ROWS_PER_TURN = 64;
