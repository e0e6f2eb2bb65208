import type { GraphReader } from '../graph-reader.port.ts';
import type { Adjacency, Direction, Selection, VerbSelection } from '#graph/model';
import type { PatternStep } from './pattern.ts';

const TRAIL_GROWTH_MAX = 1e12;

/** Statistics for the planner: sizes available at no cost. */
export interface Statistics {
  /** An upper bound for the number of selected nodes. */
  estimate(selection: Selection): number;
  /** The number that `estimate` would return without the filter. */
  estimateNames(selection: Selection): number;
  /** Number of links with these verbs. */
  linkCount(verbs: VerbSelection, direction: Direction): number;
}

/** Caches the statistics of a reader. Selections and verbs are distinguished by identity. */
export class ReaderStatistics implements Statistics {
  readonly #reader: GraphReader;
  /** Created on demand: a cached plan needs no statistics. */
  #estimates: Map<Selection, number> | undefined;
  #names: Map<Selection['names'], number> | undefined;
  #adjacency: Map<VerbSelection, Map<Direction, Adjacency>> | undefined;

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  estimate(selection: Selection): number {
    if (selection.filter === undefined) return this.estimateNames(selection);
    const estimates = (this.#estimates ??= new Map<Selection, number>());
    let estimate = estimates.get(selection);
    if (estimate === undefined) {
      estimate = this.#reader.estimate(selection);
      estimates.set(selection, estimate);
    }
    return estimate;
  }

  estimateNames({ names }: Selection): number {
    const known = (this.#names ??= new Map<Selection['names'], number>());
    let estimate = known.get(names);
    if (estimate === undefined) {
      estimate = this.#reader.estimate({ names });
      known.set(names, estimate);
    }
    return estimate;
  }

  linkCount(verbs: VerbSelection, direction: Direction): number {
    return this.adjacency(verbs, direction).linkCount;
  }

  adjacency(verbs: VerbSelection, direction: Direction): Adjacency {
    const all = (this.#adjacency ??= new Map<VerbSelection, Map<Direction, Adjacency>>());
    let ofVerbs = all.get(verbs);
    if (ofVerbs === undefined) all.set(verbs, (ofVerbs = new Map<Direction, Adjacency>()));
    let adjacency = ofVerbs.get(direction);
    if (adjacency === undefined) {
      adjacency = this.#reader.adjacency(verbs, direction);
      ofVerbs.set(direction, adjacency);
    }
    return adjacency;
  }
}

/** Average number of neighbours of a step from one of `near`, assuming all its links start at these nodes. */
export function fanOut(statistics: Statistics, near: Selection, step: PatternStep): number {
  const nodes = Math.max(1, statistics.estimateNames(near));
  const once = statistics.linkCount(step.verbs, step.direction) / nodes;
  if (step.repeat === undefined) return once;
  return Math.min(TRAIL_GROWTH_MAX, Math.max(once, once ** step.repeat.max));
}
