/**
 * Repeated hops: `{min..max}` reaches the ends of *trails*, walks that use no relationship twice.
 *
 * 1. A shortest walk is a trail. So a breadth-first search from the sources decides every node whose distance
 *    is at least `min`: it is an end. Along a direction, so is a shortest walk of at least one hop, also back
 *    to a source: with `min` 1 the search decides every node.
 * 2. A nearer node (such as a source itself) is an end if some longer trail leads to it. This is decided for
 *    each such node separately, backwards from it: with several sources, another breadth-first search finds
 *    the sources whose own shortest distance is large enough. (A single source is known to be too near.)
 * 3. If all sources are too near, trails are followed one by one, depth first. At each node, a breadth-first
 *    search over the unused relationships either ends the search (the walked part and a shortest rest form a
 *    trail that is long enough) or prunes the branch (no source is reachable any more). Only branches whose
 *    rest is still too short continue, fewer than `min` hops deep, and only where some *walk* of the missing
 *    length leads to a source: this is computed for all nodes at once, and decides acyclic graphs. Deciding
 *    whether a trail exists is hard in the worst case, so this part has a budget.
 *
 * So an upper bound limits only the breadth-first searches; without one they end where nothing new is
 * reached.
 *
 * *Hot path*: buffers and lists are reused.
 */
import type { Adjacency, LinkBuffer } from '#graph/model';
import type { PatternStep, Repeat } from '../pattern/pattern.ts';
import { reversed } from '../pattern/set-plan.ts';
import { emptyBuffer, type ExecutionContext } from '../context/execution-context.ts';
import { NodeList } from '../context/node-list.ts';
import type { NodeMarks } from '../context/node-marks.ts';
import { ascending } from './node-numbers.ts';
import { NodeSet } from './node-set.ts';

type Search<Result> = Generator<void, Result>;
type Keep = ((node: number) => boolean) | undefined;

/**
 * Result of the shortest continuations of a trail: a long enough trail, sources that are too near, or none.
 */
type Rest = 'enough' | 'short' | 'none';

/** Number of nodes whose neighbours are read in one batch. */
const PORTION = 16_384;

/** The lengths of walks above `min` that are distinguished; longer walks are not. */
const WALKS_ABOVE_MIN = 10;

export class TrailSearch {
  readonly #context: ExecutionContext;
  readonly #step: PatternStep;
  readonly #repeat: Repeat;
  readonly #isDirected: boolean;
  readonly #onward: Adjacency;
  /** For each length, whether a walk of it leads from a source to a node; the last may be longer. */
  #walks: readonly ((node: number) => boolean)[] | undefined;
  /** Most searches need no way back. */
  #wayBack: WayBack | undefined;

  constructor(context: ExecutionContext, step: PatternStep, repeat: Repeat) {
    this.#context = context;
    this.#step = step;
    this.#repeat = repeat;
    this.#isDirected = step.direction !== 'any';
    this.#onward = context.adjacency(step);
  }

  get #back(): WayBack {
    return (this.#wayBack ??= new WayBack(this.#context.adjacency(reversed(this.#step))));
  }

  /** The distinct ends of all trails from any of these nodes that `keep` accepts, ascending. */
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

  /** The distinct nodes one hop further that `keep` accepts, ascending. */
  *#onwards(from: Uint32Array, keep?: Keep): Search<Uint32Array> {
    if (from.length <= PORTION) {
      if (this.#context.pace.isDue(from.length)) yield;
      return this.#onward.image(from, keep);
    }
    return yield* this.#context.pace.through(this.#onward.imageInSteps(from, keep));
  }

