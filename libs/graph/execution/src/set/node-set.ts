/** Sets of nodes passed between operators. *Hot path*. */

const SCANNED_MAX = 8;
/** A set with more than one in this many nodes is a bitmap. */
const BITMAP_SHARE = 256;

/** Distinct nodes, as an array and as a predicate. */
export class NodeSet {
  static readonly EMPTY = new NodeSet(new Uint32Array(0), true, 0);

  readonly nodes: Uint32Array;
  /** Whether the nodes are in result order. */
  readonly isOrdered: boolean;
  readonly #bound: number;
  #has: ((node: number) => boolean) | undefined;
  #bits: Uint32Array | undefined;

  constructor(nodes: Uint32Array, isOrdered: boolean, bound: number) {
    this.nodes = nodes;
    this.isOrdered = isOrdered;
    this.#bound = bound;
  }

  get size(): number {
    return this.nodes.length;
  }

  get has(): (node: number) => boolean {
    return (this.#has ??= this.#membership());
  }

  /** A bit for each node of the graph. */
  get bits(): Uint32Array {
    return (this.#bits ??= bitsOf(this.nodes, this.#bound));
  }

  #membership(): (node: number) => boolean {
    const { nodes } = this;
    if (nodes.length <= SCANNED_MAX) return (node) => nodes.includes(node);
    return nodes.length * BITMAP_SHARE < this.#bound ? inSet(nodes) : inBits(this.bits);
  }

  /** The nodes accepted by `keep`, in the same order. */
  filter(keep: (node: number) => boolean): NodeSet {
    return new NodeSet(this.nodes.filter(keep), this.isOrdered, this.#bound);
  }
}

/** Does not hold the array of nodes. */
function inSet(nodes: Uint32Array): (node: number) => boolean {
  const set = new Set(nodes);
  return (node) => set.has(node);
}

function inBits(bits: Uint32Array): (node: number) => boolean {
  return (node) => (bits[node >>> 5]! & (1 << (node & 31))) !== 0;
}

function bitsOf(nodes: Uint32Array, bound: number): Uint32Array {
  const bits = new Uint32Array((bound >>> 5) + 1);
  for (let at = 0; at < nodes.length; at++) bits[nodes[at]! >>> 5]! |= 1 << (nodes[at]! & 31);
  return bits;
}
