/**
 * SHORTEST PATH: breadth first from both ends at once, always on the side with the smaller frontier.
 *
 * 1. Whole levels are expanded, so the first time that a new level touches the other side, the sum of both
 *    depths is the length of a shortest path, and the touched nodes all lie on the other side's last level.
 * 2. From the touched nodes, levels are narrowed back to both ends: what is left of each are exactly the
 *    nodes on some shortest path.
 * 3. Walking these from the start, always to the least node by (type, key), gives the least path of all.
 */
import { assert } from '#foundation';
import type { Step } from '../plan/pattern.ts';
import type { PathPlan } from '../plan/search-plan.ts';
import { reversed } from '../plan/set-plan.ts';
import type { FoundPath } from '../result/query-result.ts';
import { endNodes } from './end-nodes.ts';
import { emptyBuffer, type ExecutionContext } from './execution-context.ts';
import { expand } from './expand.ts';
import { compareLinks } from './link-order.ts';
import type { NodeMarks } from './node-marks.ts';
import type { NodeSet } from './node-set.ts';

interface Side {
  readonly step: Step;
  readonly marks: NodeMarks;
  /** Nodes at each depth. */
  readonly levels: NodeSet[];
}

export function* searchPath(
  context: ExecutionContext,
  plan: PathPlan,
): Generator<void, FoundPath | undefined> {
  const from = sideOf(context, plan.step, endNodes(context, plan.from));
  const to = sideOf(context, reversed(plan.step), endNodes(context, plan.to));
  let meeting = lastLevel(from).filter((node) => to.marks.has(node));
  while (meeting.size === 0) {
    if (depthOf(from) + depthOf(to) >= plan.depth) return undefined;
    const [side, other] = lastLevel(from).size <= lastLevel(to).size ? [from, to] : [to, from];
    const next = yield* expand(context, lastLevel(side), side.step, (node) => !side.marks.has(node));
    if (next.size === 0) return undefined;
    for (const node of next.nodes) side.marks.add(node);
    side.levels.push(next);
    meeting = next.filter((node) => other.marks.has(node));
    if (context.pace.isDue(next.size)) yield;
  }
  const back = yield* narrowed(context, from, meeting);
  const onward = yield* narrowed(context, to, meeting);
  return leastPath(context, plan.step, [...back.reverse(), meeting, ...onward]);
}

function sideOf(context: ExecutionContext, step: Step, start: NodeSet): Side {
  const marks = context.takeMarks();
  for (const node of start.nodes) marks.add(node);
  return { step, marks, levels: [start] };
}

function lastLevel(side: Side): NodeSet {
  const level = side.levels.at(-1);
  assert(level !== undefined, 'expected a side to begin with its start');
  return level;
}

function depthOf(side: Side): number {
  return side.levels.length - 1;
}

/**
 * From the meeting (not included) to the start of a side: those of each level from which the meeting is
 * reached.
 */
function* narrowed(context: ExecutionContext, side: Side, meeting: NodeSet): Generator<void, NodeSet[]> {
  const levels: NodeSet[] = [];
  let nearer = meeting;
  for (const level of side.levels.slice(0, -1).reverse()) {
    nearer = yield* expand(context, nearer, reversed(side.step), level.has);
    levels.push(nearer);
  }
  return levels;
}

function leastPath(context: ExecutionContext, step: Step, levels: readonly NodeSet[]): FoundPath {
  const { reader } = context;
  const adjacency = context.adjacency(step);
  const buffer = emptyBuffer();
  let node =
    levels[0]?.nodes.reduce((least, other) => (reader.compare(other, least) < 0 ? other : least)) ?? 0;
  const nodes = [node];
  const links: number[] = [];
  for (const level of levels.slice(1)) {
    adjacency.read(node, buffer);
    let best = -1;
    for (let at = 0; at < buffer.count; at++) {
      if (level.has(buffer.nodes[at] ?? 0) && (best < 0 || isLess(at, best))) best = at;
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
