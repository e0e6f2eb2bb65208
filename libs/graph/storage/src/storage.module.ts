import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Disk, NodeDisk } from '#platform/disk';
import { Clock, Resources } from '#platform/foundation';
import { Log } from '#platform/observability';
import { CommitMetrics } from './commit/commit-metrics.ts';
import { InlineJobRunner } from './jobs/job-runners.ts';
import { repairStore } from './recovery/repair.ts';
import { Storage } from './storage.ts';
import { Store } from './store/storage.port.ts';

export interface StorageModuleOptions {
  readonly directory: string;
  /** Cut a log at a corrupt middle, and keep a copy. */
  readonly repair?: boolean;
}

/** One gigabyte takes a minute, and a few percent of one processor. */
const SCRUB = { everyMs: 86_400_000, bytesPerSecond: 16 * 1024 * 1024 };

/** The store, open for the lifetime of the application. Errors are those of `Storage.open`. */
@Global()
@Module({})
export class StorageModule {
  static forRoot({ directory, repair = false }: StorageModuleOptions): DynamicModule {
    return {
      module: StorageModule,
      providers: [
        {
          provide: Store,
          inject: [Disk, Clock, Log, Registry, Resources],
          useFactory: async (
            disk: Disk,
            clock: Clock,
            log: Log,
            registry: Registry,
            resources: Resources,
          ): Promise<Store> => {
            if (repair) await repairLog(disk, directory, log);
            const metrics = new CommitMetrics(registry);
            const onCommit = (batches: number, bytes: number): void => metrics.commit(batches, bytes);
            // Worker threads can access only the machine's file system.
            const jobs = disk instanceof NodeDisk ? {} : { jobs: new InlineJobRunner(disk) };
            const options = { disk, directory, clock, log, onCommit, scrub: SCRUB, ...jobs };
            const open = (): Promise<Storage> => Storage.open(options);
            return resources.open(open, (storage) =>
              storage.close({ isNeeded: resources.isStarted || storage.seq > 0 }),
            );
          },
        },
      ],
      exports: [Store],
    };
  }
}

async function repairLog(disk: Disk, directory: string, log: Log): Promise<void> {
  const report = await repairStore(disk, directory, log);
  if (report !== undefined) log.warn({ event: 'wal.repaired', ...report }, 'damaged log cut');
}
