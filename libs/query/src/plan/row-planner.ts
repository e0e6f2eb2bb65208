/**
 * Plans the rows of a pattern. Slots are given to the elements asked for, to where enumeration starts, and
 * to the nodes where it branches. All other nodes are passed through as sets.
 */
import {
  elementsOf,
  type Pattern,
  type PatternBody,
  type PatternGroup,
  type PatternHop,
  type PatternNode,
  type Step,
} from './pattern.ts';
import { requiredNodes, rerooted } from './reroot.ts';
import type { Level, RowPlan } from './row-plan.ts';
import type { SetPlanner } from './set-planner.ts';

export interface RowRequest {
  /** Elements whose combinations are the rows, in source order. */
  readonly visible: readonly number[];
  /** Elements that are wanted beside. */
  readonly hidden: readonly number[];
}

export function planRows(pattern: Pattern, request: RowRequest, planner: SetPlanner): RowPlan {
  const wanted = new Set([...request.visible, ...request.hidden, ...pattern.conditions.flatMap(elementsOf)]);
  const root = startNode(pattern.root, wanted, planner);
  const builder = new LevelBuilder(wanted, request.visible, planner);
  const levels = builder.levels(root);
  return {
    start: planner.plan(root),
    slots: builder.slots,
    visible: request.visible.length,
    startSlot: builder.slotOf(root.element),
    levels,
    conditions: pattern.conditions,
  };
}

/**
 * The wanted node with the smallest set; the FIND node when only relationships or optional nodes are
 * wanted.
 */
function startNode(root: PatternNode, wanted: ReadonlySet<number>, planner: SetPlanner): PatternNode {
  const roots = requiredNodes(root)
    .filter((node) => wanted.has(node.element))
    .map((node) => rerooted(root, node.element));
  if (planner.isOff || roots.length === 0) return root;
  return roots.reduce((best, other) => (planner.plan(other).rows < planner.plan(best).rows ? other : best));
}

class LevelBuilder {
  readonly slots: number[];
  readonly #wanted: ReadonlySet<number>;
  readonly #planner: SetPlanner;

  constructor(wanted: ReadonlySet<number>, visible: readonly number[], planner: SetPlanner) {
    this.#wanted = wanted;
    this.#planner = planner;
    this.slots = [...visible];
  }

  slotOf(element: number): number {
    const slot = this.slots.indexOf(element);
    return slot < 0 ? this.slots.push(element) - 1 : slot;
  }

  levels(root: PatternNode): readonly Level[] {
    return this.#body(root, root, this.slotOf(root.element), -1);
  }

  /** What hangs on a node that has a slot. */
  #body(node: PatternNode, body: PatternBody, from: number, near: number): readonly Level[] {
    const hops = this.#live(body.hops).flatMap((hop) => this.#hop(hop, from));
    const optional = body.groups.filter((group) => group.mode === 'optional' && this.#isLiveBody(group));
    return [...hops, ...optional.flatMap((group) => this.#optional(node, group, from, near))];
  }

  #hop(first: PatternHop, from: number): readonly Level[] {
    const path: Step[] = [first.step];
    let { target } = first;
    while (!this.#wanted.has(path.at(-1)?.element ?? -1)) {
      const next = this.#onlyWayOn(target);
      if (next === undefined || this.#wanted.has(next.step.element)) break;
      path.push(next.step);
      target = next.target;
    }
    const near = path.at(-1)?.element ?? -1;
    const linkSlot = this.#wanted.has(near) ? this.slotOf(near) : -1;
    const slot = this.slotOf(target.element);
    return [{ kind: 'expand', from, path, slot, linkSlot }, ...this.#body(target, target, slot, near)];
  }

  /** The one hop that goes on from a node which does not matter itself. */
  #onlyWayOn(node: PatternNode): PatternHop | undefined {
    if (this.#wanted.has(node.element)) return undefined;
    const hops = this.#live(node.hops);
    const hasGroups = node.groups.some((group) => group.mode === 'optional' && this.#isLiveBody(group));
    return hops.length === 1 && !hasGroups ? hops[0] : undefined;
  }

  #optional(node: PatternNode, group: PatternGroup, from: number, near: number): readonly Level[] {
    const rows = this.#planner.estimate(node);
    const { part: filters } = this.#planner.filters(node.selection, rows, group);
    const levels = this.#body(node, group, from, near);
    const slots = levels.flatMap((level) =>
      level.kind === 'expand' ? [level.slot, level.linkSlot].filter((slot) => slot >= 0) : [],
    );
    return [{ kind: 'optional', from, near, filters, slots, length: levels.length }, ...levels];
  }

  #live(hops: readonly PatternHop[]): readonly PatternHop[] {
    return hops.filter((hop) => this.#isLive(hop));
  }

  /** Whether something wanted lies that way. */
  #isLive({ step, target }: PatternHop): boolean {
    return this.#wanted.has(step.element) || this.#wanted.has(target.element) || this.#isLiveBody(target);
  }

  #isLiveBody({ hops, groups }: PatternBody): boolean {
    return (
      hops.some((hop) => this.#isLive(hop)) ||
      groups.some((group) => group.mode === 'optional' && this.#isLiveBody(group))
    );
  }
}
