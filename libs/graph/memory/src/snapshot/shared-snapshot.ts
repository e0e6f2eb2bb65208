/**
 * A snapshot as plain data for another thread: large parts are in shared memory and passed by reference; of
 * the delta, numbers are copied, bytes are not. The other thread replays the versions.
 */
import { Base } from '../base/base.ts';
import { BufferBag } from '../array/buffer-bag.ts';
import { Delta } from '../delta/delta.ts';
import { View } from '../delta/view.ts';
import { OwnerTable } from '../name/owner-table.ts';
import { VerbTable } from '../name/verb-table.ts';
import { DeltaCounts } from '../schema/delta-counts.ts';
import { type SealInput, sealInput, type VersionArrays } from '../seal/seal-input.ts';
import { Selector } from './selector.ts';
import type { SnapshotParts } from './snapshot-parts.ts';

/** Opaque; structured-cloneable. */
export interface SharedSnapshot {
  readonly seq: number;
  readonly includeDeleted: boolean;
  readonly deletedSinceMs: number;
  /** Equal for snapshots of the same thread over the same base. */
  readonly baseId: number;
  readonly input: SealInput;
}

/** The parts of a snapshot besides its view. */
export type SharedScope = Pick<SharedSnapshot, 'seq' | 'includeDeleted' | 'deletedSinceMs'>;

export function shareView(view: View, scope: SharedScope): SharedSnapshot {
  const { delta, names } = view;
  const point = {
    seq: scope.seq,
    purgeBeforeMs: 0,
    nodeLimit: Math.min(view.nodeLimit, delta.nodes.count),
    linkLimit: Math.min(view.linkLimit, delta.links.count),
  };
  return {
    ...scope,
    baseId: delta.base.id,
    input: sealInput(delta, names, point),
  };
}

/**
 * The receiver's base of the last snapshot that a thread has shared with it, including caches; held weakly.
 */
export class KeptBase {
  #id = 0;
  #base: WeakRef<Base> | undefined;

  of({ baseId, input }: SharedSnapshot): Base {
    const known = baseId === this.#id ? this.#base?.deref() : undefined;
    if (known !== undefined) return known;
    const base = new Base(input.baseMeta, new BufferBag(input.baseBuffers));
    this.#id = baseId;
    this.#base = new WeakRef(base);
    return base;
  }
}

/** The parts of a snapshot of this thread over the shared memory. */
export function sharedParts(shared: SharedSnapshot, kept: KeptBase): SnapshotParts {
  const { input, ...scope } = shared;
  const base = kept.of(shared);
  const delta = new Delta(base, input);
  addNodes(delta, input);
  addLinks(delta, input);
  const names = { verbs: new VerbTable(input.verbs), owners: new OwnerTable(input.ownerSets) };
  const view = new View(delta, names, { nodes: delta.nodes.count, links: delta.links.count });
  const selector = new Selector(view, scope.includeDeleted);
  const changes = new DeltaCounts(delta, scope.includeDeleted);
  return { ...scope, view, selector, changes, onRelease: () => undefined };
}

/** The first version of a new item is at the first occurrence of its number. */
function addNodes(delta: Delta, { nodes, nodeIds }: SealInput): void {
  for (let version = 1; version < nodes.item.length; version++) {
    const item = nodes.item[version] ?? 0;
    if (item >= delta.nodes.bound) delta.addNode(wordsAt(nodeIds, item - delta.base.nodeCount));
    delta.nodes.append(versionAt(nodes, version, item));
  }
}

function addLinks(delta: Delta, { links, linkIds, linkFrom, linkTo }: SealInput): void {
  const { linkCount, liveLinks } = delta.base;
  for (let version = 1; version < links.item.length; version++) {
    const item = links.item[version] ?? 0;
    const at = item - linkCount;
    if (item >= delta.links.bound) {
      delta.addLink(wordsAt(linkIds, at), { from: linkFrom[at] ?? 0, to: linkTo[at] ?? 0 });
    }
    const appended = versionAt(links, version, item);
    delta.links.append(appended);
    if (!appended.isDeleted) delta.reviveLink(item);
    else if (item < liveLinks) delta.hasChangedLinks = true;
  }
}

function wordsAt(words: Uint32Array, at: number): Uint32Array {
  return words.subarray(at * 4, at * 4 + 4);
}

function versionAt(
  versions: VersionArrays,
  version: number,
  item: number,
): Parameters<Delta['nodes']['append']>[0] {
  return {
    item,
    seq: 0,
    content: versions.content[version] ?? 0,
    stamp: versions.stamp[version] ?? 0,
    owners: versions.owners[version] ?? 0,
    isDeleted: versions.isDeleted[version] === 1,
  };
}
