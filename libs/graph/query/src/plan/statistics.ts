import type { Adjacency, Direction, Selection, VerbSelection } from '#graph/model';
import type { GraphReader } from '../value/graph-reader.port.ts';
import type { PatternStep } from './pattern.ts';

const TRAIL_GROWTH_MAX = 1e12;

/** What a planner may ask of the data: sizes that cost nothing to tell. */
export interface Statistics {
  /** An upper bound of the nodes selected. */
  estimate(selection: Selection): number;
  /** The same without the filter. */
  estimateNames(selection: Selection): number;
  /** Links of these verbs. */
  linkCount(verbs: VerbSelection, direction: Direction): number;
}

/** What a reader says, each thing asked once. Selections and verbs are told apart by identity. */
export class ReaderStatistics implements Statistics {
  readonly #reader: GraphReader;
  /** Made when they are asked for: many a plan is kept, and asks nothing. */
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

/** Neighbours that a step finds from one of `near` on the average, if all such links were at those. */
export function fanOut(statistics: Statistics, near: Selection, step: PatternStep): number {
  const nodes = Math.max(1, statistics.estimateNames(near));
  const once = statistics.linkCount(step.verbs, step.direction) / nodes;
  if (step.repeat === undefined) return once;
  return Math.min(TRAIL_GROWTH_MAX, Math.max(once, once ** step.repeat.max));
}
