import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { encodeTables, TABLE_NAMES, type TelemetryWriter } from '#load/telemetry';
import { CrashDisk } from '#testing';
import { plainRows, parquetRow } from './plain-rows.ts';
import {
  batchBytes,
  contentOf,
  DIRECTORY,
  edge,
  idsOf,
  LIFE,
  livesOf,
  openWriter,
  rowsOf,
} from './run-harness.ts';

async function newDisk(): Promise<CrashDisk> {
  const disk = new CrashDisk(1);
  await disk.makeDirectory('/runs');
  return disk;
}

async function takeAll(writer: TelemetryWriter, name: string, count: number) {
  for (let seq = 1; seq <= count; seq++) await writer.append(edge(name), seq, batchBytes(seq));
}

describe('TelemetryWriter', () => {
  it('writes every row of every edge to the parts, in order', async () => {
    const disk = await newDisk();
    const writer = await openWriter(disk);

    await Promise.all([takeAll(writer, 'a', 20), takeAll(writer, 'b', 7)]);
    await writer.seal();

    expect(await contentOf(disk, 'errors')).toEqual({ 'a i1': idsOf(20), 'b i1': idsOf(7) });
    expect(await contentOf(disk, 'balances')).toEqual({ 'a i1': idsOf(20), 'b i1': idsOf(7) });
  });

  it('lists the parts at the seal, at least one for each table, and leaves no other file', async () => {
    const disk = await newDisk();
    const writer = await openWriter(disk);
    await takeAll(writer, 'a', 20);

    const parts = await writer.seal();

    expect(new Set(parts.map(({ table }) => table))).toEqual(new Set(TABLE_NAMES));
    expect(parts.filter(({ table }) => table === 'errors').length).toBeGreaterThan(1);
    expect(parts.reduce((sum, { rows }) => sum + rows, 0)).toBe(120);
    expect(await disk.list(DIRECTORY)).toEqual(parts.map(({ name }) => name).sort());
    const [first] = parts;
    expect(first?.bytes).toBe((await disk.readBytes(join(DIRECTORY, first?.name ?? ''))).length);
    expect(first?.footerCrc).toMatch(/^[0-9a-f]{8}$/);
  });

  it('completes a running seal when it is closed, and closes no file twice', async () => {
    const disk = await newDisk();
    const writer = await openWriter(disk);
    await takeAll(writer, 'a', 20);

    const [parts] = await Promise.all([writer.seal(), writer.close(), writer.close()]);

    expect(new Set(parts.map(({ table }) => table))).toEqual(new Set(TABLE_NAMES));
    expect(await contentOf(disk, 'errors')).toEqual({ 'a i1': idsOf(20) });
    expect(await disk.list(DIRECTORY)).toEqual(parts.map(({ name }) => name).sort());
  });

  it('rejects a seal after a close, and continues the run when it is reopened', async () => {
    const disk = await newDisk();
    const writer = await openWriter(disk);
    await takeAll(writer, 'a', 3);

    const closed = writer.close();
    await expect(writer.seal()).rejects.toMatchObject({ code: 'RUN_ENDED' });
    await closed;

    const again = await openWriter(disk);
    expect(await again.append(edge('a'), 3, batchBytes(3))).toBe('duplicate');
    await again.seal();
    expect(await contentOf(disk, 'errors')).toEqual({ 'a i1': idsOf(3) });
  });

  it('acknowledges a repeated batch, and stores it once', async () => {
    const disk = await newDisk();
    const writer = await openWriter(disk);

    const outcomes = await Promise.all(
      [1, 2, 2, 1].map((seq) => writer.append(edge('a'), seq, batchBytes(seq))),
    );
    await writer.seal();

    expect(outcomes).toEqual(['taken', 'taken', 'duplicate', 'duplicate']);
    expect(await contentOf(disk, 'errors')).toEqual({ 'a i1': idsOf(2) });
  });

  it('distinguishes instances of an edge', async () => {
    const disk = await newDisk();
    const writer = await openWriter(disk);

    await writer.append(edge('a', 'i1'), 1, batchBytes(1));
    await writer.append(edge('a', 'i2'), 1, batchBytes(1));
    await writer.seal();

    expect(await contentOf(disk, 'errors')).toEqual({ 'a i1': idsOf(1), 'a i2': idsOf(1) });
  });

  it('rejects a batch after a gap, and accepts the missing one', async () => {
    const writer = await openWriter(await newDisk());

    await expect(writer.append(edge('a'), 2, batchBytes(2))).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'expected batch 1 of edge a, got 2',
    });

    expect(await writer.append(edge('a'), 1, batchBytes(1))).toBe('taken');
    await writer.close();
  });

  it('rejects invalid tables, and writes nothing of them', async () => {
    const disk = await newDisk();
    const writer = await openWriter(disk);

    await expect(writer.append(edge('a'), 1, Uint8Array.of(1, 2, 3))).rejects.toMatchObject({
      code: 'WIRE_FORMAT',
    });
    await writer.append(edge('a'), 1, batchBytes(1));
    await writer.seal();

    expect(await contentOf(disk, 'errors')).toEqual({ 'a i1': idsOf(1) });
  });

  it('rejects an id above the length limit of the journal', async () => {
    const writer = await openWriter(await newDisk());

    await expect(writer.append(edge('é'.repeat(513)), 1, batchBytes(1))).rejects.toMatchObject({
      code: 'WIRE_FORMAT',
    });
    await writer.close();
  });

  it('rejects batches after the seal', async () => {
    const writer = await openWriter(await newDisk());
    await writer.seal();

    await expect(writer.append(edge('a'), 1, batchBytes(1))).rejects.toMatchObject({ code: 'RUN_ENDED' });
    expect(writer.isSealed).toBe(true);
  });

  it('appends the rows of the hive at the seal', async () => {
    const disk = await newDisk();
    const writer = await openWriter(disk);

    await writer.seal([{ edge: edge('a'), batches: [livesOf(1)] }]);

    const expected = plainRows([LIFE]).map((row) => parquetRow('edges', row));
    expect(await rowsOf(disk, 'edges')).toEqual([
      { edge_id: 'a', instance_id: 'i1', ...expected[0], run_id: 'r1' },
    ]);
  });

  it('continues when it is reopened, and recognises earlier batches', async () => {
    const disk = await newDisk();
    const first = await openWriter(disk);
    await takeAll(first, 'a', 9);
    await first.close();

    const second = await openWriter(disk.endProcess());
    const again = await second.append(edge('a'), 9, batchBytes(9));
    const next = await second.append(edge('a'), 10, batchBytes(10));
    await second.seal();

    expect([again, next]).toEqual(['duplicate', 'taken']);
  });

  it('lists the same parts when a sealed run is reopened and sealed again', async () => {
    const disk = await newDisk();
    const writer = await openWriter(disk);
    await takeAll(writer, 'a', 9);
    const parts = await writer.seal();

    const again = await openWriter(disk.endProcess());

    expect(again.isSealed).toBe(true);
    expect(await again.seal()).toEqual(parts);
  });

  it('treats a run with one remaining part as sealed', async () => {
    const disk = await newDisk();
    const [kept, ...others] = await (await openWriter(disk)).seal();
    for (const { name } of others) await disk.remove(join(DIRECTORY, name));

    const again = await openWriter(disk.endProcess());

    expect(again.isSealed).toBe(true);
    expect(await again.seal()).toEqual([kept]);
  });

  it('passes each durable batch to the hook, in the order of each edge', async () => {
    const disk = await newDisk();
    const seen: string[] = [];
    const writer = await openWriter(disk, {
      onBatch: ({ edgeId }, batches) => {
        for (const batch of batches) {
          if (batch.table === 'errors')
            seen.push(...Array.from(batch.columns.at_us.values, (id) => `${edgeId} ${id}`));
        }
      },
    });

    await Promise.all([takeAll(writer, 'a', 4), takeAll(writer, 'b', 4)]);
    await writer.seal();

    expect(seen.filter((id) => id.startsWith('a'))).toEqual(idsOf(4).map((id) => `a ${id}`));
    expect(seen.filter((id) => id.startsWith('b'))).toEqual(idsOf(4).map((id) => `b ${id}`));
  });

  it('passes the batches of the journal to the hook again when it is reopened', async () => {
    const disk = await newDisk();
    const first = await openWriter(disk, { journalBytes: 1 << 20 });
    await takeAll(first, 'a', 3);
    await first.close();
    let rows = 0;

    const second = await openWriter(disk.endProcess(), {
      onBatch: (_, batches) => {
        rows += batches.reduce((sum, { rowCount }) => sum + rowCount, 0);
      },
    });

    expect(rows).toBe(18);
    expect(second.recovered).toEqual({ batches: 3, tornBytes: 0 });
    await second.close();
  });

  it.each([
    ['magic', 0],
    ['salt', 12],
    ['length of the marks', 20],
    ['checksum', 24],
    ['first frame', 120],
  ])('refuses to open a run whose durable bytes are damaged: %s', async (_, at) => {
    const disk = await newDisk();
    const writer = await openWriter(disk, { journalBytes: 1 << 20 });
    await takeAll(writer, 'a', 3);
    await writer.close();
    const file = await disk.open(join(DIRECTORY, 'journal-00001'), 'write');
    const byte = new Uint8Array(1);
    await file.read(byte, at);
    await file.write(Uint8Array.of(byte[0]! ^ 0xff), at);

    await expect(openWriter(disk.endProcess())).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
  });

  it('opens a run with an incomplete first journal', async () => {
    const disk = await newDisk();
    await (await openWriter(disk)).close();
    const file = await disk.open(join(DIRECTORY, 'journal-00001'), 'write');
    await file.truncate(20);

    const writer = await openWriter(disk.endProcess());

    expect(writer.recovered.batches).toBe(0);
    await writer.close();
  });

  it('rejects a journal of a later release', async () => {
    const disk = await newDisk();
    const writer = await openWriter(disk);
    await writer.close();
    const path = join(DIRECTORY, 'journal-00001');
    const bytes = await disk.readBytes(path);
    const { crc32c } = await import('../src/bytes/crc32c.ts');
    bytes[8] = 2;
    new DataView(bytes.buffer).setUint32(24, crc32c(bytes.subarray(0, 24)), true);
    await disk.remove(path);
    await disk.writeNew(path, bytes);

    await expect(openWriter(disk.endProcess())).rejects.toMatchObject({ code: 'STORE_TOO_NEW' });
  });
});

