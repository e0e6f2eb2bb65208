/**
 * Values of Cypher. An integer is a bigint of 64 bits, a float a number; nodes and relationships are numbers
 * of one snapshot in an object that tells their kind.
 */
import { PointValue } from './point.ts';
import {
  DateTimeValue,
  DateValue,
  DurationValue,
  LocalDateTimeValue,
  LocalTimeValue,
  type TemporalValue,
  TimeValue,
} from './temporal/temporal.ts';

export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | readonly Value[]
  | CypherMap
  | NodeValue
  | LinkValue
  | PathValue
  | TemporalValue
  | PointValue;

export type CypherMap = ReadonlyMap<string, Value>;

export class NodeValue {
  readonly node: number;

  constructor(node: number) {
    this.node = node;
  }
}

/** A relationship. */
export class LinkValue {
  readonly link: number;

  constructor(link: number) {
    this.link = link;
  }
}

/** One more node than links, in the order of the path. */
export class PathValue {
  readonly nodes: readonly NodeValue[];
  readonly links: readonly LinkValue[];

  constructor(nodes: readonly NodeValue[], links: readonly LinkValue[]) {
    this.nodes = nodes;
    this.links = links;
  }
}

export function isList(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value);
}

export function isMap(value: Value | undefined): value is CypherMap {
  return value instanceof Map;
}

export function isNumber(value: Value | undefined): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** A text in the measure of memory, beyond the value that it is. */
export function textSize(text: string): number {
  return Math.floor(text.length / CHARACTERS_PER_VALUE);
}

/** The parts of a list or a map, or what a text takes; not what its parts take. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return textSize(value);
  if (isList(value)) return value.length;
  return isMap(value) ? value.size * 2 : 0;
}

/** Each with two bytes. */
export const CHARACTERS_PER_VALUE = 20;

/** The name of a value's type, as errors and `valueType` show it. */
export function typeName(value: Value): string {
  if (value === null) return 'Null';
  if (isList(value)) return 'List';
  if (isMap(value)) return 'Map';
  if (typeof value === 'object') return OBJECTS.find(([type]) => value instanceof type)?.[1] ?? 'Unknown';
  return PRIMITIVES[typeof value] ?? 'Unknown';
}

const OBJECTS = [
  [NodeValue, 'Node'],
  [LinkValue, 'Relationship'],
  [PathValue, 'Path'],
  [DateValue, 'Date'],
  [LocalTimeValue, 'LocalTime'],
  [TimeValue, 'Time'],
  [LocalDateTimeValue, 'LocalDateTime'],
  [DateTimeValue, 'DateTime'],
  [DurationValue, 'Duration'],
  [PointValue, 'Point'],
] as const;

const PRIMITIVES: Readonly<Record<string, string>> = {
  boolean: 'Boolean',
  bigint: 'Integer',
  number: 'Float',
  string: 'String',
};
