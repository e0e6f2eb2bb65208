/**
 * BLAST RADIUS: breadth first, level by level. A level is walked in result order and the first to reach an
 * entity is what reached it, so that `via` is the least: by the node it came from, then by the
 * relationship. *Hot path*.
 */
import type { BlastPlan } from '../plan/search-plan.ts';
import type { Adjacency, LinkBuffer } from '../graph-reader.port.ts';
import { endNodes } from './end-nodes.ts';
import { emptyBuffer, type ExecutionContext } from './execution-context.ts';
import { compareLinks } from './link-order.ts';
import { NodeList } from './node-list.ts';
import type { NodeMarks } from './node-marks.ts';

export interface BlastRadius {
  /** Each reached entity once, by depth and then in result order. */
  readonly nodes: Uint32Array;
  readonly via: Uint32Array;
  /** Where the entities of depth `n + 1` end. */
  readonly levelEnds: readonly number[];
  /** Whether more would be reached at a greater depth. */
  readonly isCut: boolean;
}

export function* searchBlast(context: ExecutionContext, plan: BlastPlan): Generator<void, BlastRadius> {
  const search = new BlastSearch(context, plan);
  return yield* search.run();
}

class BlastSearch {
  readonly #context: ExecutionContext;
  readonly #plan: BlastPlan;
  readonly #adjacency: Adjacency;
  /** With the relationship that reached each. */
  readonly #reached: NodeMarks;
  readonly #buffer: LinkBuffer = emptyBuffer();

  constructor(context: ExecutionContext, plan: BlastPlan) {
    this.#context = context;
    this.#plan = plan;
    this.#adjacency = context.adjacency(plan.step);
    this.#reached = context.takeMarks();
  }

  *run(): Generator<void, BlastRadius> {
    const nodes = new NodeList();
    const via = new NodeList();
    const levelEnds: number[] = [];
    let frontier = endNodes(this.#context, this.#plan.from).nodes;
    for (const node of frontier) this.#reached.add(node);
    while (levelEnds.length < this.#plan.depth && frontier.length > 0) {
      frontier = yield* this.#level(frontier);
      for (const node of frontier) {
        nodes.push(node);
        via.push(this.#reached.noteOf(node));
      }
      if (frontier.length > 0) levelEnds.push(nodes.length);
    }
    const isCut = frontier.length > 0 && (yield* this.#reachesMore(frontier));
    return { nodes: nodes.toArray(), via: via.toArray(), levelEnds, isCut };
  }

  /** What is reached from the frontier for the first time, in result order. */
  *#level(frontier: Uint32Array): Generator<void, Uint32Array> {
    const found = new NodeList();
    for (const from of frontier) {
      const first = found.length;
      this.#adjacency.read(from, this.#buffer);
      const { count, nodes, links } = this.#buffer;
      for (let at = 0; at < count; at++) this.#reach(nodes[at]!, links[at]!, found, first);
      if (this.#context.pace.isDue(count + 1)) yield;
    }
    return this.#context.reader.sort(found.toArray());
  }

  /** Nodes of `found` from `first` on were reached from the node at hand. */
  #reach(node: number, link: number, found: NodeList, first: number): void {
    if (this.#reached.add(node)) {
      found.push(node);
      this.#reached.note(node, link);
      return;
    }
    for (let at = first; at < found.length; at++) {
      if (found.at(at) === node && compareLinks(this.#context.reader, link, this.#reached.noteOf(node)) < 0) {
        this.#reached.note(node, link);
      }
    }
  }

  *#reachesMore(frontier: Uint32Array): Generator<void, boolean> {
    for (const from of frontier) {
      this.#adjacency.read(from, this.#buffer);
      for (let at = 0; at < this.#buffer.count; at++) {
        if (!this.#reached.has(this.#buffer.nodes[at]!)) return true;
      }
      if (this.#context.pace.isDue(this.#buffer.count + 1)) yield;
    }
    return false;
  }
}
