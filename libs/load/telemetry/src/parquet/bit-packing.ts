/**
 * Parquet's hybrid of runs and bit-packed groups, the encoding of definition levels and dictionary codes.
 * *Hot path*. Source: apache/parquet-format, Encodings.md, "Run Length Encoding / Bit-Packing Hybrid".
 *
 *   run     varint(count · 2), the value in ceil(width / 8) bytes
 *   groups  varint(groups · 2 + 1), each group 8 values of `width` bits, least significant first
 *
 * A page is one run if all its values are equal, else one sequence of groups: the compression that follows
 * finds shorter runs.
 */
import type { ByteWriter } from '../bytes/byte-writer.ts';

/** Number of bits for values from 0 to `most`; at least one, which some readers require. */
export function bitWidthOf(most: number): number {
  return Math.max(1, 32 - Math.clz32(most));
}

/** Appends codes below 2^width; skips negative ones. */
export function writeHybrid(out: ByteWriter, codes: Int32Array, width: number): void {
  const { count, isSame, first } = scanOf(codes);
  if (count === 0) return;
  if (isSame) writeRun(out, first, count, width);
  else writeGroups(out, codes, count, width);
}

/** Appends a length, then a bit for each code: 0 for a negative code, else 1. */
export function writeLevels(out: ByteWriter, codes: Int32Array): void {
  const { count } = scanOf(codes);
  const isRun = count === 0 || count === codes.length;
  const groups = (codes.length + 7) >>> 3;
  const header = isRun ? codes.length * 2 : groups * 2 + 1;
  out.u32(varintBytes(header) + (isRun ? 1 : groups));
  out.varint(header);
  if (isRun) out.u8(count === 0 ? 0 : 1);
  else fillBits(out.room(groups), codes);
}

function scanOf(codes: Int32Array): { count: number; isSame: boolean; first: number } {
  let count = 0;
  let isSame = true;
  let first = -1;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at]!;
    if (code < 0) continue;
    if (count === 0) first = code;
    else if (code !== first) isSame = false;
    count++;
  }
  return { count, isSame, first };
}

function writeRun(out: ByteWriter, value: number, count: number, width: number): void {
  out.varint(count * 2);
  for (let bits = 0; bits < width; bits += 8) out.u8(value >>> bits);
}

function writeGroups(out: ByteWriter, codes: Int32Array, count: number, width: number): void {
  const groups = (count + 7) >>> 3;
  out.varint(groups * 2 + 1);
  const room = out.room(groups * width).fill(0);
  let word = 0;
  let filled = 0;
  let at = 0;
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i]!;
    if (code < 0) continue;
    word |= code << filled;
    filled += width;
    while (filled >= 8) {
      room[at++] = word;
      word >>>= 8;
      filled -= 8;
    }
  }
  if (filled > 0) room[at] = word;
}

function fillBits(room: Uint8Array, codes: Int32Array): void {
  room.fill(0);
  for (let at = 0; at < codes.length; at++) {
    if (codes[at]! >= 0) room[at >>> 3]! |= 1 << (at & 7);
  }
}

function varintBytes(value: number): number {
  return value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : 4;
}
