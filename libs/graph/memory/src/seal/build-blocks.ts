/**
 * Builds the links at each node, by verb, direction and type: offsets into the lists of links. *Hot path* of
 * sealing.
 */
import type { BufferBag } from '../array/buffer-bag.ts';
import type { BlockMeta } from '../base/base-meta.ts';
import { type LinkOrder, sortBy, type VerbRange } from './link-order.ts';
import type { NodeRun } from './node-order.ts';

export interface IncomingLinks {
  readonly links: Uint32Array;
  readonly from: Uint32Array;
  readonly to: Uint32Array;
}

/** The links of each verb, ordered by target. */
export function orderInLinks({ from, to, ranges }: LinkOrder, nodeCount: number): IncomingLinks {
  const links = new Uint32Array(new SharedArrayBuffer(to.length * 4));
  for (let link = 0; link < links.length; link++) links[link] = link;
  for (const { start, end } of ranges)
    links.set(
      sortBy(links.subarray(start, end), nodeCount, (link) => to[link]!),
      start,
    );
  const sources = new Uint32Array(new SharedArrayBuffer(to.length * 4));
  const targets = new Uint32Array(to.length);
  for (let at = 0; at < links.length; at++) {
    sources[at] = from[links[at]!]!;
    targets[at] = to[links[at]!]!;
  }
  return { links, from: sources, to: targets };
}

export interface BlockSources {
  /** The node at this side of each link, in list order: ascending within a range. */
  readonly keys: Uint32Array;
  readonly ranges: readonly VerbRange[];
  readonly runs: readonly NodeRun[];
  readonly isOut: boolean;
}

export function buildBlocks(bag: BufferBag, { keys, ranges, runs, isOut }: BlockSources): BlockMeta[] {
  const blocks: BlockMeta[] = [];
  for (const { group, isDeleted, start, end } of ranges) {
    let at = start;
    runs.forEach((run, segment) => {
      if (at === end || keys[at]! >= run.end) return;
      const offsets = bag.uint32(run.end - run.start + 1);
      for (let row = 0; row < offsets.length; row++) {
        while (at < end && keys[at]! < run.start + row) at++;
        offsets[row] = at;
      }
      blocks.push({ group, segment, isOut, isDeleted, offsets: bag.last });
    });
  }
  return blocks;
}
