/** Counts the rows of a star: see {@link StarPlan}. *Hot path*. */
import type { Adjacency, NodeRange } from '#graph/model';
import type { ExecutionContext } from '../context/execution-context.ts';
import type { GraphReader } from '../graph-reader.port.ts';
import type { RowPlan } from '../pattern/row-plan.ts';
import type { StarBranch, StarPlan } from '../pattern/star-plan.ts';

/** Nodes whose links are counted at once. */
const PORTION = 4_096;

interface BoundBranch {
  readonly links: readonly { readonly adjacency: Adjacency; readonly ends: NodeRange }[];
  readonly isOptional: boolean;
}

/** Whether the rows of a plan are counted as a star over this data. */
export function isStarCounted(reader: GraphReader, { star }: RowPlan): boolean {
  const links = star?.branches.flatMap((branch) => branch.links);
  return links?.every(({ ends }) => reader.rangeOf(ends) !== undefined) === true;
}

/** A star whose ends the store knows to be ranges of nodes. */
export class StarCount {
  readonly #context: ExecutionContext;
  readonly #plan: StarPlan;
  readonly #branches: readonly BoundBranch[];

  private constructor(context: ExecutionContext, plan: StarPlan, branches: readonly BoundBranch[]) {
    this.#context = context;
    this.#plan = plan;
    this.#branches = branches;
  }

  /** Undefined where the ends of some links are no range. */
  static of(context: ExecutionContext, plan: StarPlan): StarCount | undefined {
    const branches = plan.branches.flatMap((branch) => boundBranch(context, branch) ?? []);
    return branches.length === plan.branches.length ? new StarCount(context, plan, branches) : undefined;
  }

  *run(): Generator<void, number> {
    const { reader, pace } = this.#context;
    const nodes = yield* pace.through(reader.select(this.#plan.selection));
    const size = Math.min(PORTION, nodes.length);
    const [rows, branch, counts] = [new Float64Array(size), new Float64Array(size), new Uint32Array(size)];
    let sum = 0;
    for (let start = 0; start < nodes.length; start += PORTION) {
      const portion = nodes.subarray(start, start + PORTION);
      rows.fill(1);
      for (const { links, isOptional } of this.#branches) {
        branch.fill(1);
        for (const { adjacency, ends } of links) {
          adjacency.countEnds(portion, ends, counts);
          for (let at = 0; at < portion.length; at++) branch[at]! *= counts[at]!;
        }
        for (let at = 0; at < portion.length; at++)
          rows[at]! *= isOptional && branch[at] === 0 ? 1 : branch[at]!;
      }
      for (let at = 0; at < portion.length; at++) sum += rows[at]!;
      if (pace.isDue(portion.length)) yield;
    }
    return sum;
  }
}

function boundBranch(context: ExecutionContext, { links, isOptional }: StarBranch): BoundBranch | undefined {
  const bound = links.flatMap(({ step, ends }) => {
    const range = context.reader.rangeOf(ends);
    return range === undefined ? [] : [{ adjacency: context.adjacency(step), ends: range }];
  });
  return bound.length === links.length ? { links: bound, isOptional } : undefined;
}
