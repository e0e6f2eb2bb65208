import { describe, expect, it } from '@jest/globals';
import { Global, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Registry } from 'prom-client';
import { Disk } from '#platform/disk';
import { Clock, Resources, systemClock } from '#platform/foundation';
import { Log } from '#platform/observability';
import { CrashDisk } from '#testing';
import { DIRECTORY, MemoryLog, putAll } from '../test/store-harness.ts';
import { StorageModule, type StorageModuleOptions } from './storage.module.ts';
import type { Storage } from './storage.ts';
import { Store } from './store/storage.port.ts';

@Global()
@Module({})
class SurroundingModule {}

interface Opened {
  readonly store: Storage;
  readonly log: MemoryLog;
  readonly resources: Resources;
  /** The values of a metric by its labels, in exposition syntax. */
  readonly metric: (name: string) => Promise<Record<string, string>>;
}

async function opened(disk: CrashDisk, options: Partial<StorageModuleOptions> = {}): Promise<Opened> {
  const [log, registry, resources] = [new MemoryLog(), new Registry(), new Resources()];
  const providers = [
    { provide: Disk, useValue: disk },
    { provide: Clock, useValue: systemClock },
    { provide: Log, useValue: log },
    { provide: Registry, useValue: registry },
    { provide: Resources, useValue: resources },
  ];
  const surroundings = {
    module: SurroundingModule,
    providers,
    exports: providers.map(({ provide }) => provide),
  };
  const storage = StorageModule.forRoot({ directory: DIRECTORY, ...options });
  const module = await Test.createTestingModule({ imports: [surroundings, storage] }).compile();
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
    const repaired = await opened(disk, { repair: true });

    expect(repaired.store.seq).toBe(1);
    expect(repaired.log.of('wal.repaired')).toEqual([
      expect.objectContaining({ level: 'warn', fields: expect.objectContaining({ lastSeq: 1 }) }),
    ]);
    await repaired.resources.close();
    const whole = await opened(disk, { repair: true });
    expect(whole.log.of('wal.repaired')).toEqual([]);
    await whole.resources.close();
  });
});
