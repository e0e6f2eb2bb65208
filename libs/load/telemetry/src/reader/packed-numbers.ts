/** Reads DELTA_BINARY_PACKED: see `parquet/delta-packing.ts`. *Hot path*. */
import { type ByteReader, readZigzag, wireFault } from '../bytes/byte-reader.ts';

const TWO_32 = 2 ** 32;
const WIDTH_MAX = 54;
/** The number of values in a miniblock is a multiple of this. */
const MINIBLOCK_MULTIPLE = 32;

/** Reads exactly `count` numbers. */
export function readPacked(from: ByteReader, count: number): Float64Array {
  const blockValues = from.varint('the values of a block');
  const miniblocks = from.varint('miniblocks');
  const miniblockValues = blockValues / miniblocks;
  if (miniblockValues % MINIBLOCK_MULTIPLE !== 0 || miniblockValues === 0) {
    throw wireFault(`expected miniblocks of a multiple of 32 values, got ${miniblockValues}`);
  }
  if (from.varint('the number of values') !== count) throw wireFault(`expected ${count} packed numbers`);
  const values = new Float64Array(count);
  const first = readZigzag(from);
  if (count > 0) values[0] = first;
  for (let at = 1; at < count;) {
    const least = readZigzag(from);
    const widths = from.bytes(miniblocks, 'bit widths');
    for (let block = 0; block < miniblocks && at < count; block++) {
      const bytes = from.bytes((widths[block]! * miniblockValues) / 8, 'a miniblock');
      const end = Math.min(count, at + miniblockValues);
      addDifferences(values.subarray(at - 1, end), bytes, widths[block]!, least);
      at = end;
    }
  }
  return values;
}

/** `values[0]` is the previous value; each further one adds a difference, `least` + its packed bits. */
function addDifferences(values: Float64Array, bytes: Uint8Array, width: number, least: number): void {
  if (width > WIDTH_MAX) throw wireFault(`expected at most ${WIDTH_MAX} bits, got ${width}`);
  if (width === 0) for (let i = 1; i < values.length; i++) values[i] = values[i - 1]! + least;
  else if (width <= 24) addNarrow(values, bytes, width, least);
  else addWide(values, bytes, width, least);
}

function addNarrow(values: Float64Array, bytes: Uint8Array, width: number, least: number): void {
  const mask = (1 << width) - 1;
  let word = 0;
  let filled = 0;
  let at = 0;
  for (let i = 1; i < values.length; i++) {
    for (; filled < width; filled += 8) word |= bytes[at++]! << filled;
    values[i] = values[i - 1]! + (least + (word & mask));
    word >>>= width;
    filled -= width;
  }
}

function addWide(values: Float64Array, bytes: Uint8Array, width: number, least: number): void {
  for (let i = 1; i < values.length; i++) {
    const bit = (i - 1) * width;
    const low = bitsAt(bytes, bit, Math.min(width, 32));
    const high = width > 32 ? bitsAt(bytes, bit + 32, width - 32) : 0;
    values[i] = values[i - 1]! + (least + (low + high * TWO_32));
  }
}

/** Reads at most 32 bits. Their bytes span at most 39 bits, which are exact in a double. */
function bitsAt(bytes: Uint8Array, bit: number, width: number): number {
  let value = 0;
  let scale = 1;
  const shift = bit & 7;
  for (let at = bit >>> 3; at < (bit + width + 7) >>> 3; at++, scale *= 256) value += bytes[at]! * scale;
  return Math.floor(value / 2 ** shift) % 2 ** width;
}
