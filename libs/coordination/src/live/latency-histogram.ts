/**
 * HDR histograms as edges send them, merged. The form is HdrHistogram's own, compressed V2:
 *
 *   0  u32 cookie 0x1c849304 (high bits)   4  u32 length   8  a zlib stream, which holds
 *   0  u32 cookie   4  u32 length   8  u32 normalising offset   12  u32 significant digits
 *   16 u64 lowest value   24 u64 highest value   32 f64 ratio   40 counts
 *
 * An edge is not trusted with the hive's memory: what would unpack to much, or asks for a large table, is
 * taken for none.
 */
import { inflateSync } from 'node:zlib';
import { decodeFromCompressedBase64, type Histogram } from 'hdr-histogram-js';

const ENCODED_BYTES_MAX = 262_144;
const UNPACKED_BYTES_MAX = 1_048_576;
const PAYLOAD_AT = 8;
const DIGITS_AT = 12;
const HEADER_BYTES = 40;
const DIGITS_MAX = 3;

/** All that can be read of these, as one; undefined when there is nothing. */
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

/** Undefined for bytes that are no such histogram. */
export function decodeHistogram(bytes: Uint8Array): Histogram | undefined {
  if (!isWithinBounds(bytes)) return undefined;
  try {
    return decodeFromCompressedBase64(Buffer.from(bytes).toString('base64'), 32, false);
  } catch {
    return undefined;
  }
}

function isWithinBounds(bytes: Uint8Array): boolean {
  if (bytes.length <= PAYLOAD_AT || bytes.length > ENCODED_BYTES_MAX) return false;
  try {
    const payload = inflateSync(bytes.subarray(PAYLOAD_AT), { maxOutputLength: UNPACKED_BYTES_MAX });
    return payload.length >= HEADER_BYTES && payload.readUInt32BE(DIGITS_AT) <= DIGITS_MAX;
  } catch {
    return false;
  }
}
