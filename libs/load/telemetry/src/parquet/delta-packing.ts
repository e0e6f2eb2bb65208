/**
 * Parquet's DELTA_BINARY_PACKED: whole numbers as differences from the one before. *Hot path*: each number of
 * each event. Source: apache/parquet-format, Encodings.md, "Delta Encoding".
 *
 *   header  varints: values a block (128), miniblocks a block (4), number of values; the first, zigzag
 *   block   least difference as zigzag varint; a byte for each miniblock, its bit width; the miniblocks
 *   miniblock  32 × (difference − least), each in so many bits, the lowest first
 *
 * Numbers are doubles: all that is computed is exact while the values lie within 2^52 of each other. BigInt
 * would hold any, and take twenty times as long.
 */
import type { ByteWriter } from '../bytes/byte-writer.ts';

const BLOCK_VALUES = 128;
const MINIBLOCKS = 4;
const MINIBLOCK_VALUES = BLOCK_VALUES / MINIBLOCKS;
const TWO_32 = 2 ** 32;

/** Values further apart than this cannot be packed. */
export const PACKED_SPAN_MAX = 2 ** 52;

/** Of the block that is being written. */
const differences = new Float64Array(BLOCK_VALUES);
const widths = new Int32Array(MINIBLOCKS);

/** Appends the values, which are whole and within {@link PACKED_SPAN_MAX} of each other. */
export function writePacked(out: ByteWriter, values: Float64Array | Int32Array): void {
  out.varint(BLOCK_VALUES);
  out.varint(MINIBLOCKS);
  out.varint(values.length);
  writeZigzag(out, values.length === 0 ? 0 : values[0]!);
  for (let from = 1; from < values.length; from += BLOCK_VALUES) {
    writeBlock(out, values, from, Math.min(from + BLOCK_VALUES, values.length));
  }
}

/** The same for `count` times one value: all differences are zero, and so is every byte of the blocks. */
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

/** 32 values of `width` bits are `width` words of 32 bits: they fill `room` from `start`. Gives their end. */
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

/** Exact within ±2^53: the low bit goes in front of 53 others. */
function writeZigzag(out: ByteWriter, value: number): void {
  const isNegative = value < 0;
  const magnitude = isNegative ? -value - 1 : value;
  const lowest = (magnitude % 64) * 2 + (isNegative ? 1 : 0);
  const rest = Math.floor(magnitude / 64);
  out.u8(rest > 0 ? lowest + 0x80 : lowest);
  if (rest > 0) out.varint(rest);
}
