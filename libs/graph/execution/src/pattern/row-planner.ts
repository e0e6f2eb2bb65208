/** Plans the rows of a pattern: the start, the levels, and when conditions can be evaluated. */
import { assert } from '#platform/foundation';
import { elementsIn, LevelBuilder } from './level-builder.ts';
import { elementsOf, type Pattern, type PatternHop, type PatternNode, type RowCondition } from './pattern.ts';
import type { ExpandLevel, Join, Level, RowPlan } from './row-plan.ts';
import { reversed } from './set-plan.ts';
import type { SetPlanner } from './set-planner.ts';
import { type StarPlan, starPlan } from './star-plan.ts';

export interface RowRequest {
  /** Elements whose combinations are the rows, in source order. */
  readonly visible: readonly number[];
  /** Other elements to return. */
  readonly beside: readonly number[];
  /** Set if rows are only counted: the elements that must be read nevertheless. */
  readonly read?: ReadonlySet<number>;
  /**
   * Set if rows that differ in elements alone are one: the fields shown of each element. Elements shown as a
   * whole are missing.
   */
  readonly fields?: ReadonlyMap<number, readonly string[]>;
  /** Whether only the first rows in result order are required. */
  readonly isFirst: boolean;
}

export function planRows(pattern: Pattern, request: RowRequest, planner: SetPlanner): RowPlan {
  const { visible, read } = request;
  const tied = pattern.conditions.flatMap(elementsOf);
  const build = (root: PatternNode, core?: ReadonlySet<number>): RowPlan =>
    rowPlan(pattern, request, { root, planner, core });
  const first = request.isFirst && !planner.isOff ? nodeOf(pattern.root, visible[0]) : undefined;
  const ordered = first && build(first);
  if (ordered?.isOrdered === true) return ordered;
  const wanted = new Set([...visible, ...request.beside, ...tied]);
  const start = startNode(pattern.root, (node) => wanted.has(node.element), planner);
  const whole = build(read === undefined ? mergingStart(pattern.root, start, request, planner) : start);
  if (read === undefined || planner.isOff || whole.slots.length > visible.length) return whole;
  const core = new Set([...read, ...tied]);
  const isFitting = (node: PatternNode): boolean => wanted.has(node.element) && isBetween(node, core);
  // A start that is not wanted would leave rows to be told apart, which are only counted.
  const plan = build(startNode(pattern.root, isFitting, planner, start), core);
  const star = read.size === 0 ? starOf(pattern, visible, planner) : undefined;
  return star === undefined ? plan : { ...plan, star };
}

function starOf(pattern: Pattern, visible: readonly number[], planner: SetPlanner): StarPlan | undefined {
  for (const { element } of requiredNodes(pattern.root)) {
    const star = starPlan(pattern, rerooted(pattern.root, element), visible, planner);
    if (star !== undefined) return star;
  }
  return undefined;
}

/** A required node as the root of the pattern. */
function nodeOf(root: PatternNode, element: number | undefined): PatternNode | undefined {
  const node = requiredNodes(root).find((other) => other.element === element);
  return node && rerooted(root, node.element);
}

/**
 * The suitable node with the smallest set; by default the FIND node if only relationships or optional nodes
 * are requested.
 */
function startNode(
  root: PatternNode,
  isFitting: (node: PatternNode) => boolean,
  planner: SetPlanner,
  otherwise = root,
): PatternNode {
  const roots = requiredNodes(root)
    .map((node) => rerooted(root, node.element))
    .filter(isFitting);
  if (planner.isOff || roots.length === 0) return otherwise;
  return roots.reduce((best, other) => (planner.plan(other).rows < planner.plan(best).rows ? other : best));
}

/** A start of up to so many times the smallest is taken where the others can be merged then. */
const START_FACTOR = 16;

