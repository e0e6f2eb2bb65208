/**
 * Shortest paths between two nodes that are known. One path without conditions is searched for from both
 * ends, in the snapshot itself, as PQL's are; all others breadth first from the start, level by level.
 */
import { type GraphReader, NodeSet, searchPaths } from '#graph/execution';
import type { Pausing, Row, Run } from '../graph/run.ts';
import { readerOfTypes, setSearch, WORK_PER_STEP } from '../graph/set-search.ts';
import type { Rows } from '../expression/subqueries.ts';
import { flatMapped, type Stage } from '../stage/stage.ts';
import { LinkValue, NodeValue } from '../value/value.ts';
import { isUsed, type TrailStep } from './expand.ts';

interface ShortestStep extends TrailStep {
  readonly wanted: 'one' | 'all';
  /** Whether the types of the relationships say all that is asked of them. */
  readonly isByTypes: boolean;
  /** Whether a path that has its relationships passes the conditions on it. */
  readonly accepts: ((row: Row, run: Run) => boolean) | undefined;
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
    const reader = readerFor(step, run);
    if (reader !== undefined) {
      const trail = yield* trailBetween(step, run, { reader, start: start.node, end: end.node });
      if (trail !== undefined) yield withTrail(step, row, trail);
      return;
    }
    const search = new Search(step, row, run);
    yield* search.reach(start.node, end.node);
    const isFound = yield* accepted(step, row, { run, trails: search.trailsTo(end.node) });
    if (isFound || step.accepts === undefined || !search.hasReached(end.node)) return;
    yield* shortestAccepted(step, row, { run, start: start.node, end: end.node });
  });
}

/** The snapshot, where one shortest way in it is all that is asked. */
function readerFor(
  { wanted, isByTypes, accepts, others, types }: ShortestStep,
  run: Run,
): GraphReader | undefined {
  const isAlone = wanted === 'one' && isByTypes && accepts === undefined && others.length === 0;
  return isAlone ? readerOfTypes(run, [types]) : undefined;
}

/** The relationships of a shortest way, from the start on; undefined if there is none. */
function* trailBetween(
  { direction, types, max }: ShortestStep,
  run: Run,
  { reader, start, end }: { readonly reader: GraphReader; readonly start: number; readonly end: number },
): Pausing<readonly number[] | undefined> {
  run.profile?.uncounted();
  const { context } = setSearch(reader);
  const step = { element: 0, verbs: types, direction };
  const demand = { all: false, each: false, step, depth: max, limit: 1 };
  const setOf = (node: number): NodeSet => new NodeSet(Uint32Array.of(node), true, reader.nodeBound);
  try {
    const search = searchPaths(context, demand, { from: setOf(start), to: setOf(end) });
    for (let next = search.next(); ; next = search.next()) {
      const [path] = next.done === true ? next.value : [];
      if (next.done === true) return path && [...path.links];
      run.tick(WORK_PER_STEP);
      if (run.isPauseDue()) yield undefined;
    }
  } finally {
    context.release();
  }
}

/** The rows of the trails that pass, only the first where one is wanted; returns whether there is any. */
function* accepted(
  step: ShortestStep,
  row: Row,
  { run, trails }: { readonly run: Run; readonly trails: Iterable<readonly number[]> },
): Generator<Row | undefined, boolean> {
  let isFound = false;
  for (const trail of trails) {
    if (run.isPauseDue()) yield undefined;
    const next = withTrail(step, row, trail);
    if (step.accepts?.(next, run) === false) continue;
    isFound = true;
    yield next;
    if (step.wanted === 'one') break;
  }
  return isFound;
}

interface Trail {
  readonly links: readonly number[];
  readonly end: number;
}

/** Where no shortest way passes: all trails, length by length, until one passes. */
function* shortestAccepted(
  step: ShortestStep,
  row: Row,
  { run, start, end }: { readonly run: Run; readonly start: number; readonly end: number },
): Rows {
  let level: readonly Trail[] = [{ links: [], end: start }];
  for (let depth = 1; depth <= step.max && level.length > 0; depth++) {
    const next: Trail[] = [];
    for (const trail of level) {
      yield undefined;
      for (const longer of continued(step, row, { run, trail })) {
        if (run.isPauseDue()) yield undefined;
        run.make(longer.links.length);
        next.push(longer);
      }
    }
    const trails = next.filter((trail) => trail.end === end).map(({ links }) => links);
    if (yield* accepted(step, row, { run, trails })) return;
    level = next;
  }
}

function* continued(
  { direction, types, others, passes }: ShortestStep,
  row: Row,
  { run, trail }: { readonly run: Run; readonly trail: Trail },
): Generator<Trail, void> {
  const { links, nodes } = run.graph.expand(trail.end, direction, types);
  for (const [index, link] of links.entries()) {
    if (trail.links.includes(link) || isUsed(row, others, link)) continue;
    if (passes(new LinkValue(link), row, run)) {
      yield { links: [...trail.links, link], end: nodes[index] ?? 0 };
    }
  }
}

/** An entry of a map, with a list of one way. */
const VALUES_PER_ARRIVAL = 6;

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

  hasReached(node: number): boolean {
    return this.#arrivals.has(node);
  }

  /** Completes the level on which the end is found; yields pauses only. */
  *reach(start: number, end: number): Rows {
    this.#arrivals.set(start, { depth: 0, ways: [] });
    let level: readonly number[] = [start];
    for (let depth = 1; depth <= this.#step.max && level.length > 0 && !this.#arrivals.has(end); depth++) {
      const next: number[] = [];
      for (const node of level) {
        if (this.#run.isPauseDue()) yield undefined;
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
        this.#run.make(VALUES_PER_ARRIVAL);
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
