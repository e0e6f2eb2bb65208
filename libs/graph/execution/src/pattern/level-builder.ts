/**
 * Turns a pattern into levels. Slots are assigned to the requested elements, to the start of the enumeration,
 * and to the nodes where it branches. All other nodes are traversed as sets. If rows are only counted,
 * branches without an element of the core become factors.
 */
import type { PatternBody, PatternGroup, PatternHop, PatternNode, PatternStep } from './pattern.ts';
import type { Factor, HangingFactor, Level } from './row-plan.ts';
import type { SetFilter } from './set-plan.ts';
import type { SetPlanner } from './set-planner.ts';

export interface LevelRequest {
  readonly wanted: ReadonlySet<number>;
  readonly planner: SetPlanner;
  /** Elements to enumerate, if the rest is only counted. */
  readonly core: ReadonlySet<number> | undefined;
  /** Elements with the first slots. */
  readonly slots: readonly number[];
  /** Elements of conditions that ask for a link; none where the order of branches shows. */
  readonly joined: ReadonlySet<number>;
}

/** The start of a branch: the node, its slot, and the step that led to it (−1 for the start node). */
interface Place {
  readonly node: PatternNode;
  readonly from: number;
  readonly near: number;
  /** Enclosing optional groups that begin at the same node, the inner ones first. */
  readonly optional: readonly (readonly SetFilter[])[];
}

/** A hop or an optional group, by its first element. */
type Branch = { readonly first: number } & ({ readonly hop: PatternHop } | { readonly group: PatternGroup });

export class LevelBuilder {
  readonly slots: number[];
  readonly factors: HangingFactor[] = [];
  readonly #wanted: ReadonlySet<number>;
  readonly #planner: SetPlanner;
  readonly #core: ReadonlySet<number> | undefined;
  readonly #joined: ReadonlySet<number>;

  constructor({ wanted, planner, core, slots, joined }: LevelRequest) {
    this.#wanted = wanted;
    this.#joined = joined;
    this.#planner = planner;
    this.#core = core;
    this.slots = [...slots];
  }

  slotOf(element: number): number {
    const slot = this.slots.indexOf(element);
    return slot < 0 ? this.slots.push(element) - 1 : slot;
  }

  levels(root: PatternNode): readonly Level[] {
    return this.#body({ node: root, from: this.slotOf(root.element), near: -1, optional: [] }, root);
  }

  /** The branches of a node with a slot, in source order. */
  #body(place: Place, body: PatternBody): readonly Level[] {
    return this.#branches(body).flatMap((branch) => {
      if (!this.#isFree(branch)) {
        return 'hop' in branch ? this.#hop(branch.hop, place) : this.#optional(branch.group, place);
      }
      this.factors.push({ slot: place.from, factor: this.#hanging(branch, place) });
      return [];
    });
  }

  /** A factor counts only where its enclosing groups match. */
  #hanging(branch: Branch, { node, near, optional }: Place): Factor {
    return optional.reduce<Factor>(
      (factor, filters) => ({ kind: 'optional', near, filters, factors: [factor] }),
      this.#factor(branch, node, near),
    );
  }

  /** Hops and optional groups with a requested element. */
  #branches({ hops, groups }: PatternBody): readonly Branch[] {
    const branches: Branch[] = [
      ...hops.map((hop) => ({ hop, first: hop.step.element })),
      ...groups
        .filter((group) => group.mode === 'optional')
        .map((group) => ({ group, first: Math.min(...elementsIn([], [group])) })),
    ];
    const isLive = (branch: Branch): boolean =>
      elementsOfBranch(branch).some((element) => this.#wanted.has(element));
    const isLater = (branch: Branch): number => Number(this.#isJoinedEnd(branch));
    return branches.filter(isLive).sort((a, b) => isLater(a) - isLater(b) || a.first - b.first);
  }

  /** An end that other branches are linked with is looked for among their neighbours when they are bound. */
  #isJoinedEnd(branch: Branch): boolean {
    if (!('hop' in branch)) return false;
    const { element, hops, groups } = branch.hop.target;
    return this.#joined.has(element) && hops.length === 0 && groups.length === 0;
  }

  #isFree(branch: Branch): boolean {
    const core = this.#core;
    return core !== undefined && !elementsOfBranch(branch).some((element) => core.has(element));
  }

  #hop(hop: PatternHop, { from }: Place): readonly Level[] {
    const { path, target } = this.#path(hop);
    const near = path.at(-1)?.element ?? -1;
    const keepsLinks = this.#wanted.has(near);
    const linkSlot = keepsLinks ? this.slotOf(near) : -1;
    const slot = this.slotOf(target.element);
    const level: Level = { kind: 'expand', from, path, keepsLinks, slot, linkSlot, joins: [] };
    return [level, ...this.#body({ node: target, from: slot, near, optional: [] }, target)];
  }

  /** Steps up to the first node that matters. */
  #path(first: PatternHop): { readonly path: readonly PatternStep[]; readonly target: PatternNode } {
    const path: PatternStep[] = [first.step];
    let { target } = first;
    while (!this.#wanted.has(path.at(-1)?.element ?? -1)) {
      const next = this.#onlyWayOn(target);
      if (next === undefined || this.#wanted.has(next.step.element)) break;
      path.push(next.step);
      target = next.target;
    }
    return { path, target };
  }

  /** The single hop that continues from a node that does not matter itself. */
  #onlyWayOn(node: PatternNode): PatternHop | undefined {
    if (this.#wanted.has(node.element)) return undefined;
    const [only, ...others] = this.#branches(node);
    return only !== undefined && 'hop' in only && others.length === 0 ? only.hop : undefined;
  }

  #optional(group: PatternGroup, place: Place): readonly Level[] {
    const filters = this.#filters(group, place.node);
    const levels = this.#body({ ...place, optional: [filters, ...place.optional] }, group);
    const slots = levels.flatMap((level) =>
      level.kind === 'expand' ? [level.slot, level.linkSlot].filter((slot) => slot >= 0) : [],
    );
    const { from, near } = place;
    return [{ kind: 'optional', from, near, filters, slots, length: levels.length }, ...levels];
  }

  #filters(group: PatternGroup, node: PatternNode) {
    return this.#planner.filters(node.selection, this.#planner.estimate(node), group).part;
  }

  #factor(branch: Branch, node: PatternNode, near: number): Factor {
    const inner = (place: PatternNode, body: PatternBody, step: number): readonly Factor[] =>
      this.#branches(body).map((other) => this.#factor(other, place, step));
    if ('group' in branch) {
      const filters = this.#filters(branch.group, node);
      return { kind: 'optional', near, filters, factors: inner(node, branch.group, near) };
    }
    const { path, target } = this.#path(branch.hop);
    const last = path.at(-1)?.element ?? -1;
    const factors = inner(target, target, last);
    return { kind: 'hop', near, path, keepsLinks: this.#wanted.has(last), element: target.element, factors };
  }
}

function elementsOfBranch(branch: Branch): readonly number[] {
  return 'hop' in branch ? elementsIn([branch.hop], []) : elementsIn([], [branch.group]);
}

/** All elements of hops and optional groups, including their branches. */
export function elementsIn(hops: readonly PatternHop[], groups: readonly PatternGroup[]): readonly number[] {
  return [
    ...hops.flatMap(({ step, target }) => [
      step.element,
      target.element,
      ...elementsIn(target.hops, target.groups),
    ]),
    ...groups.flatMap((group) => (group.mode === 'optional' ? elementsIn(group.hops, group.groups) : [])),
  ];
}
