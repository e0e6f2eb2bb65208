/** CRC-32C (Castagnoli), the checksum of frames, segments and the manifest. */
import { createCRC32 } from 'hash-wasm';

const CASTAGNOLI = 0x82f63b78;
/** Longer input would block the event loop. */
export const CRC_SLICE_BYTES = 1024 * 1024;

const hasher = await createCRC32(CASTAGNOLI);

/** The checksum of `first` followed by `second`. */
export function crc32c(first: Uint8Array, second?: Uint8Array): number {
  hasher.init().update(first);
  if (second !== undefined) hasher.update(second);
  return asNumber(hasher.digest('binary'));
}

/** The same for long input; yields to the event loop between slices. */
export async function crc32cInSlices(first: Uint8Array, second: Uint8Array): Promise<number> {
  if (second.length <= CRC_SLICE_BYTES) return crc32c(first, second);
  const own = await createCRC32(CASTAGNOLI);
  own.init().update(first);
  for (let at = 0; at < second.length; at += CRC_SLICE_BYTES) {
    own.update(second.subarray(at, at + CRC_SLICE_BYTES));
    await new Promise(setImmediate);
  }
  return asNumber(own.digest('binary'));
}

function asNumber(digest: Uint8Array): number {
  return new DataView(digest.buffer, digest.byteOffset).getUint32(0);
}
