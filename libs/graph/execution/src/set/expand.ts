/**
 * Hops of whole sets. A plain step runs in the reader's tight loop, in batches so that the event loop is not
 * blocked; a step with a condition on its relationship reads the links one by one.
 */
import type { LinkBuffer } from '#graph/model';
import type { PatternStep } from '../pattern/pattern.ts';
import { emptyBuffer, type ExecutionContext } from '../context/execution-context.ts';
import { NodeList } from '../context/node-list.ts';
import { ascending } from './node-numbers.ts';
import { NodeSet } from './node-set.ts';
import { TrailSearch } from './trail-search.ts';

const PORTION = 4_096;
/** Minimum number of nodes for which a bitmap over the whole graph is worthwhile. */
const BITS_LEAST = 1_024;

type Keep = ((node: number) => boolean) | undefined;

/** The distinct nodes that `step` reaches from any of `from` and that `keep` accepts. */
export function* expand(
  context: ExecutionContext,
  from: NodeSet,
  step: PatternStep,
  keep: Keep,
): Generator<void, NodeSet> {
  const { nodeBound } = context.reader;
  if (from.size === 0) return NodeSet.EMPTY;
  if (keep !== undefined && context.isSlow(keep)) {
    return yield* kept(context, yield* expand(context, from, step, undefined), keep);
  }
  if (step.repeat !== undefined) {
    const ends = yield* new TrailSearch(context, step, step.repeat).image(from, keep);
    return new NodeSet(ends, false, nodeBound);
  }
  if (step.condition !== undefined) return yield* expandByLink(context, from, step, keep);
  if (from.size <= PORTION) {
    if (context.pace.isDue(from.size)) yield;
    return new NodeSet(context.adjacency(step).image(from.nodes, keep), false, nodeBound);
  }
  const image = context.adjacency(step).imageInSteps(from.nodes, keep);
  return new NodeSet(yield* context.pace.through(image), false, nodeBound);
}

function* kept(
  { pace, reader }: ExecutionContext,
  nodes: NodeSet,
  keep: (node: number) => boolean,
): Generator<void, NodeSet> {
  const found = new NodeList();
  for (const node of nodes.nodes) {
    if (keep(node)) found.push(node);
    if (pace.isDue(1)) yield;
  }
  return new NodeSet(found.toArray(), nodes.isOrdered, reader.nodeBound);
}

/**
 * The members of `nodes` with a link of `step` into `far`, in the same order; stops at the first link of
 * each.
 */
export function* linked(
  context: ExecutionContext,
  nodes: NodeSet,
  step: PatternStep,
  far: NodeSet,
): Generator<void, NodeSet> {
  const adjacency = context.adjacency(step);
  const passes = context.linkMatcher(step);
  if (passes === undefined && nodes.size >= BITS_LEAST) {
    const found = yield* context.pace.through(adjacency.linkedTo(nodes.nodes, far.bits));
    return new NodeSet(found, nodes.isOrdered, context.reader.nodeBound);
  }
  const buffer = emptyBuffer();
  const kept = new NodeList();
  const isFar = far.has;
  for (const node of nodes.nodes) {
    adjacency.read(node, buffer);
    for (let at = 0; at < buffer.count; at++) {
      if (!isFar(buffer.nodes[at] ?? 0) || passes?.(buffer.links[at] ?? 0) === false) continue;
      kept.push(node);
      break;
    }
    if (context.pace.isDue(buffer.count + 1)) yield;
  }
  return new NodeSet(kept.toArray(), nodes.isOrdered, context.reader.nodeBound);
}

function* expandByLink(
  context: ExecutionContext,
  from: NodeSet,
  step: PatternStep,
  keep: Keep,
): Generator<void, NodeSet> {
  const adjacency = context.adjacency(step);
  const passes = context.linkMatcher(step);
  const marks = context.takeMarks();
  const found = new NodeList();
  const buffer: LinkBuffer = emptyBuffer();
  for (const node of from.nodes) {
    adjacency.read(node, buffer);
    for (let at = 0; at < buffer.count; at++) {
      const end = buffer.nodes[at] ?? 0;
      const isNew = !marks.has(end) && (keep === undefined || keep(end));
      if (isNew && passes?.(buffer.links[at] ?? 0) !== false && marks.add(end)) found.push(end);
    }
    if (context.pace.isDue(buffer.count + 1)) yield;
  }
  context.giveMarks(marks);
  return new NodeSet(
    yield* ascending(found, context.reader.nodeBound, context.pace),
    false,
    context.reader.nodeBound,
  );
}
