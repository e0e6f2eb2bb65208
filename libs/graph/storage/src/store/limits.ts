/** Sizes that determine the formats and the memory of a store, and their dependencies. */
import { assert } from '#platform/foundation';

const KIB = 1024;
const MIB = 1024 * KIB;

export const KEY_BYTES_MAX = 8 * KIB;
/** Maximum bytes of a batch in the log: it has to fit in one frame. */
export const BATCH_BYTES_MAX = 1024 * MIB;
/** A log file is rotated at this size; the last batch may exceed it. */
export const WAL_FILE_BYTES = 64 * MIB;
/** A longer log is flushed when the store is closed: reading a shorter one again is faster than a flush. */
export const FLUSHED_AT_CLOSE_BYTES = 4 * MIB;
/** Batches of group commits are copied into chunks of this size. */
export const ARENA_CHUNK_BYTES = 4 * MIB;
/** A batch of this size has its own group, and its buffer is not copied. */
export const LARGE_BATCH_BYTES = MIB;
/** The frame of a batch of this size is begun at once; smaller batches wait for the end of the turn. */
export const EAGER_BATCH_BYTES = 16 * KIB;
/** Zeros written ahead of the end of a log file that was not prepared. */
export const WAL_EXTENSION_BYTES = MIB;
/** Block size of a segment before compression; a longer record has its own block. */
export const BLOCK_BYTES = 64 * KIB;
/** Size of one read or write of scans, flushes, merges and backups. */
export const TRANSFER_BYTES = MIB;
export const IMAGE_CHUNK_BYTES = 4 * MIB;
/** Commits wait while more log files than this wait for their flush, which bounds memory. */
export const FROZEN_GENERATIONS_MAX = 4;

assert(KEY_BYTES_MAX < 2 ** 16, 'a key length fits in 16 bits');
assert(BATCH_BYTES_MAX < 2 ** 31, 'a batch length fits in 31 bits');
assert(LARGE_BATCH_BYTES * 2 <= ARENA_CHUNK_BYTES, 'an arena chunk holds several batches');
assert(KEY_BYTES_MAX < BLOCK_BYTES, 'a block holds several keys');
assert(ARENA_CHUNK_BYTES <= WAL_FILE_BYTES, 'a group fits in a log file');
