/**
 * BLAST RADIUS: breadth-first search, level by level. A level is walked in result order, and the first node
 * to reach an entity becomes its `via`, so that `via` is the least by source node, then by relationship.
 * *Hot path*.
 */
import type { Adjacency } from '#graph/model';
import type { BlastPlan } from '../../plan/search-plan.ts';
import {
  emptyBuffer,
  type ExecutionContext,
  compareLinks,
  type NodeList,
  type NodeMarks,
  type NodeSet,
} from '#graph/execution';

export interface BlastRadius {
  /** Each reached entity once, by depth and then in result order. */
  readonly nodes: Uint32Array;
  readonly via: Uint32Array;
  /** End offset of the entities of depth `n + 1`. */
  readonly levelEnds: readonly number[];
  /** Whether a greater depth would reach more entities. */
  readonly isCut: boolean;
}

export function* searchBlast(
  context: ExecutionContext,
  plan: BlastPlan,
  from: NodeSet,
): Generator<void, BlastRadius> {
  const search = new BlastSearch(context, plan);
  return yield* search.run(from);
}

/** Number of nodes whose links are read in one batch. */
const PORTION = 64;
const FIRST_PORTION = 2;
/** Filled and read without yielding in between, so one buffer serves all searches. */
const buffer = emptyBuffer();
/** End offsets of the links of each node of a batch. */
const ends = new Uint32Array(PORTION);
/** Up to this many reached nodes are sorted without yielding. */
const SORTED_AT_ONCE_MAX = 256;
/** Up to this many nodes reached from one node are searched linearly. */
const SCANNED_MAX = 8;

class BlastSearch {
  readonly #context: ExecutionContext;
  readonly #plan: BlastPlan;
  readonly #adjacency: Adjacency;
  /** The reached nodes, with the place of each in the two lists. */
  readonly #reached: NodeMarks;
  /** Nodes in order of discovery, and the links that reached them. */
  readonly #nodes: NodeList;
  readonly #links: NodeList;

  constructor(context: ExecutionContext, plan: BlastPlan) {
    this.#context = context;
    this.#plan = plan;
    this.#adjacency = context.adjacency(plan.step);
    this.#reached = context.takeMarks();
    this.#nodes = this.#reached.nodes;
    this.#links = this.#reached.links;
  }

  *run(from: NodeSet): Generator<void, BlastRadius> {
    const { pace, reader } = this.#context;
    const levels: Uint32Array[] = [];
    const levelEnds: number[] = [];
    let frontier = from.nodes;
    for (const node of frontier) this.#reached.add(node);
    while (levels.length < this.#plan.depth && frontier.length > 0) {
      const start = this.#nodes.length;
      for (let at = 0; at < frontier.length; at += PORTION) {
        if (pace.isDue(PORTION + this.#expand(portionOf(frontier, at)))) yield;
      }
      const found = this.#nodes.toArray(start);
      const isSmall = found.length <= SORTED_AT_ONCE_MAX;
      frontier = isSmall ? reader.sort(found) : yield* pace.through(reader.sorted(found));
      if (frontier.length > 0) levelEnds.push(this.#nodes.length);
      levels.push(frontier);
    }
    const isCut = frontier.length > 0 && (yield* this.#reachesMore(frontier));
    return { ...(yield* this.#inOrder(levels)), levelEnds, isCut };
  }

  /** Adds the nodes first reached from these nodes; returns the number of links. */
  #expand(sources: Uint32Array): number {
    this.#adjacency.readEach(sources, buffer, ends);
    const { count, nodes, links } = buffer;
    for (let source = 0, at = 0; source < sources.length; source++) {
      const first = this.#nodes.length;
      for (const end = ends[source]!; at < end; at++) this.#reach(nodes[at]!, links[at]!, first);
    }
    return count;
  }

  /** List items from `first` on were reached from the current node; often there are none. */
  #reach(node: number, link: number, first: number): void {
    const place = this.#nodes.length;
    if (this.#reached.add(node)) {
      this.#reached.note(node, place);
      this.#nodes.push(node);
      this.#links.push(link);
    } else if (place > first) this.#reachAgain(node, link, first);
  }

  #reachAgain(node: number, link: number, first: number): void {
    const place = this.#placeOf(node, first);
    if (place < 0 || compareLinks(this.#context.reader, link, this.#links.at(place)) >= 0) return;
    this.#links.set(place, link);
  }

  /** Its index at or after `first`, or −1. */
  #placeOf(node: number, first: number): number {
    const nodes = this.#nodes;
    if (nodes.length - first > SCANNED_MAX) {
      const place = this.#reached.noteOf(node);
      return place >= first && place < nodes.length && nodes.at(place) === node ? place : -1;
    }
    for (let place = first; place < nodes.length; place++) if (nodes.at(place) === node) return place;
    return -1;
  }

  *#inOrder(levels: readonly Uint32Array[]): Generator<void, Pick<BlastRadius, 'nodes' | 'via'>> {
    const nodes = new Uint32Array(this.#nodes.length);
    const via = new Uint32Array(this.#nodes.length);
    let place = 0;
    for (const level of levels) {
      nodes.set(level, place);
      for (let start = 0; start < level.length; start += PORTION) {
        const end = Math.min(level.length, start + PORTION);
        for (let at = start; at < end; at++) via[place++] = this.#links.at(this.#reached.noteOf(level[at]!));
        if (this.#context.pace.isDue(PORTION)) yield;
      }
    }
    return { nodes, via };
  }

  /** Usually one of the first nodes leads further: the first portion is small. */
  *#reachesMore(frontier: Uint32Array): Generator<void, boolean> {
    for (let start = 0, end = FIRST_PORTION; start < frontier.length; start = end, end += PORTION) {
      this.#adjacency.readEnds(frontier.subarray(start, end), buffer);
      const { count, nodes } = buffer;
      for (let at = 0; at < count; at++) if (!this.#reached.has(nodes[at]!)) return true;
      if (this.#context.pace.isDue(count + PORTION)) yield;
    }
    return false;
  }
}

function portionOf(nodes: Uint32Array, start: number): Uint32Array {
  return nodes.length <= PORTION ? nodes : nodes.subarray(start, start + PORTION);
}
