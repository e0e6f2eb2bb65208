import type { Selection } from '#graph/model';
import {
  type BoundFind,
  type ComputedOperand,
  type GroupOperand,
  type Grouping,
  isComputedOperand,
  type RowOperand,
} from '../binder/bound-query.ts';
import {
  type Pattern,
  type PlanTemplates,
  type RowPlan,
  planRows,
  type RowRequest,
  type SetPlan,
  SetPlanner,
  type SetPlannerOptions,
  type Statistics,
} from '#graph/execution';

const FIND = 0;

/** The source of the rows, groups or count of a FIND. */
export type FindAccess =
  /** A number from the index. */
  | { readonly kind: 'count'; readonly selection: Selection }
  /** Group sizes from the index; `fields` are the grouping's keys. */
  | { readonly kind: 'group-counts'; readonly selection: Selection; readonly fields: readonly string[] }
  /** A set of FIND entities: each is a row. */
  | { readonly kind: 'nodes'; readonly plan: SetPlan }
  | { readonly kind: 'rows'; readonly plan: RowPlan };

export interface FindPlan {
  readonly kind: 'find';
  readonly find: BoundFind;
  readonly access: FindAccess;
  readonly skip: number;
  /** Infinity without LIMIT. */
  readonly limit: number;
}

export interface FindBounds {
  readonly skip: number;
  readonly limit: number;
}

export interface FindPlanOptions extends SetPlannerOptions {
  readonly statistics: Statistics;
  /** Templates of this text and state of the data; without them each run is planned separately. */
  readonly templates?: PlanTemplates | undefined;
}

export function planFind(
  find: BoundFind,
  pattern: Pattern,
  bounds: FindBounds,
  { statistics, templates, ...options }: FindPlanOptions,
): FindPlan {
  const make = (): FindAccess =>
    accessOf(find, pattern, rowRequest(find, bounds), new SetPlanner(statistics, options));
  const access = templates === undefined ? make() : templates.planned({ pattern, bounds }, statistics, make);
  return Object.freeze({ kind: 'find', find, access, ...bounds });
}

function accessOf(find: BoundFind, pattern: Pattern, request: RowRequest, planner: SetPlanner): FindAccess {
  const { visible, beside } = request;
  const isFindAlone = visible.length === 1 && visible[0] === FIND && beside.length === 0;
  if (!isFindAlone || pattern.conditions.length > 0) {
    return { kind: 'rows', plan: planRows(pattern, request, planner) };
  }
  const { selection, hops, groups } = pattern.root;
  const isPlain = hops.length === 0 && groups.every((group) => group.mode === 'optional');
  if (isPlain && !planner.isOff) {
    if (find.returns?.kind === 'count' && find.grouping === undefined) return { kind: 'count', selection };
    const fields = countedFields(find);
    if (fields !== undefined) return { kind: 'group-counts', selection, fields };
  }
  return { kind: 'nodes', plan: planner.plan(pattern.root) };
}

/** The elements of a row, the elements shown besides, and the processing of the rows. */
function rowRequest(find: BoundFind, { skip, limit }: FindBounds): RowRequest {
  const { grouping, returns } = find;
  const asked = [...operandsOf(find)].map((operand) => operand.element);
  const isCut = skip > 0 || Number.isFinite(limit);
  const showsRows = returns !== undefined || grouping !== undefined || isCut;
  const showsEntities = grouping === undefined && returns?.kind !== 'count';
  const visible = ascending(showsRows ? rowElements(find, asked) : [FIND]);
  const others = [...(showsRows ? [] : asked), ...(showsEntities ? [FIND] : [])];
  return {
    visible,
    beside: ascending(others).filter((element) => !visible.includes(element)),
    ...(isCounted(find) ? { read: new Set(asked) } : {}),
    ...(mergesRows(find) ? { fields: shownFields(find) } : {}),
    isFirst: Number.isFinite(limit) && showsRowsInOrder(find),
  };
}

