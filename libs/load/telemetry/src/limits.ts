/** Memory limits of edge and hive. */
import { assert } from '#platform/foundation';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Maximum number of rows of all tables in one batch; bounds the memory that decoding allocates. */
export const BATCH_ROWS_MAX = 65_536;
/** A batch is closed early when the texts and blobs of one table reach this total. */
export const BATCH_VARIABLE_BYTES = MIB;
/** Maximum size of one text or blob. A longer text is cut when it is recorded. */
export const VALUE_BYTES_MAX = MIB;
/** Maximum number of lossless rows buffered on an edge: more than an hour of intervals. */
export const LOSSLESS_ROWS_MAX = 4_096;
export const BUFFER_EVENTS_DEFAULT = 65_536;
export const BATCH_EVENTS_DEFAULT = 1_024;

/** Largest time or counter: JavaScript numbers are exact up to here. */
export const INTEGER_MAX = Number.MAX_SAFE_INTEGER;

assert(BATCH_EVENTS_DEFAULT + LOSSLESS_ROWS_MAX <= BATCH_ROWS_MAX, 'a batch holds what may wait');
