import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareBytes } from './encoding/byte-order.ts';
import { getU16, getU32, getU64, setU16, setU32, setU64 } from './encoding/integers.ts';
import { decodeDirectory, encodeDirectory } from './image/image-format.ts';
import { decodeOperations } from './wal/operation.ts';
import type { LogOperation } from './store/storage.port.ts';
import { decodeRecords, encodeRecord, findRecord, recordBytes } from './segment/segment-format.ts';
import { encodeIndex, SparseIndex } from './segment/sparse-index.ts';
import { decodeManifest, encodeManifest } from './store/manifest.ts';
import { BatchBuilder } from './wal/batch-builder.ts';
import { BATCH_HEADER_BYTES } from './wal/frame.ts';
import { decodeWalHeader, encodeWalHeader } from './wal/wal-header.ts';

const u32 = fc.nat({ max: 2 ** 32 - 1 });
const u64 = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const key = fc.uint8Array({ minLength: 1, maxLength: 20 });
const value = fc.uint8Array({ maxLength: 40 });
const name = fc.stringMatching(/^[a-z]{1,8}-\d{10}$/);

const operation: fc.Arbitrary<LogOperation> = fc.oneof(
  fc.record({ kind: fc.constant('put'), key, value }),
  fc.record({ kind: fc.constant('putShared'), keys: fc.array(key, { maxLength: 4 }), value }),
  fc.record({ kind: fc.constant('delete'), key, value, purgeAtMs: u64 }),
);

const operations = fc.array(operation, { maxLength: 100 });

function build(operations: readonly LogOperation[]): BatchBuilder {
  const batch = new BatchBuilder();
  for (const one of operations) {
    if (one.kind === 'put') batch.put(one.key, one.value);
    else if (one.kind === 'putShared') batch.putShared(one.keys, one.value);
    else batch.delete(one.key, one.value, one.purgeAtMs);
  }
  return batch;
}

const segmentRecord = fc.boolean().chain((isDeleted) =>
  fc.record({
    key,
    value,
    seq: u64,
    isDeleted: fc.constant(isDeleted),
    purgeAtMs: isDeleted ? u64 : fc.constant(0),
  }),
);

const records = fc.uniqueArray(segmentRecord, { selector: (one) => String(one.key), maxLength: 100 });

describe('decoding reverses encoding', () => {
  it('for integers', () => {
    fc.assert(
      fc.property(fc.nat({ max: 2 ** 16 - 1 }), u32, u64, (small, middle, large) => {
        const bytes = new Uint8Array(14);

        setU16(bytes, 0, small);
        setU32(bytes, 2, middle);
        setU64(bytes, 6, large);

        expect([getU16(bytes, 0), getU32(bytes, 2), getU64(bytes, 6)]).toEqual([small, middle, large]);
      }),
    );
  });

  it('for the operations of a batch, in a reused builder', () => {
    fc.assert(
      fc.property(operations, operations, (before, after) => {
        const batch = build(before);
        batch.reset();
        for (const one of after) {
          if (one.kind === 'put') batch.put(one.key, one.value);
          else if (one.kind === 'putShared') batch.putShared(one.keys, one.value);
          else batch.delete(one.key, one.value, one.purgeAtMs);
        }

        const bytes = batch.encoded();

        expect(batch.operationCount).toBe(after.length);
        expect(getU32(bytes, 0)).toBe(bytes.length - BATCH_HEADER_BYTES);
        expect([...decodeOperations(bytes, BATCH_HEADER_BYTES, bytes.length)]).toEqual(after);
      }),
    );
  });

  it('for the records of a block, all at once or one by key', () => {
    fc.assert(
      fc.property(records, (some) => {
        const raw = new Uint8Array(some.reduce((sum, one) => sum + recordBytes(one), 0));

        const end = some.reduce((at, one) => encodeRecord(raw, at, one), 0);

        expect(end).toBe(raw.length);
        expect(decodeRecords(raw)).toEqual(some);
        for (const one of some) expect(findRecord(raw, one.key)).toEqual(one);
        expect(findRecord(raw, new Uint8Array(21))).toBeUndefined();
      }),
    );
  });

  it('for a sparse index, which finds the block of each first key', () => {
    const entries = fc.uniqueArray(fc.record({ firstKey: key, maxSeq: u64 }), {
      selector: (entry) => String(entry.firstKey),
      minLength: 1,
      maxLength: 300,
    });
    fc.assert(
      fc.property(entries, (some) => {
        const sorted = some
          .toSorted((a, b) => compareBytes(a.firstKey, b.firstKey))
          .map((entry, i) => ({ ...entry, offset: 16 + i * 100 }));

        const index = new SparseIndex(encodeIndex(sorted), sorted.length, 16 + sorted.length * 100);

        for (const [i, entry] of sorted.entries()) {
          expect(index.blockOf(entry.firstKey)).toBe(i);
          expect([index.startOf(i), index.endOf(i)]).toEqual([entry.offset, entry.offset + 100]);
        }
      }),
    );
  });

  it('for a manifest', () => {
    const segment = fc.record({ name, bytes: u64, records: u64, min_seq: u64, max_seq: u64 });
    const manifest = fc.record({
      segments: fc.array(segment, { maxLength: 40 }),
      first_wal: u64,
      flushed_seq: u64,
      image: fc.option(fc.record({ name, seq: u64 })),
      purged_seq: u64,
      next_number: u64,
      compactions: u64,
    });
    fc.assert(
      fc.property(manifest, (one) => {
        const decoded = decodeManifest(encodeManifest(one));

        expect(JSON.stringify(decoded)).toBe(JSON.stringify(one));
      }),
    );
  });

  it("for an image's directory", () => {
    const chunk = fc.record({ offset: u64, storedBytes: u32, rawBytes: u32, checksum: u32 });
    const part = fc.record({
      bytes: u64,
      isCompressed: fc.boolean(),
      chunks: fc.array(chunk, { maxLength: 20 }),
    });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        expect(decodeDirectory(encodeDirectory(parts))).toEqual(parts);
      }),
    );
  });

  it('for the header of a log file, and rejects a header with any bit flipped', () => {
    const header = fc.record({ number: u64, firstSeq: u64, salt: u32 });
    fc.assert(
      fc.property(header, fc.nat({ max: 35 }), fc.nat({ max: 7 }), (one, at, bit) => {
        const bytes = encodeWalHeader(one);

        expect(decodeWalHeader(bytes, 'wal')).toEqual(one);

        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
        expect(decodeWalHeader(bytes, 'wal')).toBeUndefined();
      }),
    );
  });
});
