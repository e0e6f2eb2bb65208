/**
 * Encodes whole numbers and nulls in the smallest of these forms. *Hot path*: every value of every event is
 * encoded and decoded here.
 *
 *   form        after the tag (and the bitmap)       value of the i-th present row
 *   0 nothing                                        every row is null
 *   1 same      f64 base                             base
 *   2 u8        f64 base, one byte per present row   base + offset
 *   3 u16       f64 base, two bytes                  base + offset
 *   4 u32       f64 base, four bytes                 base + offset
 *   5 f64       eight bytes per present row          itself
 *   6 sequence  f64 base                             base + i
 *
 * The tag is the form, plus 16 when a bitmap of the present rows follows it (bit r & 7 of byte r >> 3); there
 * is none if no row is null. Offsets from the minimum save the most: the times of one batch are within
 * minutes of each other, so they take four bytes instead of eight, and nonces, blocks and codes one or two.
 * Differences between neighbours would save little more, and make each value depend on the previous one.
 */
import { wireFault, type ByteReader } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';

const HAS_BITMAP = 16;
const FORM = { nothing: 0, same: 1, u8: 2, u16: 3, u32: 4, f64: 5, sequence: 6 } as const;
/** Size of an offset by form. */
const OFFSET_BYTES = [0, 0, 1, 2, 4, 0, 0];
const U32_MAX = 2 ** 32 - 1;

export type Vector = Float64Array | Int32Array;

interface Scan {
  /** Number of rows that are not null. */
  readonly present: number;
  readonly least: number;
  readonly form: number;
}

/** `absent` is the representation of null: NaN, or a code. */
export function writeVector(out: ByteWriter, values: Vector, absent: number): void {
  const { present, least, form } = scanOf(values, absent);
  const hasBitmap = present > 0 && present < values.length;
  out.u8(form + (hasBitmap ? HAS_BITMAP : 0));
  if (hasBitmap) fillBitmap(out.room((values.length + 7) >>> 3), values, absent);
  if (form === FORM.f64) writeRaw(out.room(present * 8), values, absent);
  else if (form !== FORM.nothing) out.f64(least);
  const width = OFFSET_BYTES[form]!;
  if (width > 0) writeOffsets(out.room(present * width), values, absent, { least, width });
}

/** Bounds of the values, derived without inspecting each one: the actual range may be narrower. */
export interface VectorBounds {
  readonly least: number;
  readonly most: number;
  readonly hasNulls: boolean;
}

/** Fills `into`. The caller must check the bounds against the column's range. */
export function readVector(from: ByteReader, into: Vector, absent: number): VectorBounds {
  const tag = from.u8('a vector');
  const bitmap = tag & HAS_BITMAP ? from.bytes((into.length + 7) >>> 3, 'a bitmap') : undefined;
  const present = bitmap === undefined ? into.length : countPresent(bitmap, into.length);
  const form = tag & ~HAS_BITMAP;
  if (form === FORM.nothing) {
    into.fill(absent);
    return { least: 0, most: 0, hasNulls: true };
  }
  const bounds = readPresent(from, into.subarray(0, present), form);
  if (bitmap === undefined) return { ...bounds, hasNulls: false };
  spread(into, bitmap, present, absent);
  return { ...bounds, hasNulls: true };
}

function readPresent(from: ByteReader, into: Vector, form: number): Omit<VectorBounds, 'hasNulls'> {
  if (form === FORM.f64) return readRaw(from, into);
  const base = from.f64('a base');
  if (!Number.isSafeInteger(base)) throw wireFault(`expected a whole number as base, got ${base}`);
  const most = base + readOffsets(from, into, { form, base });
  return { least: base, most };
}

function scanOf(values: Vector, absent: number): Scan {
  let present = 0;
  let least = Infinity;
  let most = -Infinity;
  let isSequence = true;
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!;
    if (value === absent || Number.isNaN(value)) continue;
    if (present > 0 && value !== most + 1) isSequence = false;
    if (value < least) least = value;
    if (value > most) most = value;
    present++;
  }
  return { present, least, form: isSequence ? sequenceForm(present) : offsetForm(most - least) };
}

