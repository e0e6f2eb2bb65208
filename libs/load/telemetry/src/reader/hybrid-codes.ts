/** Reads the hybrid of runs and bit-packed groups: see `parquet/bit-packing.ts`. *Hot path*. */
import { wireFault, type ByteReader } from '../bytes/byte-reader.ts';

const WIDTH_MAX = 24;

/** Reads exactly `count` codes of `width` bits. */
export function readHybrid(from: ByteReader, count: number, width: number): Int32Array {
  if (width < 1 || width > WIDTH_MAX) throw wireFault(`expected 1 to ${WIDTH_MAX} bits, got ${width}`);
  const codes = new Int32Array(count);
  for (let at = 0; at < count;) {
    const header = from.varint('a run or groups');
    const isRun = header % 2 === 0;
    const length = isRun ? header / 2 : ((header - 1) / 2) * 8;
    if (length === 0) throw wireFault('expected values in a run');
    const end = Math.min(count, at + length);
    if (isRun) codes.fill(littleEndian(from.bytes((width + 7) >>> 3, 'a run')), at, end);
    else unpack(from.bytes((length * width) / 8, 'groups'), codes.subarray(at, end), width);
    at = end;
  }
  return codes;
}

/** Reads the levels of `count` rows: 0, or −1 for null. */
export function readLevels(from: ByteReader, count: number): Int32Array {
  from.u32('the length of the levels');
  const levels = readHybrid(from, count, 1);
  for (let row = 0; row < count; row++) levels[row] = levels[row]! - 1;
  return levels;
}

function unpack(bytes: Uint8Array, codes: Int32Array, width: number): void {
  const mask = (1 << width) - 1;
  let word = 0;
  let filled = 0;
  let at = 0;
  for (let i = 0; i < codes.length; i++) {
    for (; filled < width; filled += 8) word |= bytes[at++]! << filled;
    codes[i] = word & mask;
    word >>>= width;
    filled -= width;
  }
}

function littleEndian(bytes: Uint8Array): number {
  let value = 0;
  for (let at = bytes.length - 1; at >= 0; at--) value = value * 256 + bytes[at]!;
  return value;
}
