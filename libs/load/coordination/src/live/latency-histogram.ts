/**
 * Decodes and merges the HDR histograms of edges, in HdrHistogram's compressed V2 format:
 *
 *   0  u32 cookie 0x1c849304 (high bits)   4  u32 length   8  a zlib stream that contains
 *   0  u32 cookie   4  u32 length   8  u32 normalising offset   12  u32 significant digits
 *   16 u64 lowest value   24 u64 highest value   32 f64 ratio
 *   40 counts: zigzag LEB128, at most nine bytes each; a negative count is a run of zeros
 *
 * Edges are untrusted input: a histogram that unpacks to too many bytes, requires a large table, or has more
 * counts than the table is ignored.
 */
import { inflateSync } from 'node:zlib';
import { decodeFromCompressedBase64, type Histogram } from 'hdr-histogram-js';

const ENCODED_BYTES_MAX = 262_144;
const UNPACKED_BYTES_MAX = 1_048_576;
const PAYLOAD_AT = 8;
const LENGTH_AT = 4;
const DIGITS_AT = 12;
const LOWEST_AT = 16;
const HIGHEST_AT = 24;
const HEADER_BYTES = 40;
const DIGITS_MAX = 3;
const HIGHEST_MAX = 2n ** 50n;
/** Maximum table size for these values and digits. */
const COUNTS_MAX = 65_536;
const COUNT_BYTES_MAX = 9;

/** The sum of all valid histograms; undefined if there is none. */
export function mergeHistograms(encoded: readonly Uint8Array[]): Histogram | undefined {
  let merged: Histogram | undefined;
  for (const bytes of encoded) {
    const histogram = decodeHistogram(bytes);
    if (histogram === undefined) continue;
    if (merged === undefined) {
      histogram.autoResize = true;
      merged = histogram;
    } else merged.add(histogram);
  }
  return merged;
}

/** Undefined for an invalid histogram. */
export function decodeHistogram(bytes: Uint8Array): Histogram | undefined {
  if (bytes.length <= PAYLOAD_AT || bytes.length > ENCODED_BYTES_MAX) return undefined;
  try {
    const payload = inflateSync(bytes.subarray(PAYLOAD_AT), { maxOutputLength: UNPACKED_BYTES_MAX });
    if (!isHeaderSane(payload) || !areCountsSane(payload.subarray(HEADER_BYTES))) return undefined;
    return decodeFromCompressedBase64(Buffer.from(bytes).toString('base64'), 64, false);
  } catch {
    return undefined;
  }
}

function isHeaderSane(payload: Buffer): boolean {
  if (payload.length < HEADER_BYTES) return false;
  return (
    payload.readUInt32BE(LENGTH_AT) === payload.length - HEADER_BYTES &&
    payload.readUInt32BE(DIGITS_AT) <= DIGITS_MAX &&
    payload.readBigUInt64BE(LOWEST_AT) === 1n &&
    payload.readBigUInt64BE(HIGHEST_AT) <= HIGHEST_MAX
  );
}

/** Whether the counts are complete, and fit the table. */
function areCountsSane(counts: Uint8Array): boolean {
  let total = 0;
  for (let at = 0; at < counts.length && total <= COUNTS_MAX;) {
    const { value, length } = readLeb(counts, at);
    if (at + length > counts.length) return false;
    total += value % 2 === 1 ? (value + 1) / 2 : 1;
    at += length;
  }
  return total <= COUNTS_MAX;
}

/** A value before zigzag decoding; `length` exceeds the remaining bytes if the value is truncated. */
function readLeb(bytes: Uint8Array, start: number): { readonly value: number; readonly length: number } {
  let value = 0;
  for (let i = 0; i < COUNT_BYTES_MAX; i++) {
    const byte = bytes[start + i] ?? 0x80;
    const isLast = i === COUNT_BYTES_MAX - 1 || byte < 0x80;
    value += (i === COUNT_BYTES_MAX - 1 ? byte : byte % 0x80) * 2 ** (7 * i);
    if (isLast) return { value, length: i + 1 };
  }
  return { value, length: COUNT_BYTES_MAX };
}
