/**
 * The number of rows by which the factors of a plan multiply, for each node they may be attached to. The
 * weight of a node is the sum, over the ends of its hop, of the product of their own weights. It is computed
 * from the leaves up, so that each link is read once regardless of the number of rows. *Hot path*.
 */
import type { Factor, HopFactor } from '../pattern/row-plan.ts';
import type { ExecutionContext } from '../context/execution-context.ts';
import type { NodeSet } from '../set/node-set.ts';
import { PathEnds } from '../path/path-ends.ts';
import type { SetExecutor } from '../set/set-executor.ts';

export type Weight = (node: number) => number;

/** Up to one in this many nodes, weights are a map. */
const MAP_SHARE = 16;

export class RowWeights {
  readonly #context: ExecutionContext;
  readonly #sets: SetExecutor;
  readonly #start: NodeSet;

  constructor(context: ExecutionContext, sets: SetExecutor, start: NodeSet) {
    this.#context = context;
    this.#sets = sets;
    this.#start = start;
  }

  *of(factor: Factor): Generator<void, Weight> {
    const near = factor.near < 0 ? this.#start : this.#sets.farSet(factor.near);
    if (factor.kind === 'hop') return yield* this.#hop(factor, near);
    const having = (yield* this.#sets.narrow(near, factor.filters)).has;
    const inner = yield* this.product(factor.factors);
    return (node) => (having(node) ? inner(node) : 1);
  }

  /** The product of the factors’ weights; 1 without factors. */
  *product(factors: readonly Factor[]): Generator<void, Weight> {
    const weights: Weight[] = [];
    for (const factor of factors) weights.push(yield* this.of(factor));
    const [only] = weights;
    if (only !== undefined && weights.length === 1) return only;
    return (node) => weights.reduce((product, weight) => product * weight(node), 1);
  }

  *#hop(factor: HopFactor, near: NodeSet): Generator<void, Weight> {
    const isLeaf = factor.factors.length === 0;
    const inner = yield* this.product(factor.factors);
    const ends = new PathEnds(this.#context, factor, this.#sets);
    const weights = weightsOf(near, this.#context.reader.nodeBound);
    for (const node of near.nodes) {
      const rest = ends.fill(node);
      if (rest !== undefined) yield* rest;
      const { nodes } = ends;
      let sum = nodes.length;
      if (!isLeaf) {
        sum = 0;
        for (let at = 0; at < nodes.length; at++) sum += inner(nodes.at(at));
      }
      weights.set(node, sum);
      if (this.#context.pace.isDue(nodes.length + 1)) yield;
    }
    return weights.get;
  }
}

interface Weights {
  readonly get: Weight;
  set(node: number, weight: number): void;
}

function weightsOf(nodes: NodeSet, bound: number): Weights {
  if (nodes.size * MAP_SHARE < bound) {
    const map = new Map<number, number>();
    return { get: (node) => map.get(node) ?? 0, set: (node, weight) => map.set(node, weight) };
  }
  const array = new Float64Array(bound);
  return { get: (node) => array[node]!, set: (node, weight) => (array[node] = weight) };
}
