/**
 * Rows of a star that are only counted: a node, and relationships from it to nodes where nothing goes on.
 * The rows of each node in the middle are the product of how many links it has of each kind. So no link is
 * followed, and no set of ends is made, where the store knows where links of a verb lead.
 */
import type { Selection } from '#graph/model';
import type { Pattern, PatternHop, PatternNode, PatternStep } from './pattern.ts';
import type { SetPlanner } from './set-planner.ts';

export interface StarPlan {
  /** Of the node in the middle. */
  readonly selection: Selection;
  readonly branches: readonly StarBranch[];
}

/** Links that must be there, or of an optional branch all that count one where one of them is missing. */
export interface StarBranch {
  readonly links: readonly StarLink[];
  readonly isOptional: boolean;
}

export interface StarLink {
  readonly step: PatternStep;
  readonly ends: Selection;
}

/** A node in the middle takes about the time of so many links that are followed. */
const LINKS_PER_NODE = 4;

/**
 * Undefined where the pattern, of `root` as one of its nodes, is no star, or following links from its
 * smallest end takes less. All elements must be `visible`, so that each link counts.
 */
export function starPlan(
  { conditions }: Pattern,
  root: PatternNode,
  visible: readonly number[],
  planner: SetPlanner,
): StarPlan | undefined {
  const { hops, groups, selection } = root;
  if (
    conditions.length > 0 ||
    groups.some(({ mode, groups: inner }) => mode === 'absent' || inner.length > 0)
  )
    return undefined;
  const all = [...hops, ...groups.flatMap((group) => group.hops)];
  const isEach = visible.length === 1 + all.length * 2 && visible.includes(root.element);
  if (all.length === 0 || !isEach || !all.every((hop) => isRay(hop, visible))) return undefined;
  const links = Math.min(...hops.map(({ step }) => planner.linkCount(step)));
  if (planner.estimate(root) > links * LINKS_PER_NODE) return undefined;
  const branchOf = (rays: readonly PatternHop[], isOptional: boolean): StarBranch => ({
    links: rays.map(({ step, target }) => ({ step, ends: target.selection })),
    isOptional,
  });
  return {
    selection,
    branches: [branchOf(hops, false), ...groups.map((group) => branchOf(group.hops, true))],
  };
}

function isRay({ step, target }: PatternHop, visible: readonly number[]): boolean {
  const isPlain = step.repeat === undefined && step.condition === undefined;
  const isEnd = target.hops.length === 0 && target.groups.length === 0;
  return isPlain && isEnd && visible.includes(step.element) && visible.includes(target.element);
}
