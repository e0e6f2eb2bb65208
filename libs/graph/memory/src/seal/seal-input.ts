/**
 * The input of a new base, copied into shared memory, so that posting it to a thread costs nothing.
 * *Hot path*: it is copied on the main thread.
 */
import type { Uint32List } from '../array/number-list.ts';
import type { BaseMeta } from '../base/base-meta.ts';
import type { Delta } from '../delta/delta.ts';
import type { Names } from '../delta/view.ts';
import type { VersionLog } from '../delta/version-log.ts';
import type { StampTableParts } from '../stamp/stamp-table.ts';

/** The first versions of a log; entry 0 is unused. */
export interface VersionArrays {
  readonly item: Uint32Array;
  readonly content: Uint32Array;
  readonly stamp: Uint32Array;
  readonly owners: Uint32Array;
  readonly isDeleted: Uint32Array;
  /** One past the last item. */
  readonly bound: number;
}

/** The complete input of a new base; may be posted to a worker. */
export interface SealInput {
  readonly seq: number;
  /** Tombstones deleted before this time are left out. */
  readonly purgeBeforeMs: number;
  readonly baseMeta: BaseMeta;
  readonly baseBuffers: readonly Uint8Array[];
  readonly nodes: VersionArrays;
  readonly links: VersionArrays;
  /** Ids of new nodes and links, four words each. */
  readonly nodeIds: Uint32Array;
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
  /** New number of each old node and link; {@link GONE} if it was removed. */
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

/** Copies growing arrays; shares finished ones in shared memory. */
export function sealInput(delta: Delta, names: Names, point: SealPoint): SealInput {
  const copying = copySealInput(delta, names, point);
  for (;;) {
    const step = copying.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Copies the input in steps, between which the delta may grow: the entries up to the point already exist and
 * never change.
 */
export function* copySealInput(
  delta: Delta,
  names: Names,
  point: SealPoint,
): Generator<undefined, SealInput> {
  const nodes = yield* versionArrays(delta.nodes, point.nodeLimit);
  const links = yield* versionArrays(delta.links, point.linkLimit);
  const nodeIds = sharedCopy(delta.nodeIds.words);
  const linkIds = sharedCopy(delta.linkIds.words);
  yield;
  const heads = sharedCopy(delta.heads);
  const linkTexts = sharedCopy(delta.linkTexts);
  yield;
  const linkVerbs = sharedCopy(delta.linkVerbs);
  const linkFrom = sharedCopy(delta.linkFrom);
  const linkTo = sharedCopy(delta.linkTo);
  yield;
  return {
    seq: point.seq,
    purgeBeforeMs: point.purgeBeforeMs,
    baseMeta: delta.base.meta,
    baseBuffers: delta.base.bag.buffers,
    nodes,
    links,
    nodeIds,
    linkIds,
    heads,
    linkTexts,
    linkVerbs,
    linkFrom,
    linkTo,
    arena: delta.arena.chunks.map(
      (chunk) => new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength),
    ),
    stamps: delta.stamps.parts(),
    verbs: [...names.verbs.written],
    ownerSets: [...names.owners.sets],
  };
}

function* versionArrays(log: VersionLog, limit: number): Generator<undefined, VersionArrays> {
  const length = limit + 1;
  const { bound } = log;
  const item = sharedCopy(log.item, length);
  const content = sharedCopy(log.content, length);
  yield;
  const stamp = sharedCopy(log.stamp, length);
  const owners = sharedCopy(log.owners, length);
  yield;
  const isDeleted = sharedCopy(log.isDeleted, length);
  yield;
  return { item, content, stamp, owners, isDeleted, bound };
}

function sharedCopy(list: Uint32List, length = list.length): Uint32Array {
  const copy = new Uint32Array(new SharedArrayBuffer(length * 4));
  copy.set(list.data.subarray(0, length));
  return copy;
}
