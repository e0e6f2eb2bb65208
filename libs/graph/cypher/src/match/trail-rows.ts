import type { Row, Run } from '../graph/run.ts';
import { NodeValue, PathValue, type Value } from '../value/value.ts';
import type { LinkElement, PatternGraph } from './pattern-graph.ts';
import type { Turn } from './repeated.ts';
import type { SegmentedTrail } from './selected-search.ts';

/** The row of a path of the pattern. */
export class TrailRows {
  readonly #graph: PatternGraph;
  /** Of its nodes. */
  readonly #slots: readonly number[];
  readonly #isReversed: boolean;

  constructor(graph: PatternGraph, slots: readonly number[], isReversed: boolean) {
    this.#graph = graph;
    this.#slots = slots;
    this.#isReversed = isReversed;
  }

  /** Undefined where a variable would be two nodes. */
  rowOf(trail: SegmentedTrail, row: Row, run: Run): Row | undefined {
    const nodes = this.#isReversed ? trail.nodes.toReversed() : trail.nodes;
    const segments = this.#isReversed
      ? trail.segments.toReversed().map((turns) => turns.toReversed())
      : trail.segments;
    const next = row.slice();
    const own = new Map<number, number>();
    for (const [at, slot] of this.#slots.entries()) {
      const node = nodes[at] ?? 0;
      if ((own.get(slot) ?? node) !== node) return undefined;
      own.set(slot, node);
      next[slot] = new NodeValue(node);
    }
    for (const [at, link] of this.#graph.links.entries()) setLinks(next, link, segments[at] ?? []);
    for (const { slot } of this.#graph.paths) next[slot] = pathOf(nodes[0] ?? 0, segments.flat(), run);
    return next;
  }
}

function setLinks(row: Value[], { slot, pattern, lists }: LinkElement, turns: readonly Turn[]): void {
  const links = turns.flatMap((turn) => turn.links);
  row[slot] = pattern.range === undefined ? (links[0] ?? null) : links;
  for (const [index, list] of lists.entries()) {
    row[list.slot] = turns.map(({ values }) => values[index] ?? null);
  }
}

function pathOf(start: number, turns: readonly Turn[], { graph }: Run): PathValue {
  const links = turns.flatMap((turn) => turn.links);
  const nodes = [new NodeValue(start)];
  let at = start;
  for (const { link } of links) {
    const from = graph.start(link);
    at = from === at ? graph.end(link) : from;
    nodes.push(new NodeValue(at));
  }
  return new PathValue(nodes, links);
}
