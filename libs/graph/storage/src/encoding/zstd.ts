/** One-shot Zstandard. Lengths are known, so the output is one allocation. */
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib';
import { uninterrupted } from '#platform/threads';

const FRAME_OVERHEAD_BYTES = 1024;
const compressAsync = promisify(zstdCompress);
const decompressAsync = promisify(zstdDecompress);

export function compress(bytes: Uint8Array, level: number): Uint8Array {
  return uninterrupted(() => zstdCompressSync(bytes, compressionOptions(bytes, level)));
}

export function decompress(bytes: Uint8Array, rawLength: number): Uint8Array {
  return uninterrupted(() => zstdDecompressSync(bytes, decompressionOptions(rawLength)));
}

export function compressOnPool(bytes: Uint8Array, level: number): Promise<Uint8Array> {
  return uninterrupted(() => compressAsync(bytes, compressionOptions(bytes, level)));
}

export function decompressOnPool(bytes: Uint8Array, rawLength: number): Promise<Uint8Array> {
  return uninterrupted(() => decompressAsync(bytes, decompressionOptions(rawLength)));
}

function compressionOptions(bytes: Uint8Array, level: number) {
  return {
    chunkSize: bytes.length + FRAME_OVERHEAD_BYTES,
    params: { [constants.ZSTD_c_compressionLevel]: level },
  };
}

function decompressionOptions(rawLength: number) {
  return { chunkSize: Math.max(rawLength, FRAME_OVERHEAD_BYTES), maxOutputLength: Math.max(rawLength, 1) };
}
