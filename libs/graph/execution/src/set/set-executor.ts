/** Executes set plans, and keeps the far sets of steps for the enumeration of rows. *Hot path*. */
import type { Selection } from '#graph/model';
import type {
  AbsentFilter,
  BackwardFilter,
  ForwardFilter,
  HopSource,
  SetFilter,
  SetPlan,
} from '../pattern/set-plan.ts';
import { reversed } from '../pattern/set-plan.ts';
import type { ExecutionContext } from '../context/execution-context.ts';
import { expand, linked } from './expand.ts';
import { NodeList } from '../context/node-list.ts';
import { NodeSet } from './node-set.ts';

const PROBED_MAX = 64;
const PROBED_RATIO = 0.25;
/** Minimum number of a hop's start nodes, and their minimum share of all possible ones. */
const LINKED_LEAST = 1_024;
const LINKED_SHARE = 0.25;
/** Testing an end costs less than following a link. */
const LINKED_RATIO = 2;

type Operator = Generator<void, NodeSet>;

/** All nodes that the selection of an element selects, found before the plan runs. */
export interface KnownNodes {
  readonly element: number;
  readonly nodes: NodeSet;
}

export class SetExecutor {
  readonly #context: ExecutionContext;
  readonly #known: KnownNodes | undefined;
  readonly #farSets = new Map<number, NodeSet>();
  /** Of steps from a single node, by their elements: that node. */
  readonly #onlyNear = new Map<number, number>();

  constructor(context: ExecutionContext, known?: KnownNodes) {
    this.#context = context;
    this.#known = known;
  }

  /** The nodes at the far end of a step (by its element) from which the rest of the pattern matches. */
  farSet(step: number): NodeSet {
    return this.#farSets.get(step) ?? NodeSet.EMPTY;
  }

  /** The ends of a step from `node`, where that is the only one that the step was taken from. */
  endsFrom(step: number, node: number): NodeSet | undefined {
    return this.#onlyNear.get(step) === node ? this.#farSets.get(step) : undefined;
  }

  *run(plan: SetPlan): Operator {
    const startedMs = this.#context.profile?.nowMs() ?? 0;
    const source = yield* this.#source(plan);
    this.#context.profile?.note(plan.source, source.size, startedMs);
    const nodes = yield* this.narrow(source, plan.filters);
    return nodes;
  }

  /** The nodes that pass every filter. */
  *narrow(nodes: NodeSet, filters: readonly SetFilter[]): Operator {
    let left = nodes;
    for (const filter of filters) {
      if (left.size === 0) return left;
      const startedMs = this.#context.profile?.nowMs() ?? 0;
      left = yield* this.#filter(left, filter);
      this.#context.profile?.note(filter, left.size, startedMs);
    }
    return left;
  }

  *#source({ element, source }: SetPlan): Operator {
    if (source.kind === 'select') {
      if (element === this.#known?.element) return this.#known.nodes;
      return yield* this.#select(source.selection);
    }
    const from = yield* this.run(source.from);
    this.#farSets.set(source.step.element, from);
    if (this.#isMostLinked(source, from)) {
      const all = yield* this.#select(source.selection);
      return yield* linked(this.#context, all, reversed(source.step), from);
    }
    return yield* expand(this.#context, from, source.step, this.#context.matcher(source.selection));
  }

  *#select(selection: Selection): Operator {
    const { reader, pace } = this.#context;
    const nodes = yield* pace.through(reader.select(selection));
    if (pace.isDue(nodes.length)) yield;
    return new NodeSet(nodes, true, reader.nodeBound);
  }

  /**
   * Whether a hop starts from so large a share of the nodes that testing each end, in order, for its first
   * link back is faster than following all links to ends all over the graph.
   */
  #isMostLinked({ step, selection, from: { source } }: HopSource, from: NodeSet): boolean {
    if (selection.filter !== undefined || step.repeat !== undefined || step.condition !== undefined)
      return false;
    const share = from.size / Math.max(1, this.#context.estimateNames(source.selection));
    if (from.size < LINKED_LEAST || share < LINKED_SHARE) return false;
    const { linkCount } = this.#context.adjacency(step);
    return this.#context.estimateNames(selection) <= LINKED_RATIO * (from.size + share * linkCount);
  }

  #filter(nodes: NodeSet, filter: SetFilter): Operator {
    switch (filter.kind) {
      case 'forward':
        return this.#forward(nodes, filter);
      case 'backward':
        return this.#backward(nodes, filter);
      case 'absent':
        return this.#absent(nodes, filter);
    }
  }

  *#forward(nodes: NodeSet, { step, selection, filters }: ForwardFilter): Operator {
    const reached = yield* expand(this.#context, nodes, step, this.#context.matcher(selection));
    const far = yield* this.narrow(reached, filters);
    if (nodes.size > 1) return yield* this.#comeBack(nodes, step, far);
    // All ends are ends from the only node.
    this.#onlyNear.set(step.element, nodes.nodes[0]!);
    this.#farSets.set(step.element, far);
    return far.size > 0 ? nodes : NodeSet.EMPTY;
  }

  *#backward(nodes: NodeSet, { step, far }: BackwardFilter): Operator {
    return yield* this.#comeBack(nodes, step, yield* this.run(far));
  }

  /**
   * The members of `nodes` with a link of `step` into `far`: tested one by one, or found from `far` as a set.
   */
  *#comeBack(nodes: NodeSet, step: ForwardFilter['step'], far: NodeSet): Operator {
    this.#onlyNear.delete(step.element);
    this.#farSets.set(step.element, far);
    if (far.size > 0 && isProbed(nodes, step, far)) return yield* linked(this.#context, nodes, step, far);
    return yield* expand(this.#context, far, reversed(step), nodes.has);
  }

  *#absent(nodes: NodeSet, { filters }: AbsentFilter): Operator {
    const found = yield* this.narrow(nodes, filters);
    if (found.size === 0) return nodes;
    const left = new NodeList();
    for (const node of nodes.nodes) {
      if (!found.has(node)) left.push(node);
      if (this.#context.pace.isDue(1)) yield;
    }
    return new NodeSet(left.toArray(), nodes.isOrdered, this.#context.reader.nodeBound);
  }
}

/** Testing a few nodes is cheaper than reading the links of a far end that half the graph may point to. */
function isProbed(nodes: NodeSet, step: ForwardFilter['step'], far: NodeSet): boolean {
  return step.repeat === undefined && (nodes.size <= PROBED_MAX || nodes.size <= far.size * PROBED_RATIO);
}
