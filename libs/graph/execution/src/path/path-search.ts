/**
 * SHORTEST PATH: bidirectional breadth-first search that always expands the side with the cheaper next level.
 * FROM EACH searches backwards from all goals at once, until every start is reached.
 *
 * 1. Whole levels are expanded, so the first time that a new level touches the other side, the sum of both
 *    depths is the length of a shortest path, and the touched nodes all lie on the other side's last level.
 * 2. From the touched nodes, levels are narrowed back to the start: exactly the nodes on some shortest path
 *    remain. Beyond the touched nodes, every step to the next nearer level is on a shortest path. A level is
 *    narrowed backwards over all links into the remaining nodes or forwards from the whole level, whichever
 *    has fewer links, since a hub has many incoming links.
 * 3. Walking the remaining nodes from the start gives the paths: {@link PathWalks}.
 *
 * *Hot path*: nodes are marked with their depth, so that a level is both a list and a predicate.
 */
import type { NodeBuffer } from '#graph/model';
import type { PatternStep } from '../pattern/pattern.ts';
import { reversed } from '../pattern/set-plan.ts';
import type { ExecutionContext } from '../context/execution-context.ts';
import { expand, linked } from '../set/expand.ts';
import type { NodeMarks } from '../context/node-marks.ts';
import { NodeSet } from '../set/node-set.ts';
import { type FoundPath, type PathDemand, PathWalks } from './path-walks.ts';

/** Number of nodes of a level whose neighbours are read in one batch. */
const PORTION = 256;

/** Neighbours: filled and read without yielding in between, so one buffer serves all searches. */
const neighbours: NodeBuffer = { count: 0, nodes: new Uint32Array(PORTION * 4) };

/** The paths in result order, at most as many as the plan's limit. */
export function* searchPaths(
  context: ExecutionContext,
  plan: PathDemand,
  ends: SearchEnds,
): Generator<void, readonly FoundPath[]> {
  const walks = new PathWalks(context, plan);
  if (plan.each) yield* searchFromEach(context, plan, ends, walks);
  else yield* searchBetween(context, plan, ends, walks);
  return walks.found;
}

interface SearchEnds {
  readonly from: NodeSet;
  readonly to: NodeSet;
}

function* searchBetween(
  context: ExecutionContext,
  plan: PathDemand,
  ends: SearchEnds,
  walks: PathWalks,
): Generator<void, void> {
  const from = new Side(context, plan.step, ends.from);
  const to = new Side(context, reversed(plan.step), ends.to);
  let meeting: Uint32Array = from.frontier.filter((node) => to.knows(node));
  while (meeting.length === 0) {
    if (from.depth + to.depth >= plan.depth) return;
    const [side, other] = cheaperFirst(from, to);
    meeting = yield* side.advance(other);
    if (side.frontier.length === 0) return;
  }
  const middle = new NodeSet(meeting, false, context.reader.nodeBound);
  const levels = [middle, ...(yield* from.narrowed(middle))].reverse();
  const isNext = [...levels.slice(1).map((level) => level.has), ...to.nearer(to.depth)];
  const starts = levels[0]?.nodes ?? meeting;
  yield* walks.walk(yield* context.pace.through(context.reader.sorted(starts)), isNext);
}

/** One search backwards from the goals reaches every start at its own distance. */
function* searchFromEach(
  context: ExecutionContext,
  plan: PathDemand,
  { from, to }: SearchEnds,
  walks: PathWalks,
): Generator<void, void> {
  const goals = new Side(context, reversed(plan.step), to);
  let missing = from.size - goals.frontier.filter(from.has).length;
  while (missing > 0 && goals.depth < plan.depth && goals.frontier.length > 0) {
    yield* goals.grow();
    missing -= goals.frontier.filter(from.has).length;
  }
  for (const start of from.nodes) {
    if (goals.knows(start)) yield* walks.walk(Uint32Array.of(start), goals.nearer(goals.depthOf(start)));
    if (walks.isFull) return;
    if (context.pace.isDue(1)) yield;
  }
}

/** A level costs at least one for each node: a cheap smaller side decides without reading the other one. */
function cheaperFirst(from: Side, to: Side): [Side, Side] {
  const [small, large] = from.frontier.length <= to.frontier.length ? [from, to] : [to, from];
  return small.cost <= large.frontier.length || small.cost <= large.cost ? [small, large] : [large, small];
}

