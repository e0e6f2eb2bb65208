/** CRC-32C (Castagnoli), the checksum of journals and footers. */
import { createCRC32 } from 'hash-wasm';

const CASTAGNOLI = 0x82f63b78;

const hasher = await createCRC32(CASTAGNOLI);

/** The checksum of the concatenated pieces. */
export function crc32c(...pieces: readonly Uint8Array[]): number {
  hasher.init();
  for (const piece of pieces) hasher.update(piece);
  const digest = hasher.digest('binary');
  return new DataView(digest.buffer, digest.byteOffset).getUint32(0);
}
