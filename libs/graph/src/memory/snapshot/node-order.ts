/** Result order: by type, then key. Nodes of one part of the base stand in it already. *Hot path*. */
import { Marks } from '../adjacency/marks.ts';
import type { View } from '../delta/view.ts';
import { compareUtf8 } from '../order/utf8-order.ts';

const marks = new Marks();

export class NodeOrder {
  readonly #view: View;

  constructor(view: View) {
    this.#view = view;
  }

  compare(a: number, b: number): number {
    const { liveNodes, nodeCount } = this.#view.base;
    if (a === b) return 0;
    if (
      (a < liveNodes && b < liveNodes) ||
      (a >= liveNodes && b >= liveNodes && a < nodeCount && b < nodeCount)
    )
      return a - b;
    return compareUtf8(this.#type(a), this.#type(b)) || compareUtf8(this.#key(a), this.#key(b));
  }

  /** Distinct nodes in result order. */
  sort(nodes: Uint32Array): Uint32Array {
    const { liveNodes } = this.#view.base;
    if (isAscendingBelow(nodes, liveNodes)) return nodes;
    const extras: number[] = [];
    marks.begin(liveNodes);
    for (let at = 0; at < nodes.length; at++) {
      if (nodes[at]! < liveNodes) marks.add(nodes[at]!);
      else extras.push(nodes[at]!);
    }
    return this.merge(marks.take(), extras.length < 2 ? extras : [...new Set(extras)]);
  }

  /** Live nodes of the base, ascending, and others in any order; none of them twice. */
  merge(base: Uint32Array, extras: number[]): Uint32Array {
    if (extras.length === 0) return base;
    extras.sort((a, b) => this.compare(a, b));
    const merged = new Uint32Array(base.length + extras.length);
    let from = 0;
    for (let at = 0; at < extras.length; at++) {
      const to = this.#place(base, extras[at]!, from);
      merged.set(base.subarray(from, to), from + at);
      merged[to + at] = extras[at]!;
      from = to;
    }
    merged.set(base.subarray(from), from + extras.length);
    return merged;
  }

  #place(base: Uint32Array, node: number, from: number): number {
    let low = from;
    let step = 1;
    while (low + step <= base.length && this.compare(base[low + step - 1]!, node) < 0) {
      low += step;
      step *= 2;
    }
    let high = Math.min(base.length, low + step - 1);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compare(base[middle]!, node) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #type(node: number): string {
    const { base } = this.#view;
    return node < base.nodeCount ? base.segmentOf(node).type : String(this.#view.nodeField(node, '_type'));
  }

  #key(node: number): string {
    const { base } = this.#view;
    if (node >= base.nodeCount) return String(this.#view.nodeField(node, '_key'));
    const segment = base.segmentOf(node);
    return segment.keys.key(node - segment.start);
  }
}

function isAscendingBelow(nodes: Uint32Array, bound: number): boolean {
  for (let at = 1; at < nodes.length; at++) if (nodes[at]! <= nodes[at - 1]!) return false;
  return nodes.length === 0 || nodes[nodes.length - 1]! < bound;
}
