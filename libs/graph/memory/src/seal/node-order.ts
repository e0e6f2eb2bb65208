/**
 * The order of nodes in a new base: remaining nodes keep their order, added nodes are sorted and merged.
 * *Hot path*.
 *
 * 1. Each node remains, is added or is removed: first in the live part, then in the deleted part.
 * 2. The added nodes are sorted by (type, key).
 * 3. Type by type, the position of each added node among the old rows is found by galloping from the previous
 *    position.
 */
import { Uint32List } from '../array/number-list.ts';
import type { Segment } from '../base/segment.ts';
import { compareUtf8 } from '../name/utf8-order.ts';
import type { SealSources } from './seal-sources.ts';

export interface NodeRun {
  readonly type: string;
  readonly isDeleted: boolean;
  readonly start: number;
  readonly end: number;
}

export interface NodeOrder {
  /** Old number of each new node. */
  readonly order: Uint32Array;
  readonly liveNodes: number;
  readonly runs: readonly NodeRun[];
}

interface Newcomer {
  readonly node: number;
  readonly type: string;
  readonly key: string;
}

export function orderNodes(sources: SealSources): NodeOrder {
  const order = new Uint32List();
  const runs: NodeRun[] = [];
  mergePart(sources, false, order, runs);
  const liveNodes = order.length;
  mergePart(sources, true, order, runs);
  return { order: order.data.subarray(0, order.length), liveNodes, runs };
}

function mergePart(sources: SealSources, isDeleted: boolean, order: Uint32List, runs: NodeRun[]): void {
  const newcomers = Map.groupBy(findNewcomers(sources, isDeleted), ({ type }) => type);
  const segments = new Map<string, Segment>();
  for (const segment of sources.base.segments)
    if (segment.isDeleted === isDeleted) segments.set(segment.type, segment);
  const types = [...new Set([...newcomers.keys(), ...segments.keys()])].sort(compareUtf8);
  for (const type of types) {
    const start = order.length;
    mergeType(
      sources,
      { segment: segments.get(type), newcomers: newcomers.get(type) ?? [], isDeleted },
      order,
    );
    if (order.length > start) runs.push({ type, isDeleted, start, end: order.length });
  }
}

function findNewcomers(sources: SealSources, isDeleted: boolean): Newcomer[] {
  const found: Newcomer[] = [];
  const { item } = sources.input.nodes;
  const { nodeCount, liveNodes } = sources.base;
  for (let version = 1; version < item.length; version++) {
    const node = item[version]!;
    if (sources.lastOfNode[node] !== version || !belongs(sources, node, isDeleted)) continue;
    const wasThere = node < nodeCount && node >= liveNodes === isDeleted;
    if (!wasThere) found.push({ node, type: sources.type(node), key: sources.key(node) });
  }
  return found.sort((a, b) => compareUtf8(a.key, b.key));
}

function belongs(sources: SealSources, node: number, isDeleted: boolean): boolean {
  if (sources.isNodeDeleted(node) !== isDeleted) return false;
  return !isDeleted || sources.nodeDeletedAtMs(node) >= sources.input.purgeBeforeMs;
}

interface TypeParts {
  readonly segment: Segment | undefined;
  readonly newcomers: readonly Newcomer[];
  readonly isDeleted: boolean;
}

function mergeType(
  sources: SealSources,
  { segment, newcomers, isDeleted }: TypeParts,
  order: Uint32List,
): void {
  let row = 0;
  const keepTo = (end: number): void => {
    for (; segment !== undefined && row < end; row++) {
      if (belongs(sources, segment.start + row, isDeleted)) order.push(segment.start + row);
    }
  };
  for (const { node, key } of newcomers) {
    if (segment !== undefined) keepTo(segment.keys.gallop(key, row));
    order.push(node);
  }
  keepTo(segment?.size ?? 0);
}
