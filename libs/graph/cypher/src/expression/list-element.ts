/** `value IN list`, where one long list is asked for many values: it is looked through once. */
import type { Run } from '../graph/run.ts';
import { contains, type Truth } from '../value/equality.ts';
import type { Value } from '../value/value.ts';

/** Elements of a list that are compared in the time of a step. */
const COMPARED_PER_STEP = 16;
/** Lists that are searched one by one: a set costs more. */
const FEW = 16;

type Scalar = string | number | boolean;

/** The elements of a list of scalars alone. */
interface Elements {
  readonly scalars: ReadonlySet<Scalar>;
  readonly hasNull: boolean;
}

/** Of lists that were asked before; undefined for those with other values. Lists do not change. */
const known = new WeakMap<readonly Value[], Elements | undefined>();
const askedOnce = new WeakSet<readonly Value[]>();

/** Whether the list has the value: not known when an element might be it. */
export function isElement(value: Value, list: readonly Value[], run: Pick<Run, 'tick'>): Truth {
  const elements = list.length > FEW ? elementsOf(list, run) : undefined;
  if (elements === undefined || (typeof value === 'object' && value !== null)) {
    run.tick(list.length / COMPARED_PER_STEP);
    return contains(list, value);
  }
  const scalar = value === null ? undefined : scalarOf(value);
  if (scalar !== undefined && elements.scalars.has(scalar)) return true;
  return value === null || elements.hasNull ? null : false;
}

/** From the second time on: most lists are asked once. */
function elementsOf(list: readonly Value[], run: Pick<Run, 'tick'>): Elements | undefined {
  if (known.has(list)) return known.get(list);
  if (!askedOnce.has(list)) {
    askedOnce.add(list);
    return undefined;
  }
  run.tick(list.length / COMPARED_PER_STEP);
  const elements = collected(list);
  known.set(list, elements);
  return elements;
}

function collected(list: readonly Value[]): Elements | undefined {
  const scalars = new Set<Scalar>();
  let hasNull = false;
  for (const item of list) {
    const scalar = typeof item === 'object' ? undefined : scalarOf(item);
    if (scalar !== undefined) scalars.add(scalar);
    else if (item === null) hasNull = true;
    else return undefined;
  }
  return { scalars, hasNull };
}

/** Numbers that are equal are one; undefined for those that only an exact comparison tells apart. */
function scalarOf(value: Exclude<Value, object | null>): Scalar | undefined {
  if (typeof value !== 'number' && typeof value !== 'bigint') return value;
  const number = Number(value);
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : undefined;
}
