import { ExecutionSettings } from '#graph/execution';

/** Limits of queries and of what they leave. */
export class QuerySettings extends ExecutionSettings {
  readonly cursorsMax: number = 256;
  /** Maximum memory of all results behind cursors, in bytes. */
  readonly cursorsMemory: number = 128 * 2 ** 20;
}

/** Default number of rows of a page. */
export const PAGE_LIMIT_DEFAULT = 1_000;

export const PAGE_LIMIT_MAX = 10_000;

/** Maximum `timeout_ms` of a request; the limit of the service also applies. */
export const TIMEOUT_MS_MAX = 3_600_000;

/** A cursor that is unused for this long expires. */
export const CURSOR_IDLE_MS = 60_000;

/** Interval of the search for idle cursors. */
export const CURSOR_SWEEP_MS = 10_000;

/** A chunk of an NDJSON reply ends after the line that reaches this size. */
export const STREAM_CHUNK_BYTES = 48 * 1024;
