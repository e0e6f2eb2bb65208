/** A thread that compresses in an endless loop, for the tests of threads. */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { serveThread, uninterrupted } from '#platform/threads';
import type { PackingCalls } from './packing-process.ts';

const BYTES = Buffer.alloc(2_000, 'abcdefgh');

serveThread<PackingCalls>(() => ({
  calls: {
    pack: () => {
      for (;;) {
        const packed = uninterrupted(() => zstdCompressSync(BYTES));
        uninterrupted(() => zstdDecompressSync(packed));
      }
    },
  },
}));
