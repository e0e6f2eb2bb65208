import { describe, expect, it } from '@jest/globals';
import { parquetMetadata } from 'hyparquet';
import { CrashDisk } from '#testing';
import { hyparquetRows } from '../../test/parquet-rows.ts';
import { TableBuilder } from '../builder/table-builder.ts';
import type { RowOf, TableBatch } from '../table/table-batch.ts';
import type { TableName } from '../table/tables.ts';
import { PartWriter, type PartWriterOptions } from './part-writer.ts';
import { seededRandom } from '#platform/foundation';

const ACCOUNTS = Array.from({ length: 200 }, (_, at) => new Uint8Array(20).fill(at));
const EDGE = { edgeId: 'edge-1', instanceId: 'i-1' };

function violation(nonce: number, receipt: string): RowOf<'violations'> {
  return {
    check: 'gas',
    kind: 'price',
    account: new Uint8Array(20).fill(nonce),
    hash: null,
    nonce,
    block_number: null,
    expected: '1',
    observed: '2',
    receipt_json: receipt,
    calls_json: '[]',
    at_us: nonce,
    note: null,
  };
}

async function write(
  batches: Iterable<TableBatch>,
  { table, compression = 'snappy', ...sizes }: { table: TableName } & Partial<PartWriterOptions>,
): Promise<Uint8Array> {
  const disk = new CrashDisk(1);
  await disk.makeDirectory('/run');
  const writer = new PartWriter(table, await disk.open('/run/part', 'create'), {
    runId: 'r-1',
    compression,
    ...sizes,
  });
  for (const batch of batches) await writer.append(EDGE, batch);
  await writer.finish();
  return disk.readBytes('/run/part');
}

function metadataOf(bytes: Uint8Array) {
  return parquetMetadata(Uint8Array.from(bytes).buffer);
}

/** The metadata of a column in each row group. */
function chunksOf(bytes: Uint8Array, name: string) {
  return metadataOf(bytes).row_groups.flatMap(({ columns }) =>
    columns.flatMap(({ meta_data: chunk }) => (chunk?.path_in_schema[0] === name ? [chunk] : [])),
  );
}

function* violations(receipts: readonly string[]): Generator<TableBatch> {
  const builder = new TableBuilder('violations');
  for (const [nonce, receipt] of receipts.entries()) {
    builder.reset();
    builder.append(violation(nonce, receipt));
    yield builder.batch();
  }
}

/** Rows with a wrong receipt, and missing rows; the receipts are too long for a test report. */
async function differing(bytes: Uint8Array, receipts: readonly string[]): Promise<number[]> {
  const rows = await hyparquetRows(bytes);
  return receipts.flatMap((receipt, nonce) => (rows[nonce]?.['receipt_json'] === receipt ? [] : [nonce]));
}

/** Feed rows with random hashes, in batches like those of edges. */
function* feed(rows: number): Generator<TableBatch> {
  const random = seededRandom(7);
  const builder = new TableBuilder('feed');
  const words = new Uint32Array(8);
  const hash = new Uint8Array(words.buffer);
  for (let at = 0; at < rows; at++) {
    if (at % 400 === 0) builder.reset();
    for (let word = 0; word < words.length; word++) words[word] = random() * 2 ** 32;
    builder.append({
      received_us: 1.7e15 + at * 17,
      sequence_number: at >> 3,
      tx_index: at & 7,
      tx_count: null,
      bytes: null,
      flags: 0,
      block_number: at >> 3,
      account: ACCOUNTS[at % 200] ?? hash,
      nonce: Math.floor(at / 200),
      hash,
    });
    if (at % 400 === 399 || at === rows - 1) yield builder.batch();
  }
}

describe('PartWriter', () => {
  it('stops using a dictionary above its size limit, and keeps it for the earlier pages', async () => {
    const receipts = Array.from({ length: 80 }, (_, at) => `${at >> 1} `.repeat(100_000));

    const bytes = await write(violations(receipts), { table: 'violations' });

    expect(await differing(bytes, receipts)).toEqual([]);
    expect(chunksOf(bytes, 'receipt_json')[0]?.encodings).toEqual(
      expect.arrayContaining(['PLAIN_DICTIONARY', 'PLAIN']),
    );
  });

  it('ends a row group early when its texts are long in total', async () => {
    const receipts = Array.from({ length: 160 }, (_, at) => `${at} `.repeat(80_000));

    const bytes = await write(violations(receipts), { table: 'violations' });

    expect(metadataOf(bytes).row_groups.length).toBeGreaterThan(1);
    expect(await differing(bytes, receipts)).toEqual([]);
  });

  it('writes row groups of 131,072 rows, and 64 bytes per hash', async () => {
    const bytes = await write(feed(140_000), { table: 'feed' });

    const groups = metadataOf(bytes).row_groups.map(({ num_rows: rows }) => Number(rows));
    const hashes = chunksOf(bytes, 'hash');
    expect(groups).toEqual([131_072, 140_000 - 131_072]);
    expect(hashes.map(({ codec }) => codec)).toEqual(['UNCOMPRESSED', 'UNCOMPRESSED']);
    expect(Number(hashes[0]?.total_compressed_size) / 131_072).toBeLessThan(64.1);
    expect(bytes.length / 140_000).toBeLessThan(70);
  });

  it('writes minimum, maximum and null count of number columns', async () => {
    const bytes = await write(feed(1_000), { table: 'feed' });

    const [nonce] = chunksOf(bytes, 'nonce');
    expect(nonce?.statistics).toMatchObject({ min_value: 0n, max_value: 4n, null_count: 0n });
    expect(chunksOf(bytes, 'bytes')[0]?.statistics).toMatchObject({ null_count: 1_000n });
  });

  it('writes minimum and maximum of all pages of a row group', async () => {
    const nonces = [5, 9, 3, 1, 7, 8, 6, 4, 2];
    const builder = new TableBuilder('violations');
    for (const nonce of nonces) builder.append(violation(nonce, '{}'));

    const bytes = await write([builder.batch()], { table: 'violations', pageRows: 2, rowGroupRows: 6 });

    expect(chunksOf(bytes, 'nonce').map(({ statistics }) => statistics)).toMatchObject([
      { min_value: 1n, max_value: 9n, null_count: 0n },
      { min_value: 2n, max_value: 6n, null_count: 0n },
    ]);
  });

  it('writes the table name and the format version to the footer', async () => {
    const bytes = await write([], { table: 'feed' });

    expect(metadataOf(bytes).key_value_metadata).toEqual([
      { key: 'plexus.table', value: 'feed' },
      { key: 'plexus.format', value: '1' },
    ]);
  });

  it('halves hashes under zstd', async () => {
    const bytes = await write(feed(20_000), { table: 'feed', compression: 'zstd' });

    const [hashes] = chunksOf(bytes, 'hash');
    expect(hashes?.codec).toBe('ZSTD');
    expect(Number(hashes?.total_compressed_size) / 20_000).toBeLessThan(36);
  });
});
