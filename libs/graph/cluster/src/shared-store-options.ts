import type { StorageOptions } from '#graph/storage';
import type { BaseKeeper } from './base-keeper.ts';
import type { LocalCopy } from './local-copy.ts';
import type { SharedLink, SharedLinkOptions } from './shared-link.ts';

export interface SharedStoreOptions extends SharedLinkOptions {
  /** Directory of this node's copy. */
  readonly copy: StorageOptions;
  /** A base is written when the log since the last one exceeds this size and its own. Default 64 MiB. */
  readonly baseBytesMin?: number;
  /** Called after each transaction with the number of its batches and bytes. */
  readonly onCommit?: ((batches: number, bytes: number) => void) | undefined;
}

export interface SharedStoreParts extends Pick<SharedStoreOptions, 'onCommit'> {
  readonly link: SharedLink;
  readonly copy: LocalCopy;
  readonly bases: BaseKeeper;
}