/** The start, or the node whose entities are shown if it is not much larger: it is no end to be merged. */
function mergingStart(
  root: PatternNode,
  start: PatternNode,
  { beside, visible, fields }: RowRequest,
  planner: SetPlanner,
): PatternNode {
  if (fields?.has(start.element) !== true || planner.isOff) return start;
  const shown = [...visible, ...beside].find((element) => !fields.has(element));
  const other = shown === undefined ? undefined : nodeOf(root, shown);
  if (other === undefined) return start;
  return planner.plan(other).rows <= START_FACTOR * planner.plan(start).rows ? other : start;
}

/** Whether a root is an element of the core or between such elements: enumeration passes it anyway. */
function isBetween(root: PatternNode, core: ReadonlySet<number>): boolean {
  if (core.size === 0 || core.has(root.element)) return true;
  const parts = [
    ...root.hops.map((hop) => elementsIn([hop], [])),
    ...root.groups.map((group) => elementsIn([], [group])),
  ];
  return parts.filter((elements) => elements.some((element) => core.has(element))).length > 1;
}

interface RowParts {
  readonly root: PatternNode;
  readonly planner: SetPlanner;
  readonly core: ReadonlySet<number> | undefined;
}

function rowPlan(
  { conditions }: Pattern,
  { visible, beside, isFirst, fields, read }: RowRequest,
  { root, planner, core }: RowParts,
): RowPlan {
  const kept = [...visible, ...beside];
  const wanted = new Set([...kept, ...conditions.flatMap(elementsOf)]);
  const linked = core === undefined ? [] : conditions.filter(({ kind }) => kind === 'linked');
  const joined = new Set(linked.flatMap(elementsOf));
  const builder = new LevelBuilder({ wanted, planner, core, slots: kept, joined });
  const built = builder.levels(root);
  const { slots, factors } = builder;
  const startSlot = builder.slotOf(root.element);
  const { checks, levels } = placed(conditions, built, slots, startSlot);
  // Rows that are counted must each be enumerated once.
  const isCounted = read !== undefined;
  const isWhole = slots.length === visible.length;
  const isMerged = fields !== undefined && !planner.isOff && (!isCounted || isWhole);
  const last = boundLast(levels, startSlot).map((slot) => slots[slot] ?? -1);
  return {
    start: planner.plan(root),
    slots,
    visible: visible.length,
    kept: kept.length,
    startSlot,
    levels: isMerged
      ? mergedLevels(levels, { slots, factors, conditions, fields, isOrdered: !isCounted })
      : levels,
    keptLevels: slots.length > kept.length ? lastKept(levels, kept.length) + 1 : levels.length,
    isLastCounted: read !== undefined && isWhole && !last.some((element) => read.has(element)),
    checks,
    factors,
    isOrdered: isFirst && !planner.isOff && isWhole && bindsInOrder(startSlot, levels),
  };
}

interface MergeParts extends Pick<RowPlan, 'slots' | 'factors'> {
  readonly conditions: readonly RowCondition[];
  readonly fields: ReadonlyMap<number, readonly string[]>;
  readonly isOrdered: boolean;
}

/** The levels, with the ends merged of each from which nothing goes on and no condition asks. */
function mergedLevels(
  levels: readonly Level[],
  { slots, factors, conditions, fields, isOrdered }: MergeParts,
): readonly Level[] {
  const tied = new Set(conditions.flatMap(elementsOf).map((element) => slots.indexOf(element)));
  const goesOn = new Set([...levels.map(({ from }) => from), ...factors.map(({ slot }) => slot), ...tied]);
  return levels.map((level) => {
    if (level.kind === 'optional' || level.joins.length > 0) return level;
    const shown = fields.get(slots[level.slot] ?? -1);
    // A relationship that is shown as a whole is missing, and tells its ends apart.
    const link = level.linkSlot < 0 ? [] : fields.get(slots[level.linkSlot] ?? -1);
    const isFree = !goesOn.has(level.slot) && !tied.has(level.linkSlot) && link?.length === 0;
    return shown !== undefined && isFree ? { ...level, merged: { fields: shown, isOrdered } } : level;
  });
}