/** The nodes reached from one end. */
class Side {
  readonly #context: ExecutionContext;
  readonly #step: PatternStep;
  /** Each node with its depth, and one level after another. */
  readonly #marks: NodeMarks;
  /** Start offset of each level. */
  readonly #starts = [0];
  /** {@link isAt} of each level but the last, the deepest first. */
  readonly #isAt: ((node: number) => boolean)[] = [];
  /** Number of links at each expanded level. */
  readonly #costs: number[] = [];

  constructor(context: ExecutionContext, step: PatternStep, start: NodeSet) {
    this.#context = context;
    this.#step = step;
    this.#marks = context.takeMarks();
    for (let at = 0; at < start.size; at++) this.#add(start.nodes[at]!, 0);
  }

  get depth(): number {
    return this.#starts.length - 1;
  }

  get frontier(): Uint32Array {
    return this.#level(this.depth);
  }

  /** Cost of one more level. */
  get cost(): number {
    return (this.#costs[this.depth] ??= this.#context.adjacency(this.#step).estimate(this.frontier));
  }

  knows(node: number): boolean {
    return this.#marks.has(node);
  }

  depthOf(node: number): number {
    return this.#marks.noteOf(node);
  }

  /** Whether a node is on the next level, for each step from a node of this depth back to the start. */
  nearer(depth: number): readonly ((node: number) => boolean)[] {
    while (this.#isAt.length < depth) this.#isAt.unshift(this.isAt(this.#isAt.length));
    return this.#isAt.slice(this.#isAt.length - depth);
  }

  isAt(depth: number): (node: number) => boolean {
    return (node) => this.#marks.has(node) && this.#marks.noteOf(node) === depth;
  }

  /** Expands by one whole level. */
  grow(): Generator<void, void> {
    return this.#expand(() => {
      for (let at = 0; at < neighbours.count; at++) this.#add(neighbours.nodes[at]!, this.depth);
    });
  }

  /**
   * Expands by one level; returns the nodes of the new level that the other side has reached. If there is
   * one, this is the last level, and its other nodes are not needed.
   */
  *advance(other: Side): Generator<void, Uint32Array> {
    const start = this.#marks.nodes.length;
    const meeting: number[] = [];
    yield* this.#expand(() => this.#meet(other, meeting));
    if (meeting.length > 0) {
      this.#marks.nodes.length = start;
      for (const node of meeting) this.#marks.nodes.push(node);
    }
    return Uint32Array.from(meeting);
  }

  /** Begins a level; calls `take` each time that `neighbours` has been filled. */
  *#expand(take: () => void): Generator<void, void> {
    const { frontier } = this;
    const adjacency = this.#context.adjacency(this.#step);
    this.#starts.push(this.#marks.nodes.length);
    for (let at = 0; at < frontier.length; at += PORTION) {
      const portion = frontier.length <= PORTION ? frontier : frontier.subarray(at, at + PORTION);
      adjacency.readEnds(portion, neighbours);
      take();
      if (this.#context.pace.isDue(neighbours.count + PORTION)) yield;
    }
  }

  /** Adds the new neighbours; after the first one that the other side has reached, only such neighbours. */
  #meet(other: Side, meeting: number[]): void {
    const { count, nodes } = neighbours;
    const depth = this.#starts.length - 1;
    for (let at = 0; at < count; at++) {
      const node = nodes[at]!;
      if (other.knows(node)) {
        if (this.#add(node, depth)) meeting.push(node);
      } else if (meeting.length === 0) this.#add(node, depth);
    }
  }

  /**
   * The nodes that lead to the meeting nodes on the last level, by level, backwards; excludes the meeting.
   */
  *narrowed(meeting: NodeSet): Generator<void, NodeSet[]> {
    const levels: NodeSet[] = [];
    let nearer = meeting;
    for (let depth = this.depth - 1; depth >= 0; depth--) {
      nearer = yield* this.#leadingTo(nearer, depth);
      levels.push(nearer);
    }
    return levels;
  }

  /** The nodes of a level with a link to `nearer`. */
  #leadingTo(nearer: NodeSet, depth: number): Generator<void, NodeSet> {
    const context = this.#context;
    const back = reversed(this.#step);
    if (context.adjacency(back).estimate(nearer.nodes) <= this.#costs[depth]!) {
      return expand(context, nearer, back, this.isAt(depth));
    }
    const level = new NodeSet(this.#level(depth), false, context.reader.nodeBound);
    return linked(context, level, this.#step, nearer);
  }

  #level(depth: number): Uint32Array {
    return this.#marks.nodes.view(this.#starts[depth]!, this.#starts[depth + 1]);
  }

  #add(node: number, depth: number): boolean {
    if (!this.#marks.add(node)) return false;
    this.#marks.note(node, depth);
    this.#marks.nodes.push(node);
    return true;
  }
}
