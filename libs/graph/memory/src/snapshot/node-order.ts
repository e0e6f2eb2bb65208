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
  /**
   * How many live nodes of the base precede another node, plus 1, by the node's distance to them; 0: not
   * known. From the second merge on, so that later ones compare numbers instead of keys.
   */
  #places: Uint32Array | undefined;
  #isMerged = false;

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

  /** Live nodes of the base, ascending, and any others in any order (overwritten); all distinct. */
  *merge(base: Uint32Array, extras: Uint32Array): Steps<Uint32Array> {
    if (extras.length === 0) return base;
    const places = yield* this.#placesOf(extras);
    const inOrder = (a: number, b: number): number =>
      (places === undefined ? 0 : places(a) - places(b)) || this.compare(a, b);
    const ordered = yield* sortedInSteps(extras, inOrder);
    const merged = new Uint32Array(base.length + ordered.length);
    let from = 0;
    for (let at = 0; at < ordered.length; at++) {
      const node = ordered[at]!;
      const place = places?.(node);
      const isBefore =
        place === undefined
          ? (other: number) => this.compare(other, node) < 0
          : (other: number) => other < place;
      const to = firstNot(base, from, isBefore);
      merged.set(base.subarray(from, to), from + at);
      merged[to + at] = node;
      from = to;
      if (at % PLACES_PER_STEP === 0) yield;
    }
    merged.set(base.subarray(from), from + ordered.length);
    return merged;
  }

  /** The places of some nodes, unless this is the first merge. */
  *#placesOf(nodes: Uint32Array): Steps<((node: number) => number) | undefined> {
    if (!this.#isMerged) {
      this.#isMerged = true;
      return undefined;
    }
    const { liveNodes } = this.#view.base;
    const places = (this.#places ??= new Uint32Array(this.#view.delta.nodes.bound - liveNodes));
    for (let at = 0; at < nodes.length; at++) {
      const node = nodes[at]!;
      if (node < liveNodes || places[node - liveNodes] !== 0) continue;
      let [low, high] = [0, liveNodes];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (this.compare(middle, node) < 0) low = middle + 1;
        else high = middle;
      }
      places[node - liveNodes] = low + 1;
      if (at % PLACES_PER_STEP === 0) yield;
    }
    return (node) => (node < liveNodes ? node : places[node - liveNodes]! - 1);
  }

  #key(node: number): string {
    const { base } = this.#view;
    if (node >= base.nodeCount) return String(this.#view.nodeField(node, '_key'));
    const segment = base.segmentOf(node);
    return segment.keys.key(node - segment.start);
  }
}

/** The first position from `from` on whose node is not `isBefore`, found by steps of growing length. */
function firstNot(nodes: Uint32Array, from: number, isBefore: (node: number) => boolean): number {
  let low = from;
  let step = 1;
  while (low + step <= nodes.length && isBefore(nodes[low + step - 1]!)) {
    low += step;
    step *= 2;
  }
  let high = Math.min(nodes.length, low + step - 1);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(nodes[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The number of ascending numbers below `bound`; the first `from` are known to be. */
export function lowerBound(numbers: Uint32Array, bound: number, from = 0): number {
  return firstNot(numbers, from, (number) => number < bound);
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
