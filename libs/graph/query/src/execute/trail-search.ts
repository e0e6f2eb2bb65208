/**
 * Repeated hops: `{min..max}` leads to the ends of *trails*, walks that use no relationship twice.
 *
 * 1. A shortest walk is a trail. So a breadth-first search from the sources decides every node whose distance
 *    is at least `min`: it is an end.
 * 2. A nearer node (a source itself, for one) is an end when some longer trail leads to it. That is asked of
 *    each such node alone, going back from it: where there are several sources, another breadth-first search
 *    finds those that are far enough away by their own shortest way. (A single one is known to be too near.)
 * 3. Where all of them are too near, trails are followed one by one, depth first, at each node with a
 *    breadth-first search over the relationships that are left: it ends the search (what has been walked and
 *    a shortest rest make a trail that is long enough), or cuts the branch off (no source is within reach any
 *    more). Only branches on which the rest is still too short go on, fewer than `min` hops deep, and only
 *    where some *walk* of the missing length leads to a source: that is known for all nodes at once, and
 *    settles graphs without cycles. Whether a trail exists is a hard question in the worst case, and so this
 *    part has a budget.
 *
 * *Hot path*: buffers and lists are reused.
 */
import type { Adjacency, LinkBuffer } from '#graph/model';
import type { Repeat } from '../ast/ast.ts';
import type { PatternStep } from '../plan/pattern.ts';
import { reversed } from '../plan/set-plan.ts';
import { emptyBuffer, type ExecutionContext } from './execution-context.ts';
import { NodeList } from './node-list.ts';
import type { NodeMarks } from './node-marks.ts';
import { ascending } from './node-numbers.ts';
import { NodeSet } from './node-set.ts';

type Search<Result> = Generator<void, Result>;
type Keep = ((node: number) => boolean) | undefined;

/** What shortest ways on from a trail come to: a long enough trail, sources that are too near, or none. */
type Rest = 'enough' | 'short' | 'none';

/** Nodes whose neighbours are found at once. */
const PORTION = 16_384;

export class TrailSearch {
  readonly #context: ExecutionContext;
  readonly #repeat: Repeat;
  readonly #onward: Adjacency;
  readonly #backward: Adjacency;
  readonly #buffer: LinkBuffer = emptyBuffer();
  /** By length: the nodes to which a walk of so many hops leads from a source. */
  #walks: NodeSet[] | undefined;
  #frontier = new NodeList();
  #next = new NodeList();

  constructor(context: ExecutionContext, step: PatternStep, repeat: Repeat) {
    this.#context = context;
    this.#repeat = repeat;
    this.#onward = context.adjacency(step);
    this.#backward = context.adjacency(reversed(step));
  }

  /** The distinct ends of all trails from any of these nodes, so far as `keep` holds; ascending. */
  *image(from: NodeSet, keep?: Keep): Search<Uint32Array> {
    const found = new NodeList();
    const nearer = yield* this.#byDistance(from, found);
    const ends = keep === undefined ? found : found.filter(keep);
    this.#walks = undefined;
    for (const node of nearer) {
      if ((keep === undefined || keep(node)) && (yield* this.#isEnd(node, from))) ends.push(node);
    }
    return yield* this.#ascending(ends);
  }

  #ascending(found: NodeList): Search<Uint32Array> {
    const { pace, reader } = this.#context;
    return ascending(found, reader.nodeBound, pace);
  }

  /** The distinct nodes one hop on, so far as `keep` holds; ascending. */
  *#step(from: Uint32Array, keep?: Keep): Search<Uint32Array> {
    if (from.length <= PORTION) {
      if (this.#context.pace.isDue(from.length)) yield;
      return this.#onward.image(from, keep);
    }
    return yield* this.#context.pace.through(this.#onward.imageInSteps(from, keep));
  }

  /** Adds the nodes between `min` and `max` hops away to `found`; gives those that are nearer. */
  *#byDistance(from: NodeSet, found: NodeList): Search<Uint32Array> {
    const { min, max } = this.#repeat;
    const nearer = new NodeList();
    const marks = this.#context.takeMarks();
    let frontier = from.nodes;
    for (const source of frontier) marks.add(source);
    for (let hops = 0; frontier.length > 0; hops++) {
      (hops < min ? nearer : found).pushAll(frontier);
      if (hops === max) break;
      frontier = yield* this.#step(frontier, (end) => !marks.has(end));
      for (const node of frontier) marks.add(node);
    }
    this.#context.giveMarks(marks);
    return nearer.toArray();
  }