/** Whether rows are used unchanged, in result order. */
function showsRowsInOrder(find: BoundFind): boolean {
  return takesRowsAsTheyAre(find) && find.orderBy.length === 0;
}

/** Whether the rows that SKIP and LIMIT leave are shown, or their entities: nothing is made of the others. */
export function takesRowsAsTheyAre({ grouping, returns }: BoundFind): boolean {
  if (returns === undefined) return grouping === undefined;
  return returns.kind === 'rows' && !returns.distinct;
}

/** The aliased elements; under DISTINCT only the requested ones. */
function rowElements({ elements, returns }: BoundFind, asked: readonly number[]): readonly number[] {
  if (returns?.kind === 'rows' && returns.distinct) return asked;
  const aliased = elements.filter((item) => item.alias !== undefined).map((item) => item.element);
  return aliased.length > 0 ? [...aliased, ...asked] : [FIND, ...asked];
}

/** Whether rows only add to a count, or to aggregates that do not depend on their order. */
function isCounted({ grouping, returns }: BoundFind): boolean {
  if (grouping === undefined) return returns?.kind === 'count';
  return grouping.aggregates.every((aggregate) => aggregate.function !== 'first');
}

/** Whether rows with equal values are one row, or only add to groups. */
function mergesRows(find: BoundFind): boolean {
  if (find.grouping !== undefined) return isCounted(find);
  return find.returns?.kind === 'rows' && find.returns.distinct;
}

/** The fields shown of each element; none for those of which more is shown. */
function shownFields(find: BoundFind): ReadonlyMap<number, readonly string[]> {
  const fields = new Map<number, string[]>(find.elements.map(({ element }) => [element, []]));
  // The entities of the rows are returned beside them.
  if (find.grouping === undefined) fields.delete(FIND);
  for (const operand of operandsOf(find)) {
    if (operand.kind === 'element') fields.delete(operand.element);
    else fields.get(operand.element)?.push(operand.field);
  }
  return fields;
}

function ascending(elements: readonly number[]): readonly number[] {
  return [...new Set(elements)].sort((a, b) => a - b);
}

/** The GROUP BY fields of the FIND entity, if only the group sizes are requested. */
function countedFields({ grouping }: BoundFind): readonly string[] | undefined {
  if (grouping === undefined || grouping.keys.length === 0) return undefined;
  const isCounted = grouping.aggregates.every((item) => item.function === 'count' && item.argument === '*');
  if (!isCounted) return undefined;
  const fields = grouping.keys.flatMap((key) =>
    key.kind === 'field' && key.element === FIND ? [key.field] : [],
  );
  return fields.length === grouping.keys.length ? fields : undefined;
}

/** The operands of RETURN, GROUP BY and ORDER BY. */
export function* operandsOf(find: BoundFind): Generator<RowOperand> {
  if (find.grouping !== undefined) yield* groupingOperands(find.grouping);
  const columns = find.returns?.kind === 'rows' ? find.returns.columns : [];
  for (const { value } of columns) yield* leavesOf(value);
  for (const { value } of find.orderBy) for (const leaf of leavesOf(value)) if (isOfRow(leaf)) yield leaf;
}

function* groupingOperands({ keys, aggregates }: Grouping): Generator<RowOperand> {
  for (const key of keys) yield* leavesOf(key);
  for (const { argument } of aggregates) if (argument !== '*') yield argument;
}

function isOfRow(operand: RowOperand | GroupOperand): operand is RowOperand {
  return operand.kind === 'field' || operand.kind === 'element';
}

/** What a value is computed of, or the operand itself. */
function* leavesOf<Operand extends RowOperand | GroupOperand>(
  value: Operand | ComputedOperand<Operand>,
): Generator<Operand> {
  if (!isComputedOperand(value)) {
    yield value;
    return;
  }
  for (const term of value.terms) if (term.kind !== 'literal') yield* leavesOf(term);
}