describe('a full disk', () => {
  it('rejects the current batch, later batches and the seal with NO_DISK_SPACE', async () => {
    const disk = await newDisk();
    const writer = await openWriter(disk);
    await takeAll(writer, 'a', 2);
    disk.plan({ capacityBytes: 0 });

    await expect(writer.append(edge('a'), 3, batchBytes(3))).rejects.toMatchObject({ code: 'NO_DISK_SPACE' });
    await expect(writer.append(edge('a'), 3, batchBytes(3))).rejects.toMatchObject({ code: 'NO_DISK_SPACE' });
    await expect(writer.seal()).rejects.toMatchObject({ code: 'NO_DISK_SPACE' });
    await writer.close();
  });

  it('also rejects a repeated batch that is not yet durable', async () => {
    const disk = await newDisk();
    const writer = await openWriter(disk);
    disk.plan({ capacityBytes: 0 });

    const outcomes = await Promise.allSettled(
      [1, 1].map((seq) => writer.append(edge('a'), seq, batchBytes(seq))),
    );

    const refused = { status: 'rejected', reason: { code: 'NO_DISK_SPACE' } };
    expect(outcomes).toMatchObject([refused, refused]);
    await writer.close();
  });

  it('loses no acknowledged batch: with free space the run can be reopened and sealed', async () => {
    const disk = await newDisk();
    const writer = await openWriter(disk);
    await takeAll(writer, 'a', 9);
    disk.plan({ capacityBytes: 0 });
    await expect(writer.seal()).rejects.toMatchObject({ code: 'NO_DISK_SPACE' });
    await writer.close();

    const after = disk.endProcess();
    const again = await openWriter(after);
    await again.append(edge('a'), 10, batchBytes(10));
    await again.seal();

    expect(await contentOf(after, 'errors')).toEqual({ 'a i1': idsOf(10) });
  });

  it('rejects the creation of a run', async () => {
    const disk = await newDisk();
    disk.plan({ capacityBytes: 0 });

    await expect(openWriter(disk)).rejects.toMatchObject({ code: 'NO_DISK_SPACE' });
  });
});

describe('a wire batch', () => {
  it('may hold no rows', async () => {
    const writer = await openWriter(await newDisk());

    expect(await writer.append(edge('a'), 1, encodeTables([]))).toBe('taken');
    await writer.seal();
  });
});
