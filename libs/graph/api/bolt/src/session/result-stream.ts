import type { PropertyGraph, StatementResult, StatementSummary, Value } from '#graph/cypher';

/** Where rows go. */
export interface RowSink {
  record(row: readonly Value[], graph: PropertyGraph): void;
  /** Resolves when more can be written, or when work is stopped; undefined if that is now. */
  room(): Promise<undefined> | undefined;
}

/** The rows of one statement, handed out in the portions that the client asks for. */
export class ResultStream {
  readonly #result: StatementResult;
  #hasRows = false;

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

  /** Writes at most `count` rows; resolves with whether more follow. Rejects when the signal is aborted. */
  async pull(count: number, sink: RowSink, signal: AbortSignal): Promise<boolean> {
    let left = count;
    while (left > 0 && this.#result.hasMore) {
      const rows = await this.#result.take(Math.min(left, ROWS_PER_TURN));
      signal.throwIfAborted();
      for (const row of rows) sink.record(row, this.#result.graph);
      left -= rows.length;
      this.#hasRows ||= rows.length > 0;
      await sink.room();
      signal.throwIfAborted();
    }
    return this.#result.hasMore;
  }

  /** Drops at most `count` rows; resolves with whether more follow. Rejects when the signal is aborted. */
  async discard(count: number, signal: AbortSignal): Promise<boolean> {
    if (count === Infinity) {
      this.#result.close();
      return false;
    }
    for (let left = count; left > 0 && this.#result.hasMore; left -= ROWS_PER_TURN) {
      await this.#result.take(Math.min(left, ROWS_PER_TURN));
      signal.throwIfAborted();
    }
    return this.#result.hasMore;
  }

  close(): void {
    this.#result.close();
  }
}

/** Rows that are written between two turns of others. */
const ROWS_PER_TURN = 64;
