import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import type { Store, StoreContext } from '#graph/storage';
import type { Secret } from '#platform/foundation';
import { requireSchema } from './schema.ts';
import { SharedStore } from './shared-store.ts';
import { parseStoreAddress } from './store-address.ts';

export interface SharedStoreSettings {
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
 * Opens the store in a database, with a copy of this node. Throws the errors of {@link SharedStore.open}.
 */
export async function openSharedStore(
  options: SharedStoreSettings,
  { disk, clock, log, resources, onCommit }: StoreContext,
): Promise<Store> {
  const address = parseStoreAddress(options.url.reveal(), options.password);
  const schema = requireSchema(options.schema);
  const node = nodeName();
  const { cacheDir } = options;
  const directory = cacheDir === undefined ? join(tmpdir(), `plexus-${node}`) : join(cacheDir, COPY_FOLDER);
  const copy = { disk, directory, clock, log };
  if (cacheDir === undefined) resources.add(() => disk.removeDirectory(directory));
  return resources.open(
    () => SharedStore.open({ address, schema, node, log, copy, onCommit }),
    (store) => store.close(),
  );
}

/** Nothing outside it is removed: the directory may hold other files, even a store. */
const COPY_FOLDER = 'plexus-copy';
const SUFFIX_BYTES = 4;

/** Readable, and unique to this process. Contains no dots: cursors contain it and use dots as separators. */
function nodeName(): string {
  const host = hostname().replaceAll(/[^A-Za-z0-9-]/g, '-');
  return `${host}-${randomBytes(SUFFIX_BYTES).toString('hex')}`;
}
