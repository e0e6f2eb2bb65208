/** What bounds queries; a token, which an application provides with its settings. */
export abstract class QuerySettings {
  /** Longest run of a query, in milliseconds. */
  abstract readonly queryTimeout: number;
  /** Queries that run at one time. */
  abstract readonly queriesMax: number;
  /** Queries that may wait for their turn. */
  abstract readonly queryQueue: number;
  /** Bytes that running queries may hold; 0: a share of the heap. */
  abstract readonly queryMemory: number;
  abstract readonly cursorsMax: number;
  /** Bytes that results behind cursors may hold together. */
  abstract readonly cursorsMemory: number;
}

/** Rows of a page when the request names no limit. */
export const PAGE_LIMIT_DEFAULT = 1_000;

export const PAGE_LIMIT_MAX = 10_000;

/** Longest `timeout_ms` that a request may name; the service's own limit holds beside it. */
export const TIMEOUT_MS_MAX = 3_600_000;

/** A cursor that nobody has asked for this long is gone. */
export const CURSOR_IDLE_MS = 60_000;

/** How often idle cursors are looked for. */
export const CURSOR_SWEEP_MS = 10_000;

/** A chunk of an NDJSON reply ends after the line that reaches this. */
export const STREAM_CHUNK_BYTES = 48 * 1024;
