/**
 * Chooses where to start. For each node of the pattern there are two ways to its set: select it and narrow
 * it, or come to it by a hop from the set of a neighbour in the pattern (found in the same way). A required
 * neighbour can be asked for forwards (from the set at hand) or backwards (from its own set). The cheaper
 * way is taken at each place, so that a pattern is entered at its selective end, wherever that is.
 */
import type { Selection } from '#graph/model';
import type { PatternBody, PatternHop, PatternNode } from './pattern.ts';
import { reversed, type HopSource, type SelectSource, type SetFilter, type SetPlan } from './set-plan.ts';
import { fanOut, type Statistics } from './statistics.ts';

/** What a filter is taken to leave over, for want of better knowledge. */
const SELECTIVITY = 0.5;
/** A hop costs something even where there is no link. */
const HOP_COST = 1;

export interface SetPlannerOptions {
  /** Off: every pattern is walked from left to right. */
  readonly isOff?: boolean;
}

interface Costed<Part> {
  readonly part: Part;
  readonly cost: number;
  /** Nodes left over. */
  readonly rows: number;
}

export class SetPlanner {
  readonly #statistics: Statistics;
  readonly isOff: boolean;
  readonly #plans = new Map<PatternNode, SetPlan>();

  constructor(statistics: Statistics, { isOff = false }: SetPlannerOptions = {}) {
    this.#statistics = statistics;
    this.isOff = isOff;
  }

  /** The nodes that match `node` with all that hangs on it; optional groups are none of its business. */
  plan(node: PatternNode): SetPlan {
    let plan = this.#plans.get(node);
    if (plan === undefined) this.#plans.set(node, (plan = this.#cheapest(node)));
    return plan;
  }

  #cheapest(node: PatternNode): SetPlan {
    let best = this.#selectFirst(node);
    if (this.isOff) return best;
    for (const hop of node.hops) {
      const candidate = this.#hopFirst(node, hop);
      if (candidate.cost < best.cost) best = candidate;
    }
    return best;
  }

  estimate(node: PatternNode): number {
    return this.#statistics.estimate(node.selection);
  }

  /** Filters for what hangs on a node of a set of `rows` nodes. */
  filters(near: Selection, rows: number, body: PatternBody): Costed<readonly SetFilter[]> {
    const absent = body.groups.filter((group) => group.mode === 'absent');
    const all = [
      ...body.hops.map((hop) => (left: number) => this.#existence(near, left, hop)),
      ...absent.map((group) => (left: number) => this.#absence(near, left, group)),
    ];
    const part: SetFilter[] = [];
    let cost = 0;
    let left = rows;
    for (const make of all) {
      const next = make(left);
      part.push(next.part);
      cost += next.cost;
      left = next.rows;
    }
    return { part, cost, rows: left };
  }

  #selectFirst(node: PatternNode): SetPlan {
    const rows = this.#statistics.estimate(node.selection);
    return this.#narrowed(node, { kind: 'select', selection: node.selection, rows }, rows, node);
  }

  #hopFirst(node: PatternNode, hop: PatternHop): SetPlan {
    const from = this.plan(hop.target);
    const step = reversed(hop.step);
    const touched = from.rows * fanOut(this.#statistics, hop.target.selection, step);
    const rows = Math.min(touched, this.#statistics.estimate(node.selection));
    const source: HopSource = { kind: 'hop', step, from, selection: node.selection, rows };
    const rest = { hops: node.hops.filter((other) => other !== hop), groups: node.groups };
    return this.#narrowed(node, source, from.cost + touched + HOP_COST, rest);
  }

  #narrowed(node: PatternNode, source: SelectSource | HopSource, cost: number, body: PatternBody): SetPlan {
    const filters = this.filters(node.selection, source.rows, body);
    return {
      element: node.element,
      source,
      filters: filters.part,
      rows: filters.rows,
      cost: cost + filters.cost,
    };
  }

  #existence(near: Selection, rows: number, hop: PatternHop): Costed<SetFilter> {
    const forward = this.#forward(near, rows, hop);
    if (this.isOff) return forward;
    const far = this.plan(hop.target);
    const cost =
      far.cost + far.rows * fanOut(this.#statistics, hop.target.selection, reversed(hop.step)) + rows;
    if (cost >= forward.cost) return forward;
    const left = rows * SELECTIVITY;
    return { part: { kind: 'backward', step: hop.step, far, rows: left }, cost, rows: left };
  }

  #forward(near: Selection, rows: number, { step, target }: PatternHop): Costed<SetFilter> {
    const touched = rows * fanOut(this.#statistics, near, step);
    const farRows = Math.min(touched, this.#statistics.estimate(target.selection));
    const filters = this.filters(target.selection, farRows, target);
    const back = filters.rows * fanOut(this.#statistics, target.selection, reversed(step));
    const { selection, element: farElement } = target;
    const left = rows * SELECTIVITY;
    return {
      part: { kind: 'forward', step, selection, farElement, filters: filters.part, rows: left },
      cost: touched + filters.cost + back + HOP_COST,
      rows: left,
    };
  }

  #absence(near: Selection, rows: number, body: PatternBody): Costed<SetFilter> {
    const filters = this.filters(near, rows, body);
    const left = rows * SELECTIVITY;
    return {
      part: { kind: 'absent', filters: filters.part, rows: left },
      cost: filters.cost + rows,
      rows: left,
    };
  }
}
