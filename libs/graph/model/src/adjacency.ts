import type { Steps } from '#platform/foundation';

/** Nodes, refilled by each {@link Adjacency.readEnds}; entries from `count` on are stale. */
export interface NodeBuffer {
  count: number;
  nodes: Uint32Array;
}

/** Neighbours of one node, refilled by each {@link Adjacency.read}; entries from `count` on are stale. */
export interface LinkBuffer extends NodeBuffer {
  links: Uint32Array;
}

/** The nodes in `[start, end)`. */
export interface NodeRange {
  readonly start: number;
  readonly end: number;
}

/** The links of some verbs in one direction. Nodes and links are dense integers of one snapshot. */
export interface Adjacency {
  /** Fills `into` (grown when needed) with every visible link at `node`; a self-link counts once. */
  read(node: number, into: LinkBuffer): void;
  /** Reads the links of each of `nodes`, one after another: those of `nodes[i]` end before `ends[i]`. */
  readEach(nodes: Uint32Array, into: LinkBuffer, ends: Uint32Array): void;
  /**
   * Fills `into` (grown when needed) with the nodes linked with any of `nodes`, each at least once, in no
   * particular order. Tight loops: searches expand a level with it.
   */
  readEnds(nodes: Uint32Array, into: NodeBuffer): void;
  /**
   * The distinct nodes linked with any of `nodes` for which `keep` holds, ascending. Tight loops: whole node
   * sets hop with it. `keep` must not hop itself.
   */
  image(nodes: Uint32Array, keep?: (node: number) => boolean): Uint32Array;
  /** Like `image`, for any number of nodes, in steps of a few microseconds that can be interleaved. */
  imageInSteps(nodes: Uint32Array, keep?: (node: number) => boolean): Steps<Uint32Array>;
  /**
   * The members of `nodes`, in the same order, that have a link to a node of `far`, a bit for each node; in
   * steps as above. The links of a node are read up to the first such link.
   */
  linkedTo(nodes: Uint32Array, far: Uint32Array): Steps<Uint32Array>;
  /**
   * Writes to `counts` how many visible links each of `nodes` has to nodes of a range. Costs nothing for each
   * link where the links lead there alone.
   */
  countEnds(nodes: Uint32Array, ends: NodeRange, counts: Uint32Array): void;
  /** Approximate number of links at `nodes`: the cost of {@link readEnds}. */
  estimate(nodes: Uint32Array): number;
  /** Number of links of all nodes: a free upper bound. */
  readonly linkCount: number;
}
