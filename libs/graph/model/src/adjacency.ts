import type { Steps } from '#platform/foundation';

/** Nodes, filled anew by each {@link Adjacency.readEnds}; entries from `count` on are stale. */
export interface NodeBuffer {
  count: number;
  nodes: Uint32Array;
}

/** Neighbours of one node, filled anew by each {@link Adjacency.read}; entries from `count` on are stale. */
export interface LinkBuffer extends NodeBuffer {
  links: Uint32Array;
}

/** The links of some verbs in one direction. Nodes and links are dense integers of one snapshot. */
export interface Adjacency {
  /** Fills `into` (grown when needed) with every visible link at `node`; a self-link counts once. */
  read(node: number, into: LinkBuffer): void;
  /**
   * Fills `into` (grown when needed) with the nodes that are linked with any of `nodes`, each at least once,
   * in no order. Tight loops: this is how searches take a level further.
   */
  readEnds(nodes: Uint32Array, into: NodeBuffer): void;
  /**
   * The distinct nodes linked with any of `nodes`, those for which `keep` holds, ascending. Tight loops: this
   * is how whole node sets hop. `keep` does not hop itself.
   */
  image(nodes: Uint32Array, keep?: (node: number) => boolean): Uint32Array;
  /** The same of any number of nodes, in steps of a few microseconds between which others may search. */
  imageInSteps(nodes: Uint32Array, keep?: (node: number) => boolean): Steps<Uint32Array>;
  /** About how many links there are at `nodes`: what {@link readEnds} will cost. */
  estimate(nodes: Uint32Array): number;
  /** Number of links, over all nodes: an upper bound that costs nothing. */
  readonly linkCount: number;
}
