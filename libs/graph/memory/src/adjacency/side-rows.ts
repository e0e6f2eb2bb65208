/** Reads the rows of one side of the base's links into growing buffers. *Hot path* of hops in queries. */
import type { LinkBuffer, NodeBuffer } from '#graph/model';
import type { Side } from './base-sides.ts';

export function hasBit(bits: Uint32Array, node: number): boolean {
  return ((bits[node >>> 5]! >>> (node & 31)) & 1) === 1;
}

/** Nodes of one segment, the first of which is `start`. */
export interface SegmentRun {
  readonly start: number;
  readonly nodes: Uint32Array;
}

/** `into` must be large enough. */
export function addLinkedRows(
  { offsets, nodes }: Side,
  run: SegmentRun,
  far: Uint32Array,
  into: NodeBuffer,
): void {
  const linked = into.nodes;
  let { count } = into;
  for (let index = 0; index < run.nodes.length; index++) {
    const row = run.nodes[index]! - run.start;
    const end = offsets[row + 1]!;
    let at = offsets[row]!;
    while (at < end && !hasBit(far, nodes[at]!)) at++;
    // Written unconditionally and counted if linked: the branch would be unpredictable.
    linked[count] = run.nodes[index]!;
    count += at < end ? 1 : 0;
  }
  into.count = count;
}

export function isLinkedRow(sides: readonly Side[], row: number, far: Uint32Array): boolean {
  for (let side = 0; side < sides.length; side++) {
    const { offsets, nodes } = sides[side]!;
    const end = offsets[row + 1]!;
    for (let at = offsets[row]!; at < end; at++) if (hasBit(far, nodes[at]!)) return true;
  }
  return false;
}

/** All links of a row. */
export function appendSide({ offsets, nodes, links }: Side, row: number, into: LinkBuffer): void {
  const end = offsets[row + 1]!;
  let at = offsets[row]!;
  let { count } = into;
  if (count + end - at > Math.min(into.nodes.length, into.links.length)) grow(into, count + end - at);
  const ends = into.nodes;
  const numbers = into.links;
  if (links === undefined) {
    for (; at < end; at++) {
      ends[count] = nodes[at]!;
      numbers[count++] = at;
    }
  } else {
    for (; at < end; at++) {
      ends[count] = nodes[at]!;
      numbers[count++] = links[at]!;
    }
  }
  into.count = count;
}

export function push(into: LinkBuffer, node: number, link: number): void {
  if (into.count >= into.nodes.length || into.count >= into.links.length) grow(into, into.count + 1);
  into.nodes[into.count] = node;
  into.links[into.count] = link;
  into.count++;
}

/** Grows the buffer to at least `length` links. */
function grow(into: LinkBuffer, length: number): void {
  growNodes(into, Math.max(16, length));
  const links = new Uint32Array(into.nodes.length);
  links.set(into.links.subarray(0, into.count));
  into.links = links;
}

export function pushNode(into: NodeBuffer, node: number): void {
  if (into.count === into.nodes.length) growNodes(into, into.count + 1);
  into.nodes[into.count++] = node;
}

/** Grows the buffer to at least `length` nodes. */
export function growNodes(into: NodeBuffer, length: number): void {
  const nodes = new Uint32Array(Math.max(length, into.nodes.length * 2));
  nodes.set(into.nodes.subarray(0, into.count));
  into.nodes = nodes;
}
