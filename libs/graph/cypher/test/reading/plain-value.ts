/**
 * Values of Cypher, written down as directly as they can be. Nothing is shared with the product: nodes and
 * relationships are objects that hold what they have.
 */
export type Plain =
  null | boolean | bigint | number | string | readonly Plain[] | PlainMap | PlainNode | PlainLink | PlainPath;

/** The variables of a row. */
export type Environment = ReadonlyMap<string, Plain>;
export type PlainMap = ReadonlyMap<string, Plain>;
export type Truth = boolean | null;

export class PlainNode {
  readonly id: number;
  labels: readonly string[];
  properties: PlainMap;

  constructor(id: number, labels: readonly string[], properties: PlainMap) {
    this.id = id;
    this.labels = labels;
    this.properties = properties;
  }
}

export class PlainLink {
  readonly id: number;
  readonly type: string;
  readonly start: PlainNode;
  readonly end: PlainNode;
  properties: PlainMap;

  constructor(id: number, ends: readonly [PlainNode, string, PlainNode], properties: PlainMap) {
    this.id = id;
    [this.start, this.type, this.end] = ends;
    this.properties = properties;
  }
}

export class PlainPath {
  readonly nodes: readonly PlainNode[];
  readonly links: readonly PlainLink[];

  constructor(nodes: readonly PlainNode[], links: readonly PlainLink[]) {
    this.nodes = nodes;
    this.links = links;
  }
}

/** What no row can have: the statement fails. */
export class PlainFault extends Error {}

/** A query has too many ways to match for nested loops. */
export class TooMuchWork extends Error {}

export function isPlainList(value: Plain): value is readonly Plain[] {
  return Array.isArray(value);
}

export function isPlainNumber(value: Plain): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

export function truthIn(value: Plain): Truth {
  if (value === null || typeof value === 'boolean') return value;
  throw new PlainFault('no truth');
}

/** Of several truths of which all must hold. */
export function allOf(truths: readonly Truth[]): Truth {
  if (truths.includes(false)) return false;
  return truths.includes(null) ? null : true;
}

export function anyOf(truths: readonly Truth[]): Truth {
  if (truths.includes(true)) return true;
  return truths.includes(null) ? null : false;
}

export function notOf(truth: Truth): Truth {
  return truth === null ? null : !truth;
}

export function isPlainMap(value: Plain): value is PlainMap {
  return value instanceof Map;
}

/** `=` */
export function plainEqual(left: Plain, right: Plain): Truth {
  if (left === null || right === null) return null;
  if (isPlainNumber(left) && isPlainNumber(right)) return compared(left, right) === 0;
  if (isPlainList(left) && isPlainList(right)) return equalLists(left, right);
  if (isPlainMap(left) && isPlainMap(right)) return equalMaps(left, right);
  if (left instanceof PlainPath && right instanceof PlainPath) return written(left) === written(right);
  return left === right;
}

function equalLists(left: readonly Plain[], right: readonly Plain[]): Truth {
  if (left.length !== right.length) return false;
  return allOf(left.map((item, at) => plainEqual(item, right[at] ?? null)));
}

function equalMaps(left: PlainMap, right: PlainMap): Truth {
  if ([...left.keys()].sort().join() !== [...right.keys()].sort().join()) return false;
  return allOf([...left].map(([key, item]) => plainEqual(item, right.get(key) ?? null)));
}

