import { describe, expect, it } from '@jest/globals';
import type { FixedColumn } from '../table/table-batch.ts';
import { CODECS, COMPRESSIONS } from './compression.ts';
import { HashChunk } from './hash-chunk.ts';

const ROWS = 50;

describe('HashChunk', () => {
  it.each(COMPRESSIONS)(
    'compresses with all codecs except Snappy, which cannot shrink hashes: %s',
    (compression) => {
      const chunk = new HashChunk({ isNullable: false, compression, pageRows: ROWS });
      const zeros: FixedColumn = {
        form: 'fixed',
        width: 32,
        bytes: new Uint8Array(ROWS * 32),
        codes: Int32Array.from({ length: ROWS }, (_, at) => at),
      };
      chunk.append(zeros, 0, ROWS);
      chunk.endPage();

      expect(chunk.finish().codec).toBe(compression === 'snappy' ? CODECS.none : CODECS[compression]);
    },
  );
});
