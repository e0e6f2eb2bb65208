/**
 * SHORTEST PATH: breadth first from both ends at once, always on the side with the smaller frontier.
 *
 * 1. Whole levels are expanded, so the first time that a new level touches the other side, the sum of both
 *    depths is the length of a shortest path, and the touched nodes all lie on the other side's last level.
 * 2. From the touched nodes, levels are narrowed back to the start: what is left of each are exactly the
 *    nodes on some shortest path. Beyond the touched nodes, every step to the next nearer level is on one.
 * 3. Walking these from the start, always to the least node by (type, key), gives the least path of all.
 *
 * *Hot path*: nodes are marked with their depth, so that a level is a list and a question at once.
 */
import type { Step } from '../plan/pattern.ts';
import type { PathPlan } from '../plan/search-plan.ts';
import { reversed } from '../plan/set-plan.ts';
import type { FoundPath } from '../result/query-result.ts';
import { endNodes } from './end-nodes.ts';
import { emptyBuffer, type ExecutionContext } from './execution-context.ts';
import { expand } from './expand.ts';
import { compareLinks } from './link-order.ts';
import { NodeList } from './node-list.ts';
import type { NodeMarks } from './node-marks.ts';
import { NodeSet } from './node-set.ts';

interface Side {
  readonly step: Step;
  /** What was reached, each node with its depth. */
  readonly marks: NodeMarks;
  frontier: Uint32Array;
  depth: number;
}

export function* searchPath(
  context: ExecutionContext,
  plan: PathPlan,
): Generator<void, FoundPath | undefined> {
  const from = sideOf(context, plan.step, endNodes(context, plan.from));
  const to = sideOf(context, reversed(plan.step), endNodes(context, plan.to));
  let meeting: Uint32Array = from.frontier.filter((node) => to.marks.has(node));
  while (meeting.length === 0) {
    if (from.depth + to.depth >= plan.depth) return undefined;
    const [side, other] = from.frontier.length <= to.frontier.length ? [from, to] : [to, from];
    meeting = yield* nextLevel(context, side, other);
    if (side.frontier.length === 0) return undefined;
  }
  const middle = new NodeSet(meeting, false, context.reader.nodeBound);
  const levels = [middle, ...(yield* narrowed(context, from, middle))].reverse();
  const onward = Array.from({ length: to.depth }, (_, nearer) => levelOf(to, to.depth - 1 - nearer));
  const isNext = [...levels.slice(1).map((level) => level.has), ...onward];
  return leastPath(context, plan.step, levels[0]?.nodes ?? meeting, isNext);
}

function sideOf(context: ExecutionContext, step: Step, start: NodeSet): Side {
  const marks = context.takeMarks();
  for (const node of start.nodes) {
    marks.add(node);
    marks.note(node, 0);
  }
  return { step, marks, frontier: start.nodes, depth: 0 };
}

/** Takes a side one level further; gives those nodes of the new level that the other side knows. */
function* nextLevel(context: ExecutionContext, side: Side, other: Side): Generator<void, Uint32Array> {
  const adjacency = context.adjacency(side.step);
  const buffer = emptyBuffer();
  const level = new NodeList();
  const meeting = new NodeList();
  const depth = side.depth + 1;
  for (const from of side.frontier) {
    adjacency.read(from, buffer);
    for (let at = 0; at < buffer.count; at++) {
      const node = buffer.nodes[at]!;
      if (!side.marks.add(node)) continue;
      side.marks.note(node, depth);
      level.push(node);
      if (other.marks.has(node)) meeting.push(node);
    }
    if (context.pace.isDue(buffer.count + 1)) yield;
  }
  side.frontier = level.toArray();
  side.depth = depth;
  return meeting.toArray();
}

function levelOf({ marks }: Side, depth: number): (node: number) => boolean {
  return (node) => marks.has(node) && marks.noteOf(node) === depth;
}

/**
 * From the meeting (not included), which lies on a side's last level, to its start: those of each level from
 * which the meeting is reached.
 */
function* narrowed(context: ExecutionContext, side: Side, meeting: NodeSet): Generator<void, NodeSet[]> {
  const levels: NodeSet[] = [];
  let nearer = meeting;
  for (let depth = side.depth - 1; depth >= 0; depth--) {
    nearer = yield* expand(context, nearer, reversed(side.step), levelOf(side, depth));
    levels.push(nearer);
  }
  return levels;
}

/** `isNext` says of each step's ends whether the path may go on there. */
function leastPath(
  context: ExecutionContext,
  step: Step,
  starts: Uint32Array,
  isNext: readonly ((node: number) => boolean)[],
): FoundPath {
  const { reader } = context;
  const adjacency = context.adjacency(step);
  const buffer = emptyBuffer();
  let node = starts.reduce((least, other) => (reader.compare(other, least) < 0 ? other : least));
  const nodes = [node];
  const links: number[] = [];
  for (const isOnPath of isNext) {
    adjacency.read(node, buffer);
    let best = -1;
    for (let at = 0; at < buffer.count; at++) {
      if (isOnPath(buffer.nodes[at] ?? 0) && (best < 0 || isLess(at, best))) best = at;
    }
    node = buffer.nodes[best] ?? 0;
    nodes.push(node);
    links.push(buffer.links[best] ?? 0);
  }
  return { nodes: Uint32Array.from(nodes), links: Uint32Array.from(links) };

  function isLess(a: number, b: number): boolean {
    const order = reader.compare(buffer.nodes[a] ?? 0, buffer.nodes[b] ?? 0);
    return (order || compareLinks(reader, buffer.links[a] ?? 0, buffer.links[b] ?? 0)) < 0;
  }
}
