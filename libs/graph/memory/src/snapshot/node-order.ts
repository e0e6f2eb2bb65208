/** Result order: by type, then key. Nodes of one part of the base are already in it. *Hot path*. */
import { completed, sortedInSteps, type Steps } from '#platform/foundation';
import { sortAscending } from '../adjacency/ascending.ts';
import { Marks } from '../adjacency/marks.ts';
import type { View } from '../delta/view.ts';
import { compareUtf8 } from '../name/utf8-order.ts';

const SORTED_AT_ONCE_MAX = 256;
/** Up to this number, nodes are sorted without marks. */
const FEW = 32;
const SPARE_MAX = 2;
const NODES_PER_STEP = 64;
/** Each position is found with some comparisons of keys. */
const PLACES_PER_STEP = 2;

const marks = new Marks();
/** Empty ones, for concurrent sorts. */
const spareBits: Uint32Array[] = [];

export class ReadOrder {
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
    return (
      compareUtf8(this.#view.nodeType(a), this.#view.nodeType(b)) || compareUtf8(this.#key(a), this.#key(b))
    );
  }

  /** Distinct nodes in result order, without interruption. */
  sort(nodes: Uint32Array): Uint32Array {
    const { liveNodes } = this.#view.base;
    if (isAscendingBelow(nodes, liveNodes)) return nodes;
    if (nodes.length <= FEW && isAscendingBelow(sortAscending(nodes), liveNodes)) return nodes;
    const extras: number[] = [];
    marks.begin(liveNodes);
    for (let at = 0; at < nodes.length; at++) {
      if (nodes[at]! < liveNodes) marks.add(nodes[at]!);
      else extras.push(nodes[at]!);
    }
    return completed(this.merge(marks.drain(), Uint32Array.from(new Set(extras))));
  }

  /** Like `sort`, in steps. */
  *sorted(nodes: Uint32Array): Steps<Uint32Array> {
    if (nodes.length <= SORTED_AT_ONCE_MAX) return this.sort(nodes);
    const bits = takeBits(this.#view.delta.nodes.bound);
    for (let at = 0; at < nodes.length; at++) {
      const node = nodes[at]!;
      bits[node >>> 5]! |= 1 << (node & 31);
      if (at % NODES_PER_STEP === 0) yield;
    }
    const ascending = new Uint32Array(nodes.length);
    let count = 0;
    for (let index = 0; index < bits.length; index++) {
      for (let word = bits[index]!; word !== 0; word &= word - 1)
        ascending[count++] = (index << 5) + 31 - Math.clz32(word & -word);
      bits[index] = 0;
      if (index % NODES_PER_STEP === 0) yield;
    }
    if (spareBits.length < SPARE_MAX) spareBits.push(bits);
    const found = ascending.subarray(0, count);
    const baseLength = lowerBound(found, this.#view.base.liveNodes);
    if (baseLength === count) return found;
    return yield* this.merge(found.slice(0, baseLength), found.slice(baseLength));
  }

  /** Live nodes of the base, ascending, and others in any order (overwritten); all distinct. */
  *merge(base: Uint32Array, extras: Uint32Array): Steps<Uint32Array> {
    if (extras.length === 0) return base;
    const ordered = yield* sortedInSteps(extras, (a, b) => this.compare(a, b));
    const merged = new Uint32Array(base.length + ordered.length);
    let from = 0;
    for (let at = 0; at < ordered.length; at++) {
      const to = this.#place(base, ordered[at]!, from);
      merged.set(base.subarray(from, to), from + at);
      merged[to + at] = ordered[at]!;
      from = to;
      if (at % PLACES_PER_STEP === 0) yield;
    }
    merged.set(base.subarray(from), from + ordered.length);
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

  #key(node: number): string {
    const { base } = this.#view;
    if (node >= base.nodeCount) return String(this.#view.nodeField(node, '_key'));
    const segment = base.segmentOf(node);
    return segment.keys.key(node - segment.start);
  }
}

/** The number of ascending numbers below `bound`. */
function lowerBound(numbers: Uint32Array, bound: number): number {
  let low = 0;
  for (let high = numbers.length; low < high;) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** An empty bitmap for nodes below `bound`. */
function takeBits(bound: number): Uint32Array {
  const words = (bound >>> 5) + 1;
  const bits = spareBits.pop();
  return bits !== undefined && bits.length >= words ? bits : new Uint32Array(words);
}

function isAscendingBelow(nodes: Uint32Array, bound: number): boolean {
  for (let at = 1; at < nodes.length; at++) if (nodes[at]! <= nodes[at - 1]!) return false;
  return nodes.length === 0 || nodes[nodes.length - 1]! < bound;
}
