/** The sizes that the formats and the memory of a store depend on, and how they depend on each other. */
import { assert } from '#platform/foundation';

const KIB = 1024;
const MIB = 1024 * KIB;

export const KEY_BYTES_MAX = 8 * KIB;
/** One batch, as bytes in the log: one frame has to hold it. */
export const BATCH_BYTES_MAX = 1024 * MIB;
/** A log file is rotated once it is this long; the last batch may go past it. */
export const WAL_FILE_BYTES = 64 * MIB;
/** A longer log is flushed when the store is closed: a shorter one is read again faster than that. */
export const FLUSHED_AT_CLOSE_BYTES = 4 * MIB;
/** Batches of a group commit are copied together in chunks of this size. */
export const ARENA_CHUNK_BYTES = 4 * MIB;
/** A batch of this size is a group of its own, and its buffer is kept as it is. */
export const LARGE_BATCH_BYTES = MIB;
/** The frame of such a batch is begun at once; that of smaller ones waits for the end of the turn. */
export const EAGER_BATCH_BYTES = 16 * KIB;
/** Zeros written ahead of the log's end where no prepared file is at hand. */
export const WAL_EXTENSION_BYTES = MIB;
/** Records of a segment before compression; a single longer record has a block to itself. */
export const BLOCK_BYTES = 64 * KIB;
/** Read and written at once by scans, flushes, merges and backups. */
export const TRANSFER_BYTES = MIB;
export const IMAGE_CHUNK_BYTES = 4 * MIB;
/** Commits wait while this many log files wait for their flush: memory is bounded. */
export const FROZEN_GENERATIONS_MAX = 4;

assert(KEY_BYTES_MAX < 2 ** 16, 'a key length fits in 16 bits');
assert(BATCH_BYTES_MAX < 2 ** 31, 'a batch length fits in 31 bits');
assert(LARGE_BATCH_BYTES * 2 <= ARENA_CHUNK_BYTES, 'an arena chunk holds several batches');
assert(KEY_BYTES_MAX < BLOCK_BYTES, 'a block holds several keys');
assert(ARENA_CHUNK_BYTES <= WAL_FILE_BYTES, 'a group fits in a log file');
