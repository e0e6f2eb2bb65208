import { constants, gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import codecs from 'parquetjs-lite/lib/compression.js';
import { uninterrupted } from '#platform/threads';

/** Page compressions, all part of the Parquet format. Every reader supports `snappy`. */
export type Compression = 'none' | 'snappy' | 'gzip' | 'zstd';

export const COMPRESSIONS: readonly Compression[] = ['none', 'snappy', 'gzip', 'zstd'];

/** Codec numbers of the Parquet format. */
export const CODECS: Readonly<Record<Compression, number>> = { none: 0, snappy: 1, gzip: 2, zstd: 6 };

const ZSTD_LEVEL = 1;
const GZIP_LEVEL = 4;

const COMPRESSORS: Readonly<Record<Compression, (bytes: Uint8Array) => Uint8Array>> = {
  none: (bytes) => bytes,
  snappy: (bytes) => codecs.deflate('SNAPPY', bytes),
  gzip: (bytes) => gzipSync(bytes, { level: GZIP_LEVEL }),
  zstd: (bytes) => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } }),
};

export function compressed(bytes: Uint8Array, compression: Compression): Uint8Array {
  return uninterrupted(() => COMPRESSORS[compression](bytes));
}

/** `rawLength` limits the size of the result. */
export function decompressed(bytes: Uint8Array, compression: Compression, rawLength: number): Uint8Array {
  return uninterrupted(() => unpacked(bytes, compression, rawLength));
}

function unpacked(bytes: Uint8Array, compression: Compression, rawLength: number): Uint8Array {
  const bound = { maxOutputLength: Math.max(1, rawLength) };
  if (compression === 'gzip') return gunzipSync(bytes, bound);
  if (compression === 'zstd') return zstdDecompressSync(bytes, bound);
  return compression === 'snappy' ? codecs.inflate('SNAPPY', bytes) : bytes;
}
