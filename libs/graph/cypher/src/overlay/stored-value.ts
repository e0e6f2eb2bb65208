/** Values of properties as the store keeps them. */
import {
  FieldPath,
  MODEL_LIMITS,
  parseName,
  type PropertyValue,
  type Scalar,
  UNLABELLED,
} from '#graph/model';
import { DomainError } from '#platform/foundation';
import { runtimeFault } from '../syntax/fault.ts';
import { isList, typeName, type Value } from '../value/value.ts';

/** Throws InvalidPropertyType for what no property can hold. */
export function storedValueOf(key: string, value: Value): PropertyValue {
  if (!isList(value)) return scalarOf(key, value);
  if (value.length > MODEL_LIMITS.listItemsMax) {
    throw refused(
      key,
      `a List of at most ${String(MODEL_LIMITS.listItemsMax)} items, got ${String(value.length)}`,
    );
  }
  const items = value.map((item) => {
    const stored = scalarOf(key, item);
    if (stored === null) throw refused(key, 'a List without Null');
    return stored;
  });
  const kinds = new Set(items.map((item) => typeof item));
  if (kinds.size > 1) throw refused(key, 'a List of values of one kind');
  return items;
}

function scalarOf(key: string, value: Value): Scalar {
  switch (typeof value) {
    case 'boolean':
    case 'number':
      return value;
    case 'string':
      return text(key, value);
    case 'bigint':
      if (Number.isSafeInteger(Number(value))) return Number(value);
      throw refused(key, `an Integer from -2^53 to 2^53, got ${String(value)}`);
    default:
      if (value === null) return null;
      throw refused(key, `a value or a List of values, got ${typeName(value)}`);
  }
}

function text(key: string, value: string): string {
  const { propertyStringLengthMax: max } = MODEL_LIMITS;
  if (value.length > max) throw refused(key, `a String of at most ${String(max)} characters`);
  if (!value.isWellFormed()) throw refused(key, 'a String without lone surrogates');
  return value;
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
