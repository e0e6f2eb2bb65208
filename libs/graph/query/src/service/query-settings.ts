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
