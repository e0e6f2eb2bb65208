/**
 * The computation of a set of nodes. A set is read from a *source* (an index, or a hop from another set) and
 * narrowed by *filters* in sequence. `rows` is the estimated size; `cost` is the number of nodes and links
 * touched.
 */
import type { Selection } from '#graph/model';
import type { PatternStep } from './pattern.ts';

export interface SetPlan {
  readonly element: number;
  readonly source: SelectSource | HopSource;
  readonly filters: readonly SetFilter[];
  readonly rows: number;
  readonly cost: number;
}

/** All nodes of the selection, from the index. */
export interface SelectSource {
  readonly kind: 'select';
  readonly selection: Selection;
  readonly rows: number;
}

/** The nodes that `step` reaches from `from` and that pass `selection`. */
export interface HopSource {
  readonly kind: 'hop';
  readonly step: PatternStep;
  readonly from: SetPlan;
  readonly selection: Selection;
  readonly rows: number;
}

export type SetFilter = ForwardFilter | BackwardFilter | AbsentFilter;

/** Keeps nodes with a far end: hops from the current set, filters the far ends, and hops back. */
export interface ForwardFilter {
  readonly kind: 'forward';
  readonly step: PatternStep;
  readonly selection: Selection;
  readonly farElement: number;
  readonly filters: readonly SetFilter[];
  readonly rows: number;
}

/** Keeps nodes with a far end: computes all far ends, and hops from them. */
export interface BackwardFilter {
  readonly kind: 'backward';
  readonly step: PatternStep;
  readonly far: SetPlan;
  readonly rows: number;
}

/** Keeps the nodes that do not pass all of `filters`. */
export interface AbsentFilter {
  readonly kind: 'absent';
  readonly filters: readonly SetFilter[];
  readonly rows: number;
}

/** The step, walked from its far end. */
export function reversed<Walked extends Pick<PatternStep, 'direction'>>(step: Walked): Walked {
  if (step.direction === 'any') return step;
  return { ...step, direction: step.direction === 'out' ? 'in' : 'out' };
}
