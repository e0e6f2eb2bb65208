/** Types of values as `valueType()` names them and `IS :: TYPE` tests them. */
import type { ValueType } from '../syntax/value-type.ts';
import { lookAt } from './looked-at.ts';
import { isList, typeName, type Value } from './value.ts';

/** Names of types in the order in which a union lists them. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  Boolean: 'BOOLEAN',
  String: 'STRING',
  Integer: 'INTEGER',
  Float: 'FLOAT',
  Date: 'DATE',
  LocalTime: 'LOCAL TIME',
  Time: 'ZONED TIME',
  LocalDateTime: 'LOCAL DATETIME',
  DateTime: 'ZONED DATETIME',
  Duration: 'DURATION',
  Point: 'POINT',
  Node: 'NODE',
  Relationship: 'RELATIONSHIP',
  Map: 'MAP',
  List: 'LIST',
  Path: 'PATH',
};

const ORDER: readonly string[] = Object.values(TYPE_NAMES);

/** `INTEGER NOT NULL`, `LIST<INTEGER | STRING> NOT NULL`, `NULL`. */
export function valueTypeText(value: Value): string {
  return value === null ? 'NULL' : `${plainType(value)} NOT NULL`;
}

/** Without null, and without what a list holds: `INTEGER`, `LIST<STRING>`. */
export function valueTypeName(value: Value): string {
  return value === null ? 'NULL' : plainType(value).replaceAll(' NOT NULL', '');
}

function plainType(value: Exclude<Value, null>): string {
  const name = TYPE_NAMES[typeName(value)] ?? 'ANY';
  return isList(value) ? `LIST<${itemType(value)}>` : name;
}

/** A name is a text, and those of a list are sorted. */
const WORK_OF_NAME = 32;

/** The union of the items' types, each of which lacks null unless an item is. */
function itemType(items: readonly Value[]): string {
  lookAt(items.length, WORK_OF_NAME);
  const names = new Set(items.flatMap((item) => (item === null ? [] : [plainType(item)])));
  if (items.length === 0) return 'NOTHING';
  if (names.size === 0) return 'NULL';
  const suffix = items.includes(null) ? '' : ' NOT NULL';
  const place = (name: string): number =>
    ORDER.findIndex((known) => name === known || name.startsWith(`${known}<`));
  const sorted = [...names].sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1));
  return sorted.map((name) => name + suffix).join(' | ');
}

export function hasType(value: Value, type: ValueType): boolean {
  if (value === null) return !type.isNotNull && type.name !== 'NOTHING' && allowsNull(type);
  if (type.options !== undefined) return type.options.some((option) => hasType(value, option));
  if (type.name === 'ANY') return true;
  if (type.name === 'PROPERTY VALUE') return isPropertyValue(value);
  if (TYPE_NAMES[typeName(value)] !== type.name) return false;
  const { item } = type;
  if (item === undefined || !isList(value)) return true;
  lookAt(value.length);
  return value.every((each) => hasType(each, item));
}

function allowsNull({ options }: ValueType): boolean {
  return options === undefined || options.some((option) => hasType(null, option));
}

const STRUCTURES: ReadonlySet<string> = new Set(['NODE', 'RELATIONSHIP', 'PATH', 'MAP', 'LIST']);

/** What can be stored: a scalar, or a list of scalars of one type. */
function isPropertyValue(value: Exclude<Value, null>): boolean {
  if (!isList(value)) return !STRUCTURES.has(TYPE_NAMES[typeName(value)] ?? '');
  const types = new Set(value.map(typeName));
  return types.size <= 1 && value.every((item) => item !== null && !isList(item) && isPropertyValue(item));
}
