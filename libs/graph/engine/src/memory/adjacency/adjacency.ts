/** Nodes; entries from `count` on are stale. */
export interface NodeBuffer {
  count: number;
  nodes: Uint32Array;
}

/** Neighbours of one node; entries from `count` on are stale. */
export interface LinkBuffer extends NodeBuffer {
  links: Uint32Array;
}

export interface Adjacency {
  read(node: number, into: LinkBuffer): void;
  readEnds(nodes: Uint32Array, into: NodeBuffer): void;
  image(nodes: Uint32Array, keep?: (node: number) => boolean): Uint32Array;
  estimate(nodes: Uint32Array): number;
  readonly linkCount: number;
}
