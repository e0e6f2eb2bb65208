import { describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { Registry } from 'prom-client';
import { Disk } from '#platform/disk';
import { Resources } from '#platform/foundation';
import { Log } from '#platform/observability';
import { MetricsModule } from '#platform/observability/module';
import { CrashDisk } from '#testing';
import { DIRECTORY, MemoryLog, putAll } from '../test/store-harness.ts';
import { StorageSettings } from './storage-settings.ts';
import { StorageModule } from './storage.module.ts';
import type { Storage } from './storage.ts';
import { Store } from './store/storage.port.ts';

interface Opened {
  readonly store: Storage;
  readonly log: MemoryLog;
  readonly resources: Resources;
  /** The values of a metric by its labels, in exposition syntax. */
  readonly metric: (name: string) => Promise<Record<string, string>>;
}

async function opened(disk: CrashDisk, repair = false): Promise<Opened> {
  const log = new MemoryLog();
  const settings = Object.assign(new StorageSettings(), { dataDir: DIRECTORY, repair });
  const module = await Test.createTestingModule({ imports: [MetricsModule.forRoot(), StorageModule] })
    .overrideProvider(Disk)
    .useValue(disk)
    .overrideProvider(Log)
    .useValue(log)
    .overrideProvider(StorageSettings)
    .useValue(settings)
    .compile();
  await module.init();
  const [registry, resources] = [module.get(Registry), module.get(Resources)];
  const metric = async (name: string): Promise<Record<string, string>> => {
    const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith(name));
    return Object.fromEntries(
      lines.map((line): [string, string] => {
        const [labels = '', value = ''] = line.slice(name.length).split(' ');
        return [labels, value];
      }),
    );
  };
  return { store: module.get<Storage>(Store), log, resources, metric };
}

describe('StorageModule', () => {
  it('counts the bytes of the log, and the batches per sync in buckets of powers of two', async () => {
    const { store, metric, resources } = await opened(new CrashDisk(1));
    const sizes = [1, 2, 3, 8, 9, 256, 257];
    for (const size of sizes) {
      await Promise.all(Array.from({ length: size }, (_, i) => putAll(store, { [`k${i}`]: 'v' })));
    }

    const bounds = Array.from({ length: 9 }, (_, i) => 2 ** i);
    const expected = bounds.map((bound) => [
      `{le="${bound}"}`,
      String(sizes.filter((size) => size <= bound).length),
    ]);
    expect(await metric('plexus_wal_batch_size_bucket')).toEqual(
      Object.fromEntries([...expected, ['{le="+Inf"}', String(sizes.length)]]),
    );
    expect(await metric('plexus_wal_bytes_total')).toEqual({ '': String(store.stats().wal_bytes) });
    await resources.close();
    expect(() => store.append(store.batch())).toThrow(expect.objectContaining({ code: 'STORE_UNAVAILABLE' }));
  });

  it('cuts a damaged log only with the option set, and logs it', async () => {
    const disk = new CrashDisk(1);
    const { store, resources } = await opened(disk);
    for (const key of ['a', 'b', 'c']) await putAll(store, { [key]: 'x'.repeat(600) });
    await resources.close();
    const file = await disk.open(`${DIRECTORY}/wal-0000000001`, 'write');
    await file.write(Uint8Array.of(255), 1300);
    await file.close();

    await expect(opened(disk)).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    const repaired = await opened(disk, true);

    expect(repaired.store.seq).toBe(1);
    expect(repaired.log.of('wal.repaired')).toEqual([
      expect.objectContaining({ level: 'warn', fields: expect.objectContaining({ lastSeq: 1 }) }),
    ]);
    await repaired.resources.close();
    const whole = await opened(disk, true);
    expect(whole.log.of('wal.repaired')).toEqual([]);
    await whole.resources.close();
  });
});
