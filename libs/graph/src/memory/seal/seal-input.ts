import type { BaseMeta } from '../base/base-meta.ts';
import type { Delta } from '../delta/delta.ts';
import type { Names } from '../delta/view.ts';
import type { VersionLog } from '../delta/version-log.ts';
import type { StampTableParts } from '../stamp/stamp-table.ts';

/** The first versions of a log; entry 0 is void. */
export interface VersionArrays {
  readonly item: Uint32Array;
  readonly content: Uint32Array;
  readonly stamp: Uint32Array;
  readonly owners: Uint32Array;
  readonly isDeleted: Uint32Array;
  /** One past the last item. */
  readonly bound: number;
}

/** All that a new base is made of; passes to a worker as it is. */
export interface SealInput {
  readonly seq: number;
  /** Tombstones deleted before this are left out. */
  readonly purgeBeforeMs: number;
  readonly baseMeta: BaseMeta;
  readonly baseBuffers: readonly Uint8Array[];
  readonly nodes: VersionArrays;
  readonly links: VersionArrays;
  /** Four words an id, of links that are new. */
  readonly linkIds: Uint32Array;
  readonly heads: Uint32Array;
  readonly linkTexts: Uint32Array;
  readonly linkVerbs: Uint32Array;
  readonly linkFrom: Uint32Array;
  readonly linkTo: Uint32Array;
  readonly arena: readonly Uint8Array[];
  readonly stamps: StampTableParts;
  readonly verbs: readonly string[];
  readonly ownerSets: readonly (readonly string[])[];
}

export interface SealOutput {
  readonly meta: BaseMeta;
  readonly buffers: readonly Uint8Array[];
  /** New number of each node and link of before; {@link GONE} where it has none. */
  readonly nodeMap: Uint32Array;
  readonly linkMap: Uint32Array;
}

export const GONE = 0xffff_ffff;

export interface SealPoint {
  readonly seq: number;
  readonly purgeBeforeMs: number;
  /** Numbers of versions that belong to the new base. */
  readonly nodeLimit: number;
  readonly linkLimit: number;
}

/** Copies what may still grow; shares what lies in shared memory and is done. */
export function sealInput(delta: Delta, names: Names, point: SealPoint): SealInput {
  return {
    seq: point.seq,
    purgeBeforeMs: point.purgeBeforeMs,
    baseMeta: delta.base.meta,
    baseBuffers: delta.base.bag.buffers,
    nodes: versionArrays(delta.nodes, point.nodeLimit),
    links: versionArrays(delta.links, point.linkLimit),
    linkIds: delta.linkIds.words.toArray(),
    heads: delta.heads.toArray(),
    linkTexts: delta.linkTexts.toArray(),
    linkVerbs: delta.linkVerbs.toArray(),
    linkFrom: delta.linkFrom.toArray(),
    linkTo: delta.linkTo.toArray(),
    arena: delta.arena.chunks.map(
      (chunk) => new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength),
    ),
    stamps: delta.stamps.parts(),
    verbs: [...names.verbs.written],
    ownerSets: [...names.owners.sets],
  };
}

function versionArrays(log: VersionLog, limit: number): VersionArrays {
  return {
    item: log.item.data.slice(0, limit + 1),
    content: log.content.data.slice(0, limit + 1),
    stamp: log.stamp.data.slice(0, limit + 1),
    owners: log.owners.data.slice(0, limit + 1),
    isDeleted: log.isDeleted.data.slice(0, limit + 1),
    bound: log.bound,
  };
}
