import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { CommitMetrics, Store } from '#graph/storage';
import { Disk } from '#platform/disk';
import { Clock, Resources, type Secret } from '#platform/foundation';
import { Log } from '#platform/observability';
import { requireSchema } from './schema.ts';
import { SharedStore } from './shared-store.ts';
import { parseStoreAddress } from './store-address.ts';

export interface ClusterModuleOptions {
  /** `postgres://user@host:port,host:port/database`. */
  readonly url: Secret;
  /** Overrides the password in the address. */
  readonly password: Secret | undefined;
  readonly schema: string;
  /**
   * Holds this node's copy, in a folder of its own: it may be any directory. Undefined: a temporary one,
   * removed when the node stops.
   */
  readonly cacheDir: string | undefined;
}

/**
 * The store in a database, open while the application runs. Throws the errors of {@link SharedStore.open}.
 */
@Global()
@Module({})
export class ClusterModule {
  static forRoot(options: ClusterModuleOptions): DynamicModule {
    return {
      module: ClusterModule,
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
            const address = parseStoreAddress(options.url.reveal(), options.password);
            const schema = requireSchema(options.schema);
            const node = nodeName();
            const metrics = new CommitMetrics(registry);
            const directory =
              options.cacheDir === undefined
                ? join(tmpdir(), `plexus-${node}`)
                : join(options.cacheDir, COPY_FOLDER);
            const copy = { disk, directory, clock, log };
            const onCommit = (batches: number, bytes: number): void => metrics.commit(batches, bytes);
            const open = (): Promise<SharedStore> =>
              SharedStore.open({ address, schema, node, log, copy, onCommit });
            if (options.cacheDir === undefined) resources.add(() => disk.removeDirectory(directory));
            return resources.open(open, (store) => store.close());
          },
        },
      ],
      exports: [Store],
    };
  }
}

/** Nothing outside it is removed: the directory may hold other files, even a store. */
const COPY_FOLDER = 'plexus-copy';
const SUFFIX_BYTES = 4;

/** Readable, and unique to this process. Contains no dots: cursors contain it and use dots as separators. */
function nodeName(): string {
  const host = hostname().replaceAll(/[^A-Za-z0-9-]/g, '-');
  return `${host}-${randomBytes(SUFFIX_BYTES).toString('hex')}`;
}
