import type { Adjacency, Direction, LinkBuffer, NodeBuffer, NodeRange } from '#graph/model';
import type { Steps } from '#platform/foundation';

interface NaiveLink {
  readonly link: number;
  readonly from: number;
  readonly to: number;
}

/** Scans all links on each call. */
export class NaiveAdjacency implements Adjacency {
  readonly linkCount: number;
  readonly #links: readonly NaiveLink[];
  readonly #direction: Direction;

  constructor(links: readonly NaiveLink[], direction: Direction) {
    this.#links = links;
    this.#direction = direction;
    this.linkCount = links.length;
  }

  read(node: number, into: LinkBuffer): void {
    const found = this.#at(node);
    into.count = found.length;
    into.nodes = Uint32Array.from(found, (item) => item.node);
    into.links = Uint32Array.from(found, (item) => item.link);
  }

  readEach(nodes: Uint32Array, into: LinkBuffer, ends: Uint32Array): void {
    const found = Array.from(nodes, (node) => this.#at(node));
    let end = 0;
    found.forEach((items, at) => (ends[at] = end += items.length));
    into.count = end;
    into.nodes = Uint32Array.from(found.flat(), (item) => item.node);
    into.links = Uint32Array.from(found.flat(), (item) => item.link);
  }

  readEnds(nodes: Uint32Array, into: NodeBuffer): void {
    into.nodes = Uint32Array.from([...nodes].flatMap((node) => this.#at(node).map((item) => item.node)));
    into.count = into.nodes.length;
  }

  estimate(nodes: Uint32Array): number {
    return [...nodes].reduce((sum, node) => sum + this.#at(node).length, 0);
  }

  image(nodes: Uint32Array, keep?: (node: number) => boolean): Uint32Array {
    const found = new Set<number>();
    for (const node of nodes) {
      for (const item of this.#at(node)) if (keep === undefined || keep(item.node)) found.add(item.node);
    }
    return Uint32Array.from(found).sort();
  }

  *imageInSteps(nodes: Uint32Array, keep?: (node: number) => boolean): Steps<Uint32Array> {
    yield;
    return this.image(nodes, keep);
  }

  countEnds(nodes: Uint32Array, ends: NodeRange, counts: Uint32Array): void {
    for (const [at, node] of nodes.entries())
      counts[at] = this.#at(node).filter((item) => item.node >= ends.start && item.node < ends.end).length;
  }

  *linkedTo(nodes: Uint32Array, far: Uint32Array): Steps<Uint32Array> {
    yield;
    const isFar = (node: number): boolean => ((far[node >>> 5] ?? 0) & (1 << (node & 31))) !== 0;
    return nodes.filter((node) => this.#at(node).some((item) => isFar(item.node)));
  }

  #at(node: number): { node: number; link: number }[] {
    return this.#links.flatMap(({ link, from, to }) => {
      if (this.#direction !== 'in' && from === node) return [{ node: to, link }];
      if (this.#direction !== 'out' && to === node) return [{ node: from, link }];
      return [];
    });
  }
}
