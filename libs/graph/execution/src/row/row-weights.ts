/**
 * The number of rows by which the factors of a plan multiply, for each node they may be attached to. The
 * weight of a node is the sum, over the ends of its hop, of the product of their own weights. It is computed
 * from the leaves up, so that each link is read once regardless of the number of rows. *Hot path*.
 */
import type { PatternStep } from '../pattern/pattern.ts';
import type { Factor, HopFactor } from '../pattern/row-plan.ts';
import { emptyBuffer, type ExecutionContext } from '../context/execution-context.ts';
import type { NodeSet } from '../set/node-set.ts';
import { PathEnds } from '../path/path-ends.ts';
import type { SetExecutor } from '../set/set-executor.ts';

export type Weight = (node: number) => number;

/** Up to one in this many nodes, weights are a map. */
const MAP_SHARE = 64;

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
    const inner = factor.factors.length === 0 ? undefined : yield* this.product(factor.factors);
    const sums = this.#weightsOf(near);
    const step = plainStep(factor);
    if (step === undefined) yield* this.#overEnds(factor, near, { inner, sums });
    else yield* this.#overLinks(step, near, { inner, sums });
    return sums.get;
  }

  *#overEnds(factor: HopFactor, near: NodeSet, { inner, sums }: Sums): Generator<void, void> {
    const ends = new PathEnds(this.#context, factor, this.#sets);
    for (const node of near.nodes) {
      const rest = ends.fill(node);
      if (rest !== undefined) yield* rest;
      const { nodes } = ends;
      let sum = nodes.length;
      if (inner !== undefined) {
        sum = 0;
        for (let at = 0; at < nodes.length; at++) sum += inner(nodes.at(at));
      }
      sums.set(node, sum);
      if (this.#context.pace.isDue(nodes.length + 1)) yield;
    }
  }

  /** The same where each link is an end of its own: nothing of them is kept. */
  *#overLinks(step: PatternStep, near: NodeSet, { inner, sums }: Sums): Generator<void, void> {
    const adjacency = this.#context.adjacency(step);
    const isEnd = this.#sets.farSet(step.element).has;
    const buffer = emptyBuffer();
    for (const node of near.nodes) {
      adjacency.read(node, buffer);
      const { count, nodes } = buffer;
      let sum = 0;
      for (let at = 0; at < count; at++) {
        if (isEnd(nodes[at]!)) sum += inner === undefined ? 1 : inner(nodes[at]!);
      }
      sums.set(node, sum);
      if (this.#context.pace.isDue(count + 1)) yield;
    }
  }

  /** For nodes of `near` alone. */
  #weightsOf(near: NodeSet): Weights {
    if (near.size * MAP_SHARE < this.#context.reader.nodeBound) {
      const map = new Map<number, number>();
      return { get: (node) => map.get(node) ?? 0, set: (node, weight) => map.set(node, weight) };
    }
    const marks = this.#context.takeMarks();
    return {
      get: (node) => marks.noteOf(node),
      set: (node, weight) => {
        marks.note(node, weight);
      },
    };
  }
}

interface Weights {
  readonly get: Weight;
  set(node: number, weight: number): void;
}

interface Sums {
  /** Of an end; undefined where each counts one. */
  readonly inner: Weight | undefined;
  /** What is made. */
  readonly sums: Weights;
}

/** The only step of a path whose links all count; undefined for other paths. */
function plainStep({ path, keepsLinks }: HopFactor): PatternStep | undefined {
  const [step, ...others] = path;
  const isPlain = step?.repeat === undefined && step?.condition === undefined;
  return keepsLinks && isPlain && others.length === 0 ? step : undefined;
}
