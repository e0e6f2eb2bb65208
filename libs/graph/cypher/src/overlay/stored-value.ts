/** Values of properties as the store keeps them. */
import {
  FieldPath,
  MODEL_LIMITS,
  parseName,
  type PropertyValue,
  type StoredKind,
  UNLABELLED,
} from '#graph/model';
import { DomainError } from '#platform/foundation';
import { type StoredScalar, storedScalar } from '../graph/stored-kinds.ts';
import { runtimeFault } from '../syntax/fault.ts';
import { isList, typeName, type Value } from '../value/value.ts';

export interface StoredValue {
  readonly value: PropertyValue;
  /** Undefined where the JSON of the value tells it. */
  readonly kind: StoredKind | undefined;
}

/** Throws InvalidPropertyType for what no property can hold. */
export function storedValueOf(key: string, value: Value): StoredValue {
  if (isList(value)) return storedListOf(key, value);
  if (value === null) return { value: null, kind: undefined };
  const stored = scalarOf(key, value);
  return { value: stored.value, kind: stored.kind ?? undefined };
}

/** A number of which the JSON is text makes text of the other numbers. */
function storedListOf(key: string, list: readonly Value[]): StoredValue {
  const { listItemsMax: max } = MODEL_LIMITS;
  if (list.length > max) {
    throw refused(key, `a List of at most ${String(max)} items, got ${String(list.length)}`);
  }
  const items = list.map((item) => {
    if (item === null) throw refused(key, 'a List without Null');
    return scalarOf(key, item);
  });
  if (new Set(list.map(groupOf)).size > 1) throw refused(key, 'a List of values of one kind');
  const hasText = items.some(({ value }) => typeof value === 'string');
  const shown = hasText ? items.map(asText) : items;
  const kinds = shown.map(({ kind }) => kind);
  return {
    value: shown.map((item) => item.value),
    kind: kinds.every((kind) => kind === null) ? undefined : kinds,
  };
}

function asText({ value, kind }: StoredScalar): StoredScalar {
  if (typeof value !== 'number') return { value, kind };
  return { value: String(value), kind: kind ?? (Number.isInteger(value) ? 'integer' : 'float') };
}

/** Integers and floats are of one kind in a list, other values are not. */
function groupOf(item: Value): unknown {
  if (typeof item === 'bigint') return 'number';
  return typeof item === 'object' ? item?.constructor : typeof item;
}

function scalarOf(key: string, value: Value): StoredScalar {
  const stored = storedScalar(value);
  if (stored === undefined) throw refused(key, `a value or a List of values, got ${typeName(value)}`);
  if (typeof value === 'string') requireText(key, value);
  return stored;
}

function requireText(key: string, value: string): void {
  const { propertyStringLengthMax: max } = MODEL_LIMITS;
  if (value.length > max) throw refused(key, `a String of at most ${String(max)} characters`);
  if (!value.isWellFormed()) throw refused(key, 'a String without lone surrogates');
}

function refused(key: string, expected: string): Error {
  return runtimeFault(
    'InvalidPropertyType',
    'Neo.ClientError.Statement.TypeError',
    `the property \`${key}\`: expected ${expected}`,
  );
}

/** Throws for a label, or a type of relationships, that no record can have. */
export function requireName(what: 'label' | 'type', name: string): void {
  if (what === 'label' && name === UNLABELLED) throw unfit(`the label ${UNLABELLED} is reserved`);
  try {
    parseName(name, new FieldPath(), what);
  } catch (error) {
    throw error instanceof DomainError ? unfit(error.message) : error;
  }
}

/** Throws for the name of a property that no record can have. */
export function requireKey(key: string): void {
  const { propertyNameLengthMax: max } = MODEL_LIMITS;
  if (key !== '' && key.length <= max && key.isWellFormed()) return;
  throw unfit(`the name of a property: expected 1 to ${String(max)} characters`);
}

/** Throws beyond the numbers of labels and properties that a record can have. */
export function requireFewEnough(labels: number, properties: number): void {
  const { labelsMax, propertiesMax } = MODEL_LIMITS;
  if (labels > labelsMax) throw unfit(`expected at most ${String(labelsMax)} labels of a node`);
  if (properties > propertiesMax) throw unfit(`expected at most ${String(propertiesMax)} properties`);
}

function unfit(message: string): Error {
  return runtimeFault('InvalidArgumentValue', 'Neo.ClientError.Statement.ArgumentError', message);
}
