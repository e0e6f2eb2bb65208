const SCANNED_MAX = 8;
/** Above one node in so many, a set is a bitmap. */
const BITMAP_SHARE = 256;

/** Distinct nodes, as an array and as a question. */
export class NodeSet {
  static readonly EMPTY = new NodeSet(new Uint32Array(0), true, 0);

  readonly nodes: Uint32Array;
  /** Whether the nodes stand in result order. */
  readonly isOrdered: boolean;
  readonly #bound: number;
  #has: ((node: number) => boolean) | undefined;

  constructor(nodes: Uint32Array, isOrdered: boolean, bound: number) {
    this.nodes = nodes;
    this.isOrdered = isOrdered;
    this.#bound = bound;
  }

  get size(): number {
    return this.nodes.length;
  }

  get has(): (node: number) => boolean {
    return (this.#has ??= membership(this.nodes, this.#bound));
  }

  /** Those for which `keep` holds, in the same order. */
  filter(keep: (node: number) => boolean): NodeSet {
    return new NodeSet(this.nodes.filter(keep), this.isOrdered, this.#bound);
  }
}

function membership(nodes: Uint32Array, bound: number): (node: number) => boolean {
  if (nodes.length <= SCANNED_MAX) return (node) => nodes.includes(node);
  if (nodes.length * BITMAP_SHARE < bound) {
    const set = new Set(nodes);
    return (node) => set.has(node);
  }
  const words = new Uint32Array((bound >>> 5) + 1);
  for (const node of nodes) words[node >>> 5] = (words[node >>> 5] ?? 0) | (1 << (node & 31));
  return (node) => ((words[node >>> 5] ?? 0) & (1 << (node & 31))) !== 0;
}
