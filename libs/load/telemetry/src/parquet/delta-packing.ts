/**
 * Parquet's DELTA_BINARY_PACKED: whole numbers as differences of neighbours. *Hot path*: runs for each number
 * of each event. Source: apache/parquet-format, Encodings.md, "Delta Encoding".
 *
 *   header  varints: values per block (128), miniblocks per block (4), number of values; first value, zigzag
 *   block   minimum difference as zigzag varint; the bit width of each miniblock, one byte; the miniblocks
 *   miniblock  32 × (difference − minimum), each in that bit width, least significant bit first
 *
 * Numbers are doubles: the computation is exact if all values are within 2^52 of each other. BigInt has no
 * such limit, but takes twenty times as long.
 */
import type { ByteWriter } from '../bytes/byte-writer.ts';

const BLOCK_VALUES = 128;
const MINIBLOCKS = 4;
const MINIBLOCK_VALUES = BLOCK_VALUES / MINIBLOCKS;
const TWO_32 = 2 ** 32;

/** Maximum difference between two packed values. */
export const PACKED_SPAN_MAX = 2 ** 52;

/** Scratch memory of the current block. */
const differences = new Float64Array(BLOCK_VALUES);
const widths = new Int32Array(MINIBLOCKS);

/** Appends the values, which must be whole and within {@link PACKED_SPAN_MAX} of each other. */
export function writePacked(out: ByteWriter, values: Float64Array | Int32Array): void {
  out.varint(BLOCK_VALUES);
  out.varint(MINIBLOCKS);
  out.varint(values.length);
  writeZigzag(out, values.length === 0 ? 0 : values[0]!);
  for (let from = 1; from < values.length; from += BLOCK_VALUES) {
    writeBlock(out, values, from, Math.min(from + BLOCK_VALUES, values.length));
  }
}

/**
 * As {@link writePacked} for `count` equal values: all differences are zero, as is every byte of the blocks.
 */
export function writePackedSame(out: ByteWriter, value: number, count: number): void {
  out.varint(BLOCK_VALUES);
  out.varint(MINIBLOCKS);
  out.varint(count);
  writeZigzag(out, value);
  const blocks = Math.ceil((count - 1) / BLOCK_VALUES);
  out.room(blocks * (1 + MINIBLOCKS)).fill(0);
}

function writeBlock(out: ByteWriter, values: Float64Array | Int32Array, from: number, to: number): void {
  let least = Infinity;
  for (let at = from; at < to; at++) {
    const difference = values[at]! - values[at - 1]!;
    differences[at - from] = difference;
    if (difference < least) least = difference;
  }
  const count = to - from;
  for (let at = 0; at < count; at++) differences[at]! -= least;
  differences.fill(0, count);
  writeZigzag(out, least);
  let bits = 0;
  for (let block = 0; block < MINIBLOCKS; block++) {
    const width = widthOf(block * MINIBLOCK_VALUES);
    widths[block] = width;
    bits += width * MINIBLOCK_VALUES;
    out.u8(width);
  }
  const room = out.room(bits / 8);
  let at = 0;
  for (let block = 0; block < MINIBLOCKS; block++)
    at = pack(room, at, block * MINIBLOCK_VALUES, widths[block]!);
}

function widthOf(from: number): number {
  let most = 0;
  for (let at = from; at < from + MINIBLOCK_VALUES; at++) {
    if (differences[at]! > most) most = differences[at]!;
  }
  return most < TWO_32 ? 32 - Math.clz32(most) : 64 - Math.clz32(Math.floor(most / TWO_32));
}

/** Packs 32 values of `width` bits into `width` 32-bit words at `start` of `room`. Returns their end. */
function pack(room: Uint8Array, start: number, from: number, width: number): number {
  let word = 0;
  let filled = 0;
  let at = start;
  for (let i = from; i < from + MINIBLOCK_VALUES; i++) {
    let rest = differences[i]!;
    for (let left = width; left > 0; left -= 32) {
      const bits = left < 32 ? left : 32;
      const part = rest >>> 0;
      word |= part << filled;
      filled += bits;
      if (filled >= 32) {
        room[at] = word;
        room[at + 1] = word >>> 8;
        room[at + 2] = word >>> 16;
        room[at + 3] = word >>> 24;
        at += 4;
        filled -= 32;
        word = filled > 0 ? part >>> (bits - filled) : 0;
      }
      if (left > 32) rest = Math.floor(rest / TWO_32);
    }
  }
  return at;
}

/** Exact within ±2^53: the sign bit is added to the first byte, not by doubling. */
function writeZigzag(out: ByteWriter, value: number): void {
  const isNegative = value < 0;
  const magnitude = isNegative ? -value - 1 : value;
  const lowest = (magnitude % 64) * 2 + (isNegative ? 1 : 0);
  const rest = Math.floor(magnitude / 64);
  out.u8(rest > 0 ? lowest + 0x80 : lowest);
  if (rest > 0) out.varint(rest);
}
