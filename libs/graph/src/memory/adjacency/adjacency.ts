/** Neighbours of one node; entries from `count` on are stale. */
export interface LinkBuffer {
  count: number;
  nodes: Uint32Array;
  links: Uint32Array;
}

export interface Adjacency {
  read(node: number, into: LinkBuffer): void;
  image(nodes: Uint32Array, keep?: (node: number) => boolean): Uint32Array;
  readonly linkCount: number;
}