  /** Whether a trail of `min` to `max` hops leads from a source to this node. */
  *#isEnd(node: number, from: NodeSet): Search<boolean> {
    const trail = new Trail(this.#backward);
    if (from.size > 1) {
      const rest = yield* this.#rest(node, trail, from);
      if (rest !== 'short') return rest === 'enough';
    }
    this.#walks ??= yield* this.#walkSets(from);
    if (!this.#isWalked(node, 0)) return false;
    trail.open(node);
    while (trail.isOpen) {
      const reached = trail.next();
      if (reached < 0) continue;
      const onward = this.#isWalked(reached, trail.length) ? yield* this.#rest(reached, trail, from) : 'none';
      if (onward === 'enough') return true;
      if (onward === 'short') trail.open(reached);
      else trail.drop();
    }
    return false;
  }

  *#walkSets(from: NodeSet): Search<NodeSet[]> {
    const { nodeBound } = this.#context.reader;
    const sets = [from];
    let last = from.nodes;
    for (let hops = 1; hops <= this.#repeat.max; hops++) {
      last = yield* this.#step(last);
      sets.push(new NodeSet(last, false, nodeBound));
    }
    return sets;
  }

  /** Whether a walk of one of the missing lengths leads from a source to this node. */
  #isWalked(node: number, walked: number): boolean {
    const { min, max } = this.#repeat;
    for (let hops = Math.max(0, min - walked); hops <= max - walked; hops++) {
      if (this.#walks?.[hops]?.has(node) === true) return true;
    }
    return false;
  }

  /** Breadth first from where the trail has come to, over the relationships that it has not used. */
  *#rest(node: number, trail: Trail, { has: isSource, size }: NodeSet): Search<Rest> {
    const marks = this.#context.takeMarks();
    const { min, max } = this.#repeat;
    let found: Rest = !isSource(node) ? 'none' : trail.length >= min ? 'enough' : 'short';
    this.#frontier.clear();
    this.#frontier.push(node);
    marks.add(node);
    const isOver = (): boolean => found === 'enough' || (size === 1 && found === 'short');
    for (let hops = trail.length + 1; hops <= max && !isOver(); hops++) {
      const reached = yield* this.#level(trail, marks, isSource, hops >= min || size === 1);
      if (reached) found = hops >= min ? 'enough' : 'short';
      if (this.#frontier.length === 0) break;
    }
    this.#context.giveMarks(marks);
    return found;
  }

  /** Takes the frontier one hop on. Whether it came to a source; may end at the first one. */
  *#level(
    trail: Trail,
    marks: NodeMarks,
    isSource: (node: number) => boolean,
    endsThere: boolean,
  ): Search<boolean> {
    let isReached = false;
    this.#next.clear();
    for (let at = 0; at < this.#frontier.length; at++) {
      this.#backward.read(this.#frontier.at(at), this.#buffer);
      const { count, nodes, links } = this.#buffer;
      for (let index = 0; index < count; index++) {
        const end = nodes[index]!;
        if (marks.has(end) || trail.uses(links[index]!)) continue;
        marks.add(end);
        this.#next.push(end);
        isReached ||= isSource(end);
      }
      if (trail.length > 0) this.#context.spendTrails(count + 1);
      if (isReached && endsThere) return true;
      if (this.#context.pace.isDue(count + 1)) yield;
    }
    [this.#frontier, this.#next] = [this.#next, this.#frontier];
    return isReached;
  }
}

/** The links walked so far, and what is left to try at each node on the way. */
class Trail {
  readonly #adjacency: Adjacency;
  readonly #choices: LinkBuffer[] = [];
  readonly #cursors: number[] = [];
  readonly #links: number[] = [];

  constructor(adjacency: Adjacency) {
    this.#adjacency = adjacency;
  }

  /** False once every trail has been followed. */
  get isOpen(): boolean {
    return this.#cursors.length > 0;
  }

  get length(): number {
    return this.#links.length;
  }

  uses(link: number): boolean {
    return this.#links.includes(link);
  }

  /** Makes the node that the trail has come to the one to go on from. */
  open(node: number): void {
    const buffer = (this.#choices[this.#cursors.length] ??= emptyBuffer());
    this.#adjacency.read(node, buffer);
    this.#cursors.push(0);
  }

  /** One hop on, over a link that is not on the trail; −1 after going back for want of one. */
  next(): number {
    const depth = this.#cursors.length - 1;
    const buffer = this.#choices[depth]!;
    for (let at = this.#cursors[depth]!; at < buffer.count; at++) {
      const link = buffer.links[at]!;
      if (this.#links.includes(link)) continue;
      this.#cursors[depth] = at + 1;
      this.#links.push(link);
      return buffer.nodes[at]!;
    }
    this.#cursors.pop();
    this.#links.pop();
    return -1;
  }

  /** Takes the last hop back. */
  drop(): void {
    this.#links.pop();
  }
}
