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
  it('has every row of every edge in its parts after the seal, in order', async () => {
    const disk = await newDisk();
    const writer = await openWriter(disk);

    await Promise.all([takeAll(writer, 'a', 20), takeAll(writer, 'b', 7)]);
    await writer.seal();

    expect(await contentOf(disk, 'errors')).toEqual({ 'a i1': idsOf(20), 'b i1': idsOf(7) });
    expect(await contentOf(disk, 'balances')).toEqual({ 'a i1': idsOf(20), 'b i1': idsOf(7) });
  });

  it('lists its parts, at least one for each table, and leaves no other file', async () => {
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

  it('completes a seal that is under way when it is closed, and closes no file twice', async () => {
    const disk = await newDisk();
    const writer = await openWriter(disk);
    await takeAll(writer, 'a', 20);

    const [parts] = await Promise.all([writer.seal(), writer.close(), writer.close()]);

    expect(new Set(parts.map(({ table }) => table))).toEqual(new Set(TABLE_NAMES));
    expect(await contentOf(disk, 'errors')).toEqual({ 'a i1': idsOf(20) });
    expect(await disk.list(DIRECTORY)).toEqual(parts.map(({ name }) => name).sort());
  });

  it('seals nothing once it is closed: the run goes on when it is opened again', async () => {
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

  it('takes a batch that comes again for done, and takes it once', async () => {
    const disk = await newDisk();
    const writer = await openWriter(disk);

    const outcomes = await Promise.all(
      [1, 2, 2, 1].map((seq) => writer.append(edge('a'), seq, batchBytes(seq))),
    );
    await writer.seal();

    expect(outcomes).toEqual(['taken', 'taken', 'duplicate', 'duplicate']);
    expect(await contentOf(disk, 'errors')).toEqual({ 'a i1': idsOf(2) });
  });

  it('tells instances of an edge apart', async () => {
    const disk = await newDisk();
    const writer = await openWriter(disk);

    await writer.append(edge('a', 'i1'), 1, batchBytes(1));
    await writer.append(edge('a', 'i2'), 1, batchBytes(1));
    await writer.seal();

    expect(await contentOf(disk, 'errors')).toEqual({ 'a i1': idsOf(1), 'a i2': idsOf(1) });
  });

  it('refuses a batch with a gap before it, and takes the one that belongs there', async () => {
    const writer = await openWriter(await newDisk());

    await expect(writer.append(edge('a'), 2, batchBytes(2))).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'expected batch 1 of edge a, got 2',
    });

    expect(await writer.append(edge('a'), 1, batchBytes(1))).toBe('taken');
    await writer.close();
  });

  it('refuses bytes that are no tables, and writes nothing of them', async () => {
    const disk = await newDisk();
    const writer = await openWriter(disk);

    await expect(writer.append(edge('a'), 1, Uint8Array.of(1, 2, 3))).rejects.toMatchObject({
      code: 'WIRE_FORMAT',
    });
    await writer.append(edge('a'), 1, batchBytes(1));
    await writer.seal();

    expect(await contentOf(disk, 'errors')).toEqual({ 'a i1': idsOf(1) });
  });

  it('refuses an id that its journal could not give back', async () => {
    const writer = await openWriter(await newDisk());

    await expect(writer.append(edge('é'.repeat(513)), 1, batchBytes(1))).rejects.toMatchObject({
      code: 'WIRE_FORMAT',
    });
    await writer.close();
  });

  it('refuses batches after the seal', async () => {
    const writer = await openWriter(await newDisk());
    await writer.seal();

    await expect(writer.append(edge('a'), 1, batchBytes(1))).rejects.toMatchObject({ code: 'RUN_ENDED' });
    expect(writer.isSealed).toBe(true);
  });

  it('adds the rows of the hive at the seal', async () => {
    const disk = await newDisk();
    const writer = await openWriter(disk);

    await writer.seal([{ edge: edge('a'), batches: [livesOf(1)] }]);

    const expected = plainRows([LIFE]).map((row) => parquetRow('edges', row));
    expect(await rowsOf(disk, 'edges')).toEqual([
      { edge_id: 'a', instance_id: 'i1', ...expected[0], run_id: 'r1' },
    ]);
  });

  it('goes on where it was when it is opened again, and knows the batches of before', async () => {
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

  it('lists the same parts when a sealed run is opened and sealed again', async () => {
    const disk = await newDisk();
    const writer = await openWriter(disk);
    await takeAll(writer, 'a', 9);
    const parts = await writer.seal();

    const again = await openWriter(disk.endProcess());

    expect(again.isSealed).toBe(true);
    expect(await again.seal()).toEqual(parts);
  });

  it('takes a run for sealed of which one part is left', async () => {
    const disk = await newDisk();
    const [kept, ...others] = await (await openWriter(disk)).seal();
    for (const { name } of others) await disk.remove(join(DIRECTORY, name));

    const again = await openWriter(disk.endProcess());

    expect(again.isSealed).toBe(true);
    expect(await again.seal()).toEqual([kept]);
  });

  it('shows each batch to its hook, once it is durable, in the order of each edge', async () => {
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

  it('shows the batches of its journal to the hook again when it is opened again', async () => {
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

  it('opens a run whose first journal was being made', async () => {
    const disk = await newDisk();
    await (await openWriter(disk)).close();
    const file = await disk.open(join(DIRECTORY, 'journal-00001'), 'write');
    await file.truncate(20);

    const writer = await openWriter(disk.endProcess());

    expect(writer.recovered.batches).toBe(0);
    await writer.close();
  });

  it('refuses a journal of a later release', async () => {
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
  it('is told by its name, to the batch that met it and to all that come', async () => {
    const disk = await newDisk();
    const writer = await openWriter(disk);
    await takeAll(writer, 'a', 2);
    disk.plan({ capacityBytes: 0 });

    await expect(writer.append(edge('a'), 3, batchBytes(3))).rejects.toMatchObject({ code: 'NO_DISK_SPACE' });
    await expect(writer.append(edge('a'), 3, batchBytes(3))).rejects.toMatchObject({ code: 'NO_DISK_SPACE' });
    await expect(writer.seal()).rejects.toMatchObject({ code: 'NO_DISK_SPACE' });
    await writer.close();
  });

  it('is told to a batch that came twice too, before it is durable', async () => {
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

  it('costs nothing that was acknowledged: with room again the run can be opened and sealed', async () => {
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

  it('stops a run from being begun', async () => {
    const disk = await newDisk();
    disk.plan({ capacityBytes: 0 });

    await expect(openWriter(disk)).rejects.toMatchObject({ code: 'NO_DISK_SPACE' });
  });
});

describe('a batch of the wire', () => {
  it('may hold no rows', async () => {
    const writer = await openWriter(await newDisk());

    expect(await writer.append(edge('a'), 1, encodeTables([]))).toBe('taken');
    await writer.seal();
  });
});