function boundSlots(level: Level): readonly number[] {
  if (level.kind === 'optional') return [];
  return level.linkSlot < 0 ? [level.slot] : [level.linkSlot, level.slot];
}

/** By the last level; without levels, the start. */
function boundLast(levels: readonly Level[], startSlot: number): readonly number[] {
  const last = levels.at(-1);
  return last === undefined ? [startSlot] : boundSlots(last);
}

function lastKept(levels: readonly Level[], kept: number): number {
  return levels.findLastIndex((level) => boundSlots(level).some((slot) => slot < kept));
}

/** Whether slots are bound in their order, so that rows are enumerated in ascending order. */
function bindsInOrder(startSlot: number, levels: readonly Level[]): boolean {
  return [startSlot, ...levels.flatMap(boundSlots)].every((slot, at) => slot === at);
}

/**
 * Assigns each condition to the level after which all its operands are bound. A link required between an end
 * and a previously bound node narrows the level itself, unless the level may be skipped.
 */
function placed(
  conditions: readonly RowCondition[],
  built: readonly Level[],
  slots: readonly number[],
  startSlot: number,
): Pick<RowPlan, 'checks' | 'levels'> {
  const levelOf = new Map([
    [startSlot, -1],
    ...built.flatMap((level, at) => boundSlots(level).map((slot) => [slot, at] as const)),
  ]);
  const placeOf = (element: number): number => levelOf.get(slots.indexOf(element)) ?? -1;
  const checks: RowCondition[][] = Array.from({ length: built.length + 1 }, () => []);
  const joins = new Map<number, Join[]>();
  const skippable = skippableLevels(built);
  for (const condition of conditions) {
    const at = Math.max(-1, ...elementsOf(condition).map(placeOf));
    const level = built[at];
    const join = level?.kind === 'expand' && !skippable.has(at) ? joinOf(condition, level, slots) : undefined;
    if (join === undefined) checks[at + 1]?.push(condition);
    else joins.set(at, [...(joins.get(at) ?? []), join]);
  }
  const levels = built.map((level, at) =>
    level.kind === 'expand' ? { ...level, joins: joins.get(at) ?? [] } : level,
  );
  return { checks, levels };
}

/** Levels of optional chains. */
function skippableLevels(levels: readonly Level[]): ReadonlySet<number> {
  const found = new Set<number>();
  for (const [at, level] of levels.entries()) {
    if (level.kind !== 'optional') continue;
    for (let inner = at; inner <= at + level.length; inner++) found.add(inner);
  }
  return found;
}

function joinOf(condition: RowCondition, level: ExpandLevel, slots: readonly number[]): Join | undefined {
  if (condition.kind !== 'linked' || condition.left === condition.right) return undefined;
  const { verbs, direction } = condition;
  const isRight = slots[level.slot] === condition.right;
  const join = { slot: slots.indexOf(isRight ? condition.left : condition.right), verbs, direction };
  return isRight ? join : reversed(join);
}

/** The pattern with another of its required nodes as root. */
function rerooted(root: PatternNode, element: number): PatternNode {
  const found = search(root, element);
  assert(found !== undefined, `expected element ${String(element)} in the pattern`);
  return found;
}

/** The root and all nodes reached from it by required hops. */
function requiredNodes(root: PatternNode): readonly PatternNode[] {
  return [root, ...root.hops.flatMap((hop) => requiredNodes(hop.target))];
}

function search(node: PatternNode, element: number, above?: PatternHop): PatternNode | undefined {
  if (node.element === element) return above === undefined ? node : { ...node, hops: [...node.hops, above] };
  for (const hop of node.hops) {
    const others = node.hops.filter((other) => other !== hop);
    const target = { ...node, hops: above === undefined ? others : [...others, above] };
    const found = search(hop.target, element, { step: reversed(hop.step), target });
    if (found !== undefined) return found;
  }
  return undefined;
}
