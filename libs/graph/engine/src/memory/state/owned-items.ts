/**
 * Which nodes, or links, a connector owns: flags by owner set, over all rows. *Hot path* of a sync's diff.
 */
import { Uint32List } from '../array/number-list.ts';
import type { UnsignedArray } from '../array/buffer-bag.ts';
import type { VersionLog } from '../delta/version-log.ts';

export interface OwnedScope {
  /** Owner set of each of the base's rows. */
  readonly owners: UnsignedArray;
  readonly liveCount: number;
  /** By owner set: whether the connector is in it. */
  readonly flags: Uint8Array;
}

/** Live items by their latest versions. */
export function ownedItems(log: VersionLog, { owners, liveCount, flags }: OwnedScope): Uint32Array {
  const found = new Uint32List();
  for (let item = 0; item < liveCount; item++) {
    if (flags[owners[item]!] === 1 && log.latest(item) === 0) found.push(item);
  }
  for (let version = 1; version <= log.count; version++) {
    const item = log.item.data[version]!;
    if (log.latest(item) !== version || log.isDeleted.data[version] === 1) continue;
    if (flags[log.owners.data[version]!] === 1) found.push(item);
  }
  return found.data.slice(0, found.length);
}
