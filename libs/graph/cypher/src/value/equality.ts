/** Equality of three values: null is not known. Numbers are equal by value, other kinds are never equal. */
import { lookAt } from './looked-at.ts';
import { PointValue } from './point.ts';
import { isTemporal } from './temporal/temporal.ts';
import { isList, isMap, isNumber, LinkValue, NodeValue, PathValue, typeName, type Value } from './value.ts';
import type { CypherMap } from './value.ts';

export type Truth = boolean | null;

export function equal(left: Value, right: Value): Truth {
  if (left === null || right === null) return null;
  if (typeof left === 'object' && typeof right === 'object') return equalObjects(left, right);
  // An integer and a float are compared exactly, and NaN with nothing.
  if (isNumber(left) && isNumber(right)) return left <= right && left >= right;
  return left === right;
}

function equalObjects(left: Value & object, right: Value & object): Truth {
  if (isList(left)) return isList(right) ? equalLists(left, right) : false;
  if (isMap(left)) return isMap(right) ? equalMaps(left, right) : false;
  if (isTemporal(left)) return isTemporal(right) && keyOfObject(left) === keyOfObject(right);
  if (left instanceof PointValue) return right instanceof PointValue && equalPoints(left, right);
  return equalElements(left, right);
}

function equalPoints(left: PointValue, right: PointValue): boolean {
  if (left.system !== right.system) return false;
  return left.coordinates.every((coordinate, index) => coordinate === right.coordinates[index]);
}

/** Nodes, relationships and paths are equal to themselves only. */
function equalElements(left: Value & object, right: Value & object): Truth {
  if (left instanceof NodeValue) return right instanceof NodeValue && left.node === right.node;
  if (left instanceof LinkValue) return right instanceof LinkValue && left.link === right.link;
  if (!(left instanceof PathValue) || !(right instanceof PathValue)) return false;
  const isSameStart = left.nodes[0]?.node === right.nodes[0]?.node;
  return isSameStart && equalLists(left.links, right.links) === true;
}

/** False as soon as one pair differs, also beside pairs that are not known. */
function equalLists(left: readonly Value[], right: readonly Value[]): Truth {
  if (left.length !== right.length) return false;
  lookAt(left.length);
  let isKnown = true;
  for (const [index, item] of left.entries()) {
    const truth = equal(item, right[index] ?? null);
    if (truth === false) return false;
    if (truth === null) isKnown = false;
  }
  return isKnown ? true : null;
}

function equalMaps(left: CypherMap, right: CypherMap): Truth {
  if (left.size !== right.size) return false;
  lookAt(left.size);
  let isKnown = true;
  for (const [key, item] of left) {
    const other = right.get(key);
    if (other === undefined) return false;
    const truth = equal(item, other);
    if (truth === false) return false;
    if (truth === null) isKnown = false;
  }
  return isKnown ? true : null;
}

/** Whether the list holds the value: not known when an element might be it. */
export function contains(list: readonly Value[], value: Value): Truth {
  let isKnown = true;
  for (const item of list) {
    const truth = equal(item, value);
    if (truth === true) return true;
    if (truth === null) isKnown = false;
  }
  return isKnown ? false : null;
}

/** A key is a text, which is made of those of its parts. */
const WORK_OF_KEY = 8;

/** Equal for values that DISTINCT and grouping take for one: null is one value, and so is NaN. */
export function keyOf(value: Value): string {
  switch (typeof value) {
    case 'string':
      return `"${String(value.length)}:${value}`;
    case 'bigint':
      return `n${String(value)}`;
    case 'number':
      return Number.isInteger(value) ? `n${String(BigInt(value))}` : `f${String(value)}`;
    case 'boolean':
      return String(value);
    default:
      return keyOfObject(value);
  }
}

function keyOfObject(value: Extract<Value, object | null>): string {
  if (value === null) return 'null';
  if (isList(value)) {
    lookAt(value.length, WORK_OF_KEY);
    return `[${value.map(keyOf).join()}]`;
  }
  if (isMap(value)) {
    lookAt(value.size, 2 * WORK_OF_KEY);
    const entries = [...value].sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, item]) => `${keyOf(key)}=${keyOf(item)}`).join()}}`;
  }
  if (value instanceof NodeValue) return `N${String(value.node)}`;
  if (value instanceof LinkValue) return `L${String(value.link)}`;
  if (value instanceof PathValue) {
    return `P${String(value.nodes[0]?.node)},${value.links.map(({ link }) => String(link)).join()}`;
  }
  // The text of a temporal value is its own: two that differ have two.
  return `${typeName(value)} ${value.toString()}`;
}
