import { Module } from '@nestjs/common';
import { makeCounterProvider, makeHistogramProvider } from '@willsoto/nestjs-prometheus';
import { Disk, NodeDisk } from '#platform/disk';
import { Clock, Resources } from '#platform/foundation';
import { Log } from '#platform/observability';
import { settingsOf } from '#platform/runtime';
import { PlatformModule } from '#platform/runtime/module';
import { CommitMetrics, WAL_BATCH_SIZE, WAL_BYTES } from './commit/commit-metrics.ts';
import { InlineJobRunner } from './jobs/job-runners.ts';
import { repairStore } from './recovery/repair.ts';
import { StorageSettings, type StoreContext } from './storage-settings.ts';
import { Storage } from './storage.ts';
import { Store } from './store/storage.port.ts';

/** One gigabyte takes a minute, and a few percent of one processor. */
const SCRUB = { everyMs: 86_400_000, bytesPerSecond: 16 * 1024 * 1024 };

/** The store, open for the lifetime of the application. Errors are those of `Storage.open`. */
@Module({
  imports: [PlatformModule],
  providers: [
    settingsOf(StorageSettings),
    CommitMetrics,
    makeCounterProvider({ name: WAL_BYTES, help: 'bytes written to the log', registers: [] }),
    makeHistogramProvider({
      name: WAL_BATCH_SIZE,
      help: 'number of batches in one sync',
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
      registers: [],
    }),
    {
      provide: Store,
      inject: [StorageSettings, Disk, Clock, Log, CommitMetrics, Resources],
      useFactory: (
        settings: StorageSettings,
        disk: Disk,
        clock: Clock,
        log: Log,
        metrics: CommitMetrics,
        resources: Resources,
      ): Promise<Store> => {
        const onCommit = (batches: number, bytes: number): void => metrics.commit(batches, bytes);
        const context = { disk, clock, log, resources, onCommit };
        return settings.openStore?.(context) ?? openStorage(settings, context);
      },
    },
  ],
  exports: [Store],
})
export class StorageModule {}

async function openStorage(
  { dataDir: directory, repair }: StorageSettings,
  { disk, clock, log, resources, onCommit }: StoreContext,
): Promise<Store> {
  if (repair) await repairLog(disk, directory, log);
  // Worker threads can access only the machine's file system.
  const jobs = disk instanceof NodeDisk ? {} : { jobs: new InlineJobRunner(disk) };
  const options = { disk, directory, clock, log, onCommit, scrub: SCRUB, ...jobs };
  const open = (): Promise<Storage> => Storage.open(options);
  return resources.open(open, (storage) =>
    storage.close({ isNeeded: resources.isStarted || storage.seq > 0 }),
  );
}

async function repairLog(disk: Disk, directory: string, log: Log): Promise<void> {
  const report = await repairStore(disk, directory, log);
  if (report !== undefined) log.warn({ event: 'wal.repaired', ...report }, 'damaged log cut');
}
