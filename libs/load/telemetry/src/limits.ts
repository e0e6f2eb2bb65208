/** What bounds memory, on both sides. */
import { assert } from '#platform/foundation';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Rows of all tables in one batch: whatever its bytes say, decoding allocates for no more. */
export const BATCH_ROWS_MAX = 65_536;
/** A batch is closed early when its texts and blobs are this long together. */
export const BATCH_VARIABLE_BYTES = MIB;
/** One text or blob; a longer text is cut when it is recorded. */
export const VALUE_BYTES_MAX = MIB;
/** Rows of the tables that are not dropped, waiting on an edge: more than an hour of intervals. */
export const LOSSLESS_ROWS_MAX = 4_096;
export const BUFFER_EVENTS_DEFAULT = 65_536;
export const BATCH_EVENTS_DEFAULT = 1_024;

/** Times and counters are numbers of JavaScript: exact up to here. */
export const INTEGER_MAX = Number.MAX_SAFE_INTEGER;

assert(BATCH_EVENTS_DEFAULT + LOSSLESS_ROWS_MAX <= BATCH_ROWS_MAX, 'a batch holds what may wait');
