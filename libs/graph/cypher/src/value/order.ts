/**
 * The order of values. `compareAll` orders any two, as ORDER BY does: maps, nodes, relationships, lists,
 * paths, points, temporal values, strings, booleans, numbers, NaN, null. `compareComparable` is that of `<`,
 * for values of one kind.
 */
import { lookAt } from './looked-at.ts';
import { PointValue } from './point.ts';
import { compareTemporal, isComparable, temporalRank } from './temporal/order.ts';
import { isTemporal } from './temporal/temporal.ts';
import { isList, isMap, isNumber, LinkValue, NodeValue, PathValue, type Value } from './value.ts';
import type { CypherMap } from './value.ts';

export function compareAll(left: Value, right: Value): number {
  const difference = rankOf(left) - rankOf(right);
  if (difference !== 0 || left === null || right === null) return difference;
  if (typeof left === 'object' && typeof right === 'object') return compareObjects(left, right);
  return comparePrimitives(left, right);
}

/** Compares two values of one rank. */
function compareObjects(left: Value & object, right: Value & object): number {
  if (isList(left) && isList(right)) return compareLists(left, right);
  if (isMap(left) && isMap(right)) return compareMaps(left, right);
  if (isTemporal(left) && isTemporal(right)) return compareTemporal(left, right);
  return compareElements(left, right);
}

function compareElements(left: Value & object, right: Value & object): number {
  if (left instanceof NodeValue && right instanceof NodeValue) return left.node - right.node;
  if (left instanceof LinkValue && right instanceof LinkValue) return left.link - right.link;
  if (left instanceof PathValue && right instanceof PathValue) return comparePaths(left, right);
  return left instanceof PointValue && right instanceof PointValue ? comparePoints(left, right) : 0;
}

function rankOf(value: Value): number {
  if (value === null) return 10;
  if (typeof value === 'object') return rankOfObject(value);
  if (typeof value === 'string') return 7;
  if (typeof value === 'boolean') return 8;
  return Number.isNaN(value) ? 9.5 : 9;
}

function rankOfObject(value: Value & object): number {
  if (isMap(value)) return 0;
  if (value instanceof NodeValue) return 1;
  if (value instanceof LinkValue) return 2;
  if (isList(value)) return 3;
  if (value instanceof PathValue) return 4;
  // The six kinds of time are ranks of their own between points and strings.
  return isTemporal(value) ? 6 + temporalRank(value) / 10 : 5;
}

/** Of several systems by their numbers, of one by the coordinates in turn. */
function comparePoints(left: PointValue, right: PointValue): number {
  return left.srid - right.srid || compareLists(left.coordinates, right.coordinates);
}

function comparePrimitives(left: Value, right: Value): number {
  if (typeof left === 'string' && typeof right === 'string') return compareTexts(left, right);
  if (left === right || left === null || right === null) return 0;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Compares texts by code points, as UTF-8 orders them. */
function compareTexts(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    if (a !== b) return pointOrder(a) - pointOrder(b);
  }
  return left.length - right.length;
}

/** Surrogates stand for what comes after all other code units. */
function pointOrder(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

function compareLists(left: readonly Value[], right: readonly Value[]): number {
  const length = Math.min(left.length, right.length);
  lookAt(length);
  for (let index = 0; index < length; index++) {
    const order = compareAll(left[index] ?? null, right[index] ?? null);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** Keys are sorted. */
const WORK_OF_KEYS = 8;

/** By the number of keys, then the keys in their order, then the values in the order of the keys. */
function compareMaps(left: CypherMap, right: CypherMap): number {
  lookAt(left.size, WORK_OF_KEYS);
  const keysOf = (map: CypherMap): readonly string[] => [...map.keys()].sort(compareTexts);
  const keys = keysOf(left);
  const valuesOf = (map: CypherMap): readonly Value[] => keys.map((key) => map.get(key) ?? null);
  return (
    left.size - right.size ||
    compareLists(keys, keysOf(right)) ||
    compareLists(valuesOf(left), valuesOf(right))
  );
}

function comparePaths(left: PathValue, right: PathValue): number {
  return compareLists(
    [...left.nodes.slice(0, 1), ...left.links],
    [...right.nodes.slice(0, 1), ...right.links],
  );
}

/** Undefined for values that `<` does not compare; NaN for a comparison with NaN, which is always false. */
export function compareComparable(left: Value, right: Value): number | undefined {
  if (isNumber(left) && isNumber(right)) return compareNumbers(left, right);
  if (typeof left === 'string' && typeof right === 'string') return compareTexts(left, right);
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  if (isTemporal(left) && isTemporal(right)) {
    return isComparable(left, right) ? compareTemporal(left, right) : undefined;
  }
  return isList(left) && isList(right) ? compareComparableLists(left, right) : undefined;
}

/** Compares numbers; the result is NaN if one of them is. */
function compareNumbers(left: number | bigint, right: number | bigint): number {
  if (left < right) return -1;
  if (left > right) return 1;
  return Number.isNaN(left) || Number.isNaN(right) ? NaN : 0;
}

function compareComparableLists(left: readonly Value[], right: readonly Value[]): number | undefined {
  const length = Math.min(left.length, right.length);
  lookAt(length);
  for (let index = 0; index < length; index++) {
    const order = compareComparable(left[index] ?? null, right[index] ?? null);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}