/** Of the first pair of items that differ, then of the lengths. */
function comparedLists<T extends number | undefined>(
  left: readonly Plain[],
  right: readonly Plain[],
  compare: (a: Plain, b: Plain) => T,
): T | number {
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const order = compare(left[at] ?? null, right[at] ?? null);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function comparedNumbers(left: number | bigint, right: number | bigint): number {
  if (Number.isNaN(left) || Number.isNaN(right)) return NaN;
  return left < right ? -1 : Number(left > right);
}

/** `<`: less than zero, zero, more than zero; NaN beside NaN; undefined for what cannot be compared. */
export function compared(left: Plain, right: Plain): number | undefined {
  if (isPlainList(left) && isPlainList(right)) return comparedLists(left, right, compared);
  if (isPlainNumber(left) && isPlainNumber(right)) return comparedNumbers(left, right);
  if (typeof left === 'string' && typeof right === 'string') {
    return comparedLists(codePoints(left), codePoints(right), compared);
  }
  const isOfOneKind = typeof left === typeof right;
  if (!isOfOneKind || left === null || right === null || typeof left === 'object') return undefined;
  return left < right ? -1 : Number(left > right);
}

function codePoints(text: string): readonly number[] {
  return Array.from(text, (character) => character.codePointAt(0) ?? 0);
}

/** By their sizes, their keys, then their values. */
function orderedMaps(left: PlainMap, right: PlainMap): number {
  const keys = (map: PlainMap): readonly string[] => [...map.keys()].sort((a, b) => ordered(a, b));
  const values = (map: PlainMap): readonly Plain[] => keys(map).map((key) => map.get(key) ?? null);
  if (left.size !== right.size) return left.size - right.size;
  const byKeys = comparedLists(keys(left), keys(right), ordered);
  return byKeys === 0 ? comparedLists(values(left), values(right), ordered) : byKeys;
}

/** Ascending: maps, nodes, relationships, lists, paths, texts, truths, numbers, NaN, null. */
const RANKS: readonly ((value: Plain) => boolean)[] = [
  isPlainMap,
  (value) => value instanceof PlainNode,
  (value) => value instanceof PlainLink,
  isPlainList,
  (value) => value instanceof PlainPath,
  (value) => typeof value === 'string',
  (value) => typeof value === 'boolean',
  (value) => isPlainNumber(value) && !Number.isNaN(value),
  isPlainNumber,
  (value) => value === null,
];

function rankOf(value: Plain): number {
  return RANKS.findIndex((isOfRank) => isOfRank(value));
}

/** ORDER BY, min and max. */
export function ordered(left: Plain, right: Plain): number {
  if (rankOf(left) !== rankOf(right)) return rankOf(left) - rankOf(right);
  if (isPlainList(left) && isPlainList(right)) return comparedLists(left, right, ordered);
  if (isPlainMap(left) && isPlainMap(right)) return orderedMaps(left, right);
  const order = compared(left, right) ?? 0;
  return Number.isNaN(order) ? 0 : order;
}

/** Equal for values that DISTINCT and grouping take for one. */
export function sameness(value: Plain): string {
  return written(value, { isByValue: true });
}

export interface Writing {
  /** Whether `1` and `1.0` are one text. */
  readonly isByValue?: boolean;
  /** Whether the order of lists is left out. */
  readonly isUnordered?: boolean;
}

/** A value as text: elements by their numbers. */
export function written(value: Plain, writing: Writing = {}): string {
  if (isPlainList(value)) {
    const items = value.map((item) => written(item, writing));
    return `[${(writing.isUnordered === true ? items.sort() : items).join(', ')}]`;
  }
  if (value instanceof PlainNode) return `(${String(value.id)})`;
  if (value instanceof PlainLink) return `[${String(value.id)}]`;
  if (value instanceof PlainPath) {
    return `<${value.nodes.map(({ id }) => id).join('-')} by ${value.links.map(({ id }) => id).join('-')}>`;
  }
  if (isPlainMap(value)) {
    const entries = [...value].map(([key, item]) => `${key}: ${written(item, writing)}`);
    return `{${entries.sort().join(', ')}}`;
  }
  if (typeof value === 'number') return writtenFloat(value, writing.isByValue === true);
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

function writtenFloat(value: number, isByValue: boolean): string {
  if (Object.is(value, -0)) return isByValue ? '0' : '-0.0';
  return Number.isInteger(value) && !isByValue ? `${String(value)}.0` : String(value);
}
