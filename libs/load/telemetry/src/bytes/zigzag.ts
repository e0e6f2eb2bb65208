import type { ByteReader } from './byte-reader.ts';

/** A signed number as varint, its sign in the lowest bit. Exact within ±2^53. *Hot path*. */
export function readZigzag(from: ByteReader): number {
  // Doubling would be inexact: the low bit and six more stand in the first byte.
  const lowest = from.u8('a number');
  const rest = lowest >= 0x80 ? from.varint('a number') : 0;
  const magnitude = ((lowest & 0x7f) >>> 1) + rest * 64;
  return (lowest & 1) === 1 ? -magnitude - 1 : magnitude;
}
