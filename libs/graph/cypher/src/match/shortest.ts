/** Shortest paths between two nodes that are known: breadth first, level by level. */
import type { Row, Run } from '../graph/run.ts';
import type { Rows } from '../expression/subqueries.ts';
import { flatMapped, ROWS_PER_PAUSE, type Stage } from '../stage/stage.ts';
import { LinkValue, NodeValue } from '../value/value.ts';
import { isUsed, type TrailStep } from './expand.ts';

interface ShortestStep extends TrailStep {
  readonly wanted: 'one' | 'all';
}

/** How a node is reached on a shortest way. */
interface Arrival {
  readonly depth: number;
  readonly ways: { readonly link: number; readonly from: number }[];
}

export function shortestPaths(step: ShortestStep): Stage {
  return flatMapped(function* (row, run): Rows {
    const start = row[step.from] ?? null;
    const end = row[step.to] ?? null;
    if (!(start instanceof NodeValue) || !(end instanceof NodeValue)) return;
    if (start.node === end.node) {
      if (step.min === 0) yield withTrail(step, row, []);
      return;
    }
    const search = new Search(step, row, run);
    yield* search.reach(start.node, end.node);
    for (const trail of search.trailsTo(end.node)) {
      yield withTrail(step, row, trail);
      if (step.wanted === 'one') return;
    }
  });
}

class Search {
  readonly #step: ShortestStep;
  readonly #row: Row;
  readonly #run: Run;
  readonly #arrivals = new Map<number, Arrival>();

  constructor(step: ShortestStep, row: Row, run: Run) {
    this.#step = step;
    this.#row = row;
    this.#run = run;
  }

  /** Completes the level on which the end is found; yields pauses only. */
  *reach(start: number, end: number): Rows {
    this.#arrivals.set(start, { depth: 0, ways: [] });
    let level: readonly number[] = [start];
    for (let depth = 1; depth <= this.#step.max && level.length > 0 && !this.#arrivals.has(end); depth++) {
      const next: number[] = [];
      for (const [index, node] of level.entries()) {
        if (index % ROWS_PER_PAUSE === 0) yield undefined;
        this.#expand(node, depth, next);
      }
      level = next;
    }
  }

  #expand(from: number, depth: number, next: number[]): void {
    const { direction, types, others, passes } = this.#step;
    const { links, nodes } = this.#run.graph.expand(from, direction, types);
    for (const [index, link] of links.entries()) {
      const node = nodes[index] ?? 0;
      const known = this.#arrivals.get(node);
      if (known !== undefined && known.depth !== depth) continue;
      if (isUsed(this.#row, others, link) || !passes(new LinkValue(link), this.#row, this.#run)) continue;
      if (known !== undefined) known.ways.push({ link, from });
      else {
        this.#arrivals.set(node, { depth, ways: [{ link, from }] });
        next.push(node);
      }
    }
  }

  /** The relationships of each shortest way, from the start on. */
  *trailsTo(end: number): Generator<readonly number[], void> {
    const trail: number[] = [];
    const levels = [(this.#arrivals.get(end)?.ways ?? []).values()];
    while (levels.length > 0) {
      const way = levels.at(-1)?.next();
      if (way === undefined || way.done === true) {
        levels.pop();
        trail.pop();
        continue;
      }
      const { link, from } = way.value;
      const before = this.#arrivals.get(from);
      if (before?.depth === 0) yield [...trail, link].reverse();
      else if (before !== undefined) {
        trail.push(link);
        levels.push(before.ways.values());
      }
    }
  }
}

function withTrail({ link, isReversed }: ShortestStep, row: Row, trail: readonly number[]): Row {
  const next = row.slice();
  const links = trail.map((each) => new LinkValue(each));
  next[link] = isReversed ? links.reverse() : links;
  return next;
}
