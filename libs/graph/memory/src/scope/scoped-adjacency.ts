/** The links of a snapshot whose both ends, and which themselves, exist in a scope. */
import type { Adjacency, LinkBuffer, NodeBuffer, NodeRange } from '#graph/model';
import type { Steps } from '#platform/foundation';

const NODES_PER_STEP = 64;

export interface Visibility {
  readonly hasNode: (node: number) => boolean;
  /** Undefined: a link between two nodes of the scope is in it. */
  readonly hasLink: ((link: number) => boolean) | undefined;
}

export class ScopedAdjacency implements Adjacency {
  readonly #inner: Adjacency;
  readonly #visibility: Visibility;
  readonly #buffer: LinkBuffer = { count: 0, nodes: new Uint32Array(64), links: new Uint32Array(64) };

  constructor(inner: Adjacency, visibility: Visibility) {
    this.#inner = inner;
    this.#visibility = visibility;
  }

  /** Of the whole graph: never shown. */
  get linkCount(): number {
    return this.#inner.linkCount;
  }

  /** Of the whole graph: never shown. */
  estimate(nodes: Uint32Array): number {
    return this.#inner.estimate(nodes);
  }

  read(node: number, into: LinkBuffer): void {
    this.#inner.read(node, into);
    into.count = this.#kept(into, { from: 0, to: into.count, at: 0 });
  }

  readEach(nodes: Uint32Array, into: LinkBuffer, ends: Uint32Array): void {
    this.#inner.readEach(nodes, into, ends);
    let from = 0;
    let at = 0;
    for (let index = 0; index < nodes.length; index++) {
      const to = ends[index] ?? from;
      at = this.#kept(into, { from, to, at });
      ends[index] = at;
      from = to;
    }
    into.count = at;
  }

  readEnds(nodes: Uint32Array, into: NodeBuffer): void {
    const { hasNode, hasLink } = this.#visibility;
    if (hasLink === undefined) {
      this.#inner.readEnds(nodes, into);
      let count = 0;
      for (let at = 0; at < into.count; at++) {
        const node = into.nodes[at] ?? 0;
        if (hasNode(node)) into.nodes[count++] = node;
      }
      into.count = count;
      return;
    }
    const found = [...nodes].flatMap((node) => this.#endsOf(node));
    into.nodes = Uint32Array.from(found);
    into.count = found.length;
  }

  countEnds(nodes: Uint32Array, ends: NodeRange, counts: Uint32Array): void {
    const isEnd = (node: number): boolean => node >= ends.start && node < ends.end;
    for (const [at, node] of nodes.entries()) counts[at] = this.#endsOf(node).filter(isEnd).length;
  }

  image(nodes: Uint32Array, keep: (node: number) => boolean = () => true): Uint32Array {
    const { hasNode, hasLink } = this.#visibility;
    if (hasLink === undefined) return this.#inner.image(nodes, (node) => hasNode(node) && keep(node));
    const found = new Set<number>();
    for (const node of nodes) for (const end of this.#endsOf(node)) found.add(end);
    return ascending(found, keep);
  }

  *imageInSteps(nodes: Uint32Array, keep: (node: number) => boolean = () => true): Steps<Uint32Array> {
    const { hasNode, hasLink } = this.#visibility;
    if (hasLink === undefined)
      return yield* this.#inner.imageInSteps(nodes, (node) => hasNode(node) && keep(node));
    const found = new Set<number>();
    for (const [at, node] of nodes.entries()) {
      for (const end of this.#endsOf(node)) found.add(end);
      if (at % NODES_PER_STEP === NODES_PER_STEP - 1) yield;
    }
    return ascending(found, keep);
  }

  /** `far` has nodes of the scope alone, as all sets that are searched with. */
  *linkedTo(nodes: Uint32Array, far: Uint32Array): Steps<Uint32Array> {
    if (this.#visibility.hasLink === undefined) return yield* this.#inner.linkedTo(nodes, far);
    const isFar = (node: number): boolean => (((far[node >>> 5] ?? 0) >>> (node & 31)) & 1) === 1;
    const linked: number[] = [];
    for (const [at, node] of nodes.entries()) {
      if (this.#endsOf(node).some(isFar)) linked.push(node);
      if (at % NODES_PER_STEP === NODES_PER_STEP - 1) yield;
    }
    return Uint32Array.from(linked);
  }

  #endsOf(node: number): number[] {
    this.read(node, this.#buffer);
    return Array.from(this.#buffer.nodes.subarray(0, this.#buffer.count));
  }

  /** Moves the links in `[from, to)` that exist to `at`; returns their end. */
  #kept(
    into: LinkBuffer,
    { from, to, at: start }: { readonly from: number; readonly to: number; readonly at: number },
  ): number {
    const { hasNode, hasLink } = this.#visibility;
    let at = start;
    for (let index = from; index < to; index++) {
      const node = into.nodes[index] ?? 0;
      const link = into.links[index] ?? 0;
      if (!hasNode(node) || hasLink?.(link) === false) continue;
      into.nodes[at] = node;
      into.links[at] = link;
      at++;
    }
    return at;
  }
}

function ascending(nodes: ReadonlySet<number>, keep: (node: number) => boolean): Uint32Array {
  return Uint32Array.from([...nodes].filter(keep)).sort();
}
