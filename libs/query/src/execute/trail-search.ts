/**
 * Repeated hops: `{min..max}` leads to the ends of *trails*, walks that use no relationship twice.
 *
 * A shortest walk to another node is a trail, so with min ≤ 1 a breadth-first search finds every end that
 * is not a source. Two cases need trails to be followed one by one, depth first: an end that is a source
 * itself, where a walk might only go forth and back over one relationship; and min ≥ 2, where the shortest
 * way may be too short.
 */
import type { Repeat } from '../ast/ast.ts';
import type { Adjacency, LinkBuffer } from '../graph-reader.port.ts';
import type { Step } from '../plan/pattern.ts';
import { reversed } from '../plan/set-plan.ts';
import { emptyBuffer, type ExecutionContext } from './execution-context.ts';
import { NodeList } from './node-list.ts';
import type { NodeMarks } from './node-marks.ts';
import type { NodeSet } from './node-set.ts';

type Search<Result> = Generator<void, Result>;

export class TrailSearch {
  readonly #context: ExecutionContext;
  readonly #repeat: Repeat;
  readonly #onward: Adjacency;
  readonly #backward: Adjacency;

  constructor(context: ExecutionContext, step: Step, repeat: Repeat) {
    this.#context = context;
    this.#repeat = repeat;
    this.#onward = context.adjacency(step);
    this.#backward = context.adjacency(reversed(step));
  }

  /** The distinct ends of all trails from any of these nodes, ascending. */
  *image(from: NodeSet): Search<Uint32Array> {
    const { min, max } = this.#repeat;
    if (max === 0) return from.nodes.slice().sort();
    const found = new NodeList();
    const marks = this.#context.takeMarks();
    if (min >= 2) yield* this.#allTrails(from, marks, found);
    else yield* this.#shortTrails(from, marks, found);
    this.#context.giveMarks(marks);
    return found.toArray().sort();
  }

  *#allTrails(from: NodeSet, marks: NodeMarks, found: NodeList): Search<void> {
    for (const source of from.nodes) {
      yield* this.#follow(source, this.#onward, (node) => {
        if (marks.add(node)) found.push(node);
        return false;
      });
    }
  }

  *#shortTrails(from: NodeSet, marks: NodeMarks, found: NodeList): Search<void> {
    yield* this.#breadthFirst(from, marks, found);
    for (const source of from.nodes) {
      const isEnd = this.#repeat.min === 0 || (yield* this.#follow(source, this.#backward, from.has));
      if (isEnd) found.push(source);
    }
  }

  /** Adds what lies within reach of a source and is none. */
  *#breadthFirst(from: NodeSet, marks: NodeMarks, found: NodeList): Search<void> {
    for (const source of from.nodes) marks.add(source);
    let frontier = from.nodes;
    for (let hops = 0; hops < this.#repeat.max && frontier.length > 0; hops++) {
      frontier = this.#onward.image(frontier, (node) => !marks.has(node));
      for (const node of frontier) {
        marks.add(node);
        found.push(node);
      }
      if (this.#context.pace.isDue(frontier.length)) yield;
    }
  }

  /**
   * Follows every trail from `source` and calls `visit` at each node that ends one of `min` to `max` hops,
   * until it says true. Gives whether it did.
   */
  *#follow(source: number, adjacency: Adjacency, visit: (node: number) => boolean): Search<boolean> {
    const { min, max } = this.#repeat;
    const trail = new Trail(adjacency, max);
    trail.open(source);
    while (trail.isOpen) {
      const node = trail.next();
      if (node >= 0) {
        if (trail.length >= min && visit(node)) return true;
        trail.open(node);
      }
      if (this.#context.pace.isDue(1)) yield;
    }
    return false;
  }
}

/** The links walked so far, and what is left to try at each node on the way. */
class Trail {
  readonly #adjacency: Adjacency;
  readonly #max: number;
  readonly #choices: LinkBuffer[] = [];
  readonly #cursors: number[] = [];
  readonly #links: number[] = [];

  constructor(adjacency: Adjacency, max: number) {
    this.#adjacency = adjacency;
    this.#max = max;
  }

  /** False once every trail has been followed. */
  get isOpen(): boolean {
    return this.#cursors.length > 0;
  }

  get length(): number {
    return this.#links.length;
  }

  /** Makes the node that the trail has come to the one to go on from; a full trail is cut back by one. */
  open(node: number): void {
    if (this.#links.length >= this.#max) {
      this.#links.pop();
      return;
    }
    const buffer = (this.#choices[this.#cursors.length] ??= emptyBuffer());
    this.#adjacency.read(node, buffer);
    this.#cursors.push(0);
  }

  /** One hop on, over a link that is not on the trail; −1 after going back for want of one. */
  next(): number {
    const depth = this.#cursors.length - 1;
    const buffer = this.#choices[depth];
    for (let at = this.#cursors[depth] ?? 0; buffer !== undefined && at < buffer.count; at++) {
      const link = buffer.links[at] ?? 0;
      if (this.#links.includes(link)) continue;
      this.#cursors[depth] = at + 1;
      this.#links.push(link);
      return buffer.nodes[at] ?? 0;
    }
    this.#cursors.pop();
    this.#links.pop();
    return -1;
  }
}
