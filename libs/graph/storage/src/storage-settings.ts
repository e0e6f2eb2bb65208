import type { Disk } from '#platform/disk';
import type { Clock, Resources } from '#platform/foundation';
import type { Log } from '#platform/observability';
import type { Store } from './store/storage.port.ts';

/** What a store is opened with. */
export interface StoreContext {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly log: Log;
  /** Closes the store. */
  readonly resources: Resources;
  readonly onCommit: (batches: number, bytes: number) => void;
}

/** Settings of the store. */
export class StorageSettings {
  /** Directory of the store. */
  readonly dataDir: string = './plexus-data';
  /** Cut a log at a corrupt middle, and keep a copy. */
  readonly repair: boolean = false;
  /** Opens another store in its place, such as one in a database. */
  readonly openStore: ((context: StoreContext) => Promise<Store>) | undefined = undefined;
}