function sequenceForm(present: number): number {
  if (present === 0) return FORM.nothing;
  return present === 1 ? FORM.same : FORM.sequence;
}

function offsetForm(span: number): number {
  if (span === 0) return FORM.same;
  if (span <= 0xff) return FORM.u8;
  if (span <= 0xffff) return FORM.u16;
  return span <= U32_MAX ? FORM.u32 : FORM.f64;
}

function fillBitmap(bitmap: Uint8Array, values: Vector, absent: number): void {
  bitmap.fill(0);
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!;
    if (value !== absent && !Number.isNaN(value)) bitmap[row >>> 3]! |= 1 << (row & 7);
  }
}

function writeRaw(room: Uint8Array, values: Vector, absent: number): void {
  const view = new DataView(room.buffer, room.byteOffset, room.length);
  let at = 0;
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!;
    if (value === absent || Number.isNaN(value)) continue;
    view.setFloat64(at, value, true);
    at += 8;
  }
}

function writeOffsets(
  room: Uint8Array,
  values: Vector,
  absent: number,
  { least, width }: { readonly least: number; readonly width: number },
): void {
  let at = 0;
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!;
    if (value === absent || Number.isNaN(value)) continue;
    let offset = value - least;
    for (let byte = 0; byte < width; byte++) {
      room[at++] = offset;
      offset >>>= 8;
    }
  }
}

function countPresent(bitmap: Uint8Array, rows: number): number {
  let present = 0;
  for (let row = 0; row < rows; row++) present += (bitmap[row >>> 3]! >>> (row & 7)) & 1;
  return present;
}

function readRaw(from: ByteReader, into: Vector): Omit<VectorBounds, 'hasNulls'> {
  const bytes = from.bytes(into.length * 8, 'numbers');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let least = Infinity;
  let most = -Infinity;
  for (let i = 0; i < into.length; i++) {
    const value = view.getFloat64(i * 8, true);
    if (!Number.isSafeInteger(value)) throw wireFault(`expected a whole number, got ${value}`);
    if (value < least) least = value;
    if (value > most) most = value;
    into[i] = value;
  }
  return { least, most };
}

/** Returns the largest possible offset. */
function readOffsets(from: ByteReader, into: Vector, { form, base }: { form: number; base: number }): number {
  if (form === FORM.same) into.fill(base);
  else if (form === FORM.sequence) for (let i = 0; i < into.length; i++) into[i] = base + i;
  else if (form === FORM.u8) readBytes(from, into, base);
  else if (form === FORM.u16) readShorts(from, into, base);
  else if (form === FORM.u32) readWords(from, into, base);
  else throw wireFault(`expected the form of a vector, got ${form}`);
  return form === FORM.sequence ? into.length : 2 ** ((OFFSET_BYTES[form] ?? 0) * 8) - 1;
}

function readBytes(from: ByteReader, into: Vector, base: number): void {
  const bytes = from.bytes(into.length, 'numbers');
  for (let i = 0; i < into.length; i++) into[i] = base + bytes[i]!;
}

function readShorts(from: ByteReader, into: Vector, base: number): void {
  const bytes = from.bytes(into.length * 2, 'numbers');
  for (let i = 0; i < into.length; i++) into[i] = base + (bytes[i * 2]! | (bytes[i * 2 + 1]! << 8));
}

function readWords(from: ByteReader, into: Vector, base: number): void {
  const bytes = from.bytes(into.length * 4, 'numbers');
  for (let i = 0, at = 0; i < into.length; i++, at += 4) {
    const low = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16);
    into[i] = base + low + bytes[at + 3]! * 0x100_0000;
  }
}

/** Moves the present values from the front to their rows, backwards, so that none is overwritten. */
function spread(into: Vector, bitmap: Uint8Array, present: number, absent: number): void {
  let next = present;
  for (let row = into.length - 1; row >= 0; row--) {
    const isPresent = (bitmap[row >>> 3]! >>> (row & 7)) & 1;
    into[row] = isPresent ? into[--next]! : absent;
  }
}