  /** Adds the nodes between `min` and `max` hops away to `found`; returns the nearer nodes. */
  *#byDistance(from: NodeSet, found: NodeList): Search<Uint32Array> {
    const { min, max } = this.#repeat;
    const nearer = new NodeList();
    const marks = this.#context.takeMarks();
    let frontier = from.nodes;
    // Sources that are no ends by themselves may be reached again.
    const areAllDecided = min === 1 && this.#isDirected;
    if (!areAllDecided) for (const source of frontier) marks.add(source);
    for (let hops = 0; frontier.length > 0; hops++) {
      if (hops >= min) found.pushAll(frontier);
      else if (!areAllDecided) nearer.pushAll(frontier);
      if (hops === max) break;
      frontier = yield* this.#onwards(frontier, (end) => !marks.has(end));
      for (const node of frontier) marks.add(node);
    }
    this.#context.giveMarks(marks);
    return nearer.toArray();
  }

  /** Whether a trail of `min` to `max` hops leads from a source to this node. */
  *#isEnd(node: number, from: NodeSet): Search<boolean> {
    const trail = new Trail(this.#back.adjacency);
    if (from.size > 1) {
      const rest = yield* this.#rest(node, trail, from);
      if (rest !== 'short') return rest === 'enough';
    }
    this.#walks ??= yield* this.#walkTests(from);
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

  /** A walk may go on for ever, so those far above `min` are one set: the nodes that they can reach. */
  *#walkTests(from: NodeSet): Search<readonly ((node: number) => boolean)[]> {
    const { nodeBound } = this.#context.reader;
    const { min, max } = this.#repeat;
    const lengths = Math.min(max, min + WALKS_ABOVE_MIN);
    const tests = [from.has];
    let last = from.nodes;
    for (let hops = 1; hops <= lengths; hops++) {
      last = yield* this.#onwards(last);
      tests.push(new NodeSet(last, false, nodeBound).has);
    }
    if (max > lengths) tests.push(yield* this.#reachable(yield* this.#onwards(last)));
    return tests;
  }

  /** Whether a walk of any length leads from one of these nodes to a node. */
  *#reachable(from: Uint32Array): Search<(node: number) => boolean> {
    const marks = this.#context.takeMarks();
    const reached = new NodeList();
    for (let frontier = from; frontier.length > 0;) {
      for (const node of frontier) marks.add(node);
      reached.pushAll(frontier);
      frontier = yield* this.#onwards(frontier, (end) => !marks.has(end));
    }
    this.#context.giveMarks(marks);
    return new NodeSet(reached.toArray(), false, this.#context.reader.nodeBound).has;
  }

  /** Whether a walk of one of the missing lengths leads from a source to this node. */
  #isWalked(node: number, walked: number): boolean {
    const { min, max } = this.#repeat;
    const walks = this.#walks ?? [];
    const longest = Math.min(max - walked, walks.length - 1);
    for (let hops = Math.max(0, min - walked); hops <= longest; hops++) {
      if (walks[hops]?.(node) === true) return true;
    }
    return false;
  }

  /** Breadth-first search from the end of the trail, over the relationships that it has not used. */
  *#rest(node: number, trail: Trail, { has: isSource, size }: NodeSet): Search<Rest> {
    const marks = this.#context.takeMarks();
    const { min, max } = this.#repeat;
    let found: Rest = !isSource(node) ? 'none' : trail.length >= min ? 'enough' : 'short';
    this.#back.begin(node);
    marks.add(node);
    const isOver = (): boolean => found === 'enough' || (size === 1 && found === 'short');
    for (let hops = trail.length + 1; hops <= max && !isOver(); hops++) {
      const reached = yield* this.#level(trail, marks, isSource, hops >= min || size === 1);
      if (reached) found = hops >= min ? 'enough' : 'short';
      if (this.#back.frontier.length === 0) break;
    }
    this.#context.giveMarks(marks);
    return found;
  }

  /** Advances the frontier by one hop. Returns whether it reached a source; may stop at the first one. */
  *#level(
    trail: Trail,
    marks: NodeMarks,
    isSource: (node: number) => boolean,
    endsThere: boolean,
  ): Search<boolean> {
    const back = this.#back;
    let isReached = false;
    back.next.clear();
    for (let at = 0; at < back.frontier.length; at++) {
      back.adjacency.read(back.frontier.at(at), back.buffer);
      const { count, nodes, links } = back.buffer;
      for (let index = 0; index < count; index++) {
        const end = nodes[index]!;
        if (marks.has(end) || trail.uses(links[index]!)) continue;
        marks.add(end);
        back.next.push(end);
        isReached ||= isSource(end);
      }
      if (trail.length > 0) this.#context.spendTrails(count + 1);
      if (isReached && endsThere) return true;
      if (this.#context.pace.isDue(count + 1)) yield;
    }
    back.advance();
    return isReached;
  }
}

/** The level of a search against the direction, and the one after it. */
class WayBack {
  readonly adjacency: Adjacency;
  readonly buffer: LinkBuffer = emptyBuffer();
  frontier = new NodeList();
  next = new NodeList();

  constructor(adjacency: Adjacency) {
    this.adjacency = adjacency;
  }

  begin(node: number): void {
    this.frontier.clear();
    this.frontier.push(node);
  }

  advance(): void {
    [this.frontier, this.next] = [this.next, this.frontier];
  }
}

/** The links walked so far, and the links left to try at each node on the way. */
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

  /** Makes the end of the trail the node to continue from. */
  open(node: number): void {
    const buffer = (this.#choices[this.#cursors.length] ??= emptyBuffer());
    this.#adjacency.read(node, buffer);
    this.#cursors.push(0);
  }

  /** Advances one hop over a link that is not on the trail; without one, goes back and returns −1. */
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

  /** Removes the last hop. */
  drop(): void {
    this.#links.pop();
  }
}
