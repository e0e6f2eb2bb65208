/**
 * Chooses the start of a pattern. The set of each node can be computed in two ways: by a selection that is
 * narrowed, or by a hop from the set of a neighbour in the pattern (computed in the same way). A required
 * neighbour can be tested forwards (from the current set) or backwards (from its own set). The planner takes
 * the cheaper way at each node, so that evaluation starts at the selective end of the pattern.
 */
import type { Selection } from '#graph/model';
import type { PatternBody, PatternHop, PatternNode, PatternStep } from './pattern.ts';
import { reversed, type HopSource, type SelectSource, type SetFilter, type SetPlan } from './set-plan.ts';
import { fanOut, type Statistics } from './statistics.ts';

/** The default selectivity of a filter. */
const SELECTIVITY = 0.5;
/** The minimum cost of a hop, even without links. */
const HOP_COST = 1;

export interface SetPlannerOptions {
  /** If off, every pattern is walked from left to right. */
  readonly isOff?: boolean;
}

interface Costed<Part> {
  readonly part: Part;
  readonly cost: number;
  /** Number of remaining nodes. */
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

  /** The nodes that match `node` with all its branches; optional groups are ignored. */
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

  /** How many links a step may follow. */
  linkCount({ verbs, direction }: PatternStep): number {
    return this.#statistics.linkCount(verbs, direction);
  }

  /** Filters for the branches of a node, for a set of `rows` nodes. */
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
    const touched = Math.min(rows * fanOut(this.#statistics, near, step), this.#touchedMax(step));
    const farRows = Math.min(touched, this.#statistics.estimate(target.selection));
    const filters = this.filters(target.selection, farRows, target);
    // From a single node, no way back is asked for.
    const isSingle = rows <= 1 && step.repeat !== undefined;
    const back = isSingle ? 0 : filters.rows * fanOut(this.#statistics, target.selection, reversed(step));
    const { selection, element: farElement } = target;
    const left = rows * SELECTIVITY;
    return {
      part: { kind: 'forward', step, selection, farElement, filters: filters.part, rows: left },
      cost: touched + filters.cost + back + HOP_COST,
      rows: left,
    };
  }

  /** A repeated step reads each relationship once, however many trails there are. */
  #touchedMax(step: PatternStep): number {
    return step.repeat === undefined ? Infinity : this.#statistics.linkCount(step.verbs, step.direction);
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
