/**
 * The order of links in a new base: (live before deleted, verb, from, to), by stable counting sorts from the
 * last key to the first. *Hot path*.
 */
import { Uint32List } from '../array/number-list.ts';
import type { SealSources } from './seal-sources.ts';
import { GONE } from './seal-input.ts';

/** Links `[start, end)` of one verb. */
export interface VerbRange {
  readonly group: number;
  readonly isDeleted: boolean;
  readonly start: number;
  readonly end: number;
}

export interface LinkOrder {
  /** Old number of each new link. */
  readonly order: Uint32Array;
  readonly liveLinks: number;
  /** New node numbers, in shared memory. */
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  readonly ranges: readonly VerbRange[];
}

export function orderLinks(sources: SealSources, nodeMap: Uint32Array): LinkOrder {
  const kept = keptLinks(sources, nodeMap);
  const nodeCount = nodeMap.length;
  const groupCount = sources.verbs.groupNames.length;
  const keyOf = (link: number): number =>
    (sources.isLinkDeleted(link) ? groupCount : 0) + sources.verbs.groups[sources.linkVerb(link)]!;
  const byTo = sortBy(kept, nodeCount, (link) => nodeMap[sources.linkTo(link)]!);
  const byFrom = sortBy(byTo, nodeCount, (link) => nodeMap[sources.linkFrom(link)]!);
  const order = sortBy(byFrom, groupCount * 2, keyOf);
  const from = sharedUint32(order.length);
  const to = sharedUint32(order.length);
  for (let at = 0; at < order.length; at++) {
    from[at] = nodeMap[sources.linkFrom(order[at]!)]!;
    to[at] = nodeMap[sources.linkTo(order[at]!)]!;
  }
  const ranges = findRanges(order, groupCount, keyOf);
  const liveLinks = ranges.reduce((sum, range) => (range.isDeleted ? sum : sum + range.end - range.start), 0);
  return { order, liveLinks, from, to, ranges };
}

function keptLinks(sources: SealSources, nodeMap: Uint32Array): Uint32Array {
  const kept = new Uint32List();
  const { purgeBeforeMs, links } = sources.input;
  for (let link = 0; link < links.bound; link++) {
    if (!sources.linkExists(link)) continue;
    if (sources.isLinkDeleted(link) && sources.linkDeletedAtMs(link) < purgeBeforeMs) continue;
    if (nodeMap[sources.linkFrom(link)] === GONE || nodeMap[sources.linkTo(link)] === GONE) continue;
    kept.push(link);
  }
  return kept.data.subarray(0, kept.length);
}

/** Stable; keys are below `keyBound`. */
export function sortBy(items: Uint32Array, keyBound: number, keyOf: (item: number) => number): Uint32Array {
  const keys = new Uint32Array(items.length);
  const next = new Uint32Array(keyBound + 1);
  for (let at = 0; at < items.length; at++) {
    keys[at] = keyOf(items[at]!);
    next[keys[at]! + 1]!++;
  }
  for (let key = 0; key < keyBound; key++) next[key + 1]! += next[key]!;
  const sorted = new Uint32Array(items.length);
  for (let at = 0; at < items.length; at++) sorted[next[keys[at]!]!++] = items[at]!;
  return sorted;
}

function findRanges(order: Uint32Array, groupCount: number, keyOf: (link: number) => number): VerbRange[] {
  const ranges: VerbRange[] = [];
  for (let start = 0; start < order.length;) {
    const key = keyOf(order[start]!);
    let end = start + 1;
    while (end < order.length && keyOf(order[end]!) === key) end++;
    ranges.push({ group: key % groupCount, isDeleted: key >= groupCount, start, end });
    start = end;
  }
  return ranges;
}

function sharedUint32(length: number): Uint32Array {
  return new Uint32Array(new SharedArrayBuffer(length * 4));
}
