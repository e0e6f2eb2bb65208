/**
 * BLAST RADIUS: breadth first, level by level. A level is walked in result order and the first to reach an
 * entity is what reached it, so that `via` is the least: by the node it came from, then by the
 * relationship. *Hot path*.
 */
import type { Adjacency, LinkBuffer } from '#graph/model';
import type { BlastPlan } from '../plan/search-plan.ts';
import { emptyBuffer, type ExecutionContext } from './execution-context.ts';
import { compareLinks } from './link-order.ts';
import { NodeList } from './node-list.ts';
import type { NodeMarks } from './node-marks.ts';
import type { NodeSet } from './node-set.ts';

export interface BlastRadius {
  /** Each reached entity once, by depth and then in result order. */
  readonly nodes: Uint32Array;
  readonly via: Uint32Array;
  /** Where the entities of depth `n + 1` end. */
  readonly levelEnds: readonly number[];
  /** Whether more would be reached at a greater depth. */
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

class BlastSearch {
  readonly #context: ExecutionContext;
  readonly #plan: BlastPlan;
  readonly #adjacency: Adjacency;
  /** With the place of each in the two lists, in the order of discovery. */
  readonly #reached: NodeMarks;
  readonly #nodes = new NodeList();
  readonly #links = new NodeList();
  readonly #buffer: LinkBuffer = emptyBuffer();

  constructor(context: ExecutionContext, plan: BlastPlan) {
    this.#context = context;
    this.#plan = plan;
    this.#adjacency = context.adjacency(plan.step);
    this.#reached = context.takeMarks();
  }

  *run(from: NodeSet): Generator<void, BlastRadius> {
    const levels: Uint32Array[] = [];
    const levelEnds: number[] = [];
    let frontier = from.nodes;
    for (const node of frontier) this.#reached.add(node);
    while (levels.length < this.#plan.depth && frontier.length > 0) {
      frontier = yield* this.#level(frontier);
      if (frontier.length > 0) levelEnds.push(this.#nodes.length);
      levels.push(frontier);
    }
    const isCut = frontier.length > 0 && (yield* this.#reachesMore(frontier));
    return { ...(yield* this.#inOrder(levels)), levelEnds, isCut };
  }

  /** What is reached from the frontier for the first time, in result order. */
  *#level(frontier: Uint32Array): Generator<void, Uint32Array> {
    const start = this.#nodes.length;
    for (const from of frontier) {
      const first = this.#nodes.length;
      this.#adjacency.read(from, this.#buffer);
      const { count, nodes, links } = this.#buffer;
      for (let at = 0; at < count; at++) this.#reach(nodes[at]!, links[at]!, first);
      if (this.#context.pace.isDue(count + 1)) yield;
    }
    const { reader, pace } = this.#context;
    return yield* pace.through(reader.sorted(this.#nodes.toArray(start)));
  }

  /** What stands at `first` or after it in the lists was reached from the node at hand: often nothing. */
  #reach(node: number, link: number, first: number): void {
    if (this.#reached.add(node)) {
      this.#reached.note(node, this.#nodes.length);
      this.#nodes.push(node);
      this.#links.push(link);
      return;
    }
    if (this.#nodes.length === first) return;
    const place = this.#reached.noteOf(node);
    const isFromHere = place >= first && this.#nodes.at(place) === node;
    if (isFromHere && compareLinks(this.#context.reader, link, this.#links.at(place)) < 0) {
      this.#links.set(place, link);
    }
  }

  *#inOrder(levels: readonly Uint32Array[]): Generator<void, Pick<BlastRadius, 'nodes' | 'via'>> {
    const nodes = new Uint32Array(this.#nodes.length);
    const via = new Uint32Array(this.#nodes.length);
    let at = 0;
    for (const level of levels) {
      nodes.set(level, at);
      for (const node of level) {
        via[at++] = this.#links.at(this.#reached.noteOf(node));
        if (this.#context.pace.isDue(1)) yield;
      }
    }
    return { nodes, via };
  }

  *#reachesMore(frontier: Uint32Array): Generator<void, boolean> {
    for (const from of frontier) {
      this.#adjacency.read(from, this.#buffer);
      const { count, nodes } = this.#buffer;
      for (let at = 0; at < count; at++) if (!this.#reached.has(nodes[at]!)) return true;
      if (this.#context.pace.isDue(count + 1)) yield;
    }
    return false;
  }
}
