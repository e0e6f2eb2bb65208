/** Parses untrusted properties. On the *hot path* of ingest. */
import { type FieldPath, kindOf } from './field-path.ts';
import { isAbsent, isJsonObject, type JsonObject, jsonObject } from './json-object.ts';
import { MODEL_LIMITS } from './limits.ts';
import { createKinds, type PropertyKinds, type StoredKind } from './stored-kind.ts';
import { parseText } from './text.ts';

/** One scalar value. Integers and fractions are both `number`; instants are RFC 3339 strings. */
export type Scalar = null | boolean | number | string;

/** The value of a property: a scalar, or a list of one scalar kind. */
export type PropertyValue = Scalar | readonly Scalar[];

/** A flat object without a prototype: names are data, `__proto__` included. */
export type Properties = Readonly<Record<string, PropertyValue>>;

export interface ParseOptions {
  /** Flattens a nested object to `a.b` instead of rejecting it. */
  readonly flatten?: boolean | undefined;
  /** Takes an integer beyond the exact range, and the whole list around it, for text; default: an integer. */
  readonly largeIntegers?: 'string' | undefined;
}

/** Properties, and the kinds of those whose JSON does not tell it. */
interface ParsedProperties {
  readonly properties: Properties;
  readonly kinds: PropertyKinds | undefined;
}

/** The target of parsed values, and the parse options. */
interface Reading {
  /** Kinds of values that JSON does not tell, created on demand. */
  kinds: Record<string, StoredKind> | undefined;
  readonly into: Record<string, PropertyValue>;
  readonly path: FieldPath;
  readonly options: ParseOptions;
}

/**
 * Its instances inherit no names, so that `__proto__` and `constructor` are data, and V8 keeps them in fast
 * mode, unlike objects created with a null prototype.
 */
class PropertyBag {
  [name: string]: PropertyValue;
}
Object.setPrototypeOf(PropertyBag.prototype, null);
Reflect.deleteProperty(PropertyBag.prototype, 'constructor');

/** An empty object that inherits no names. */
export function createProperties(): Record<string, PropertyValue> {
  return new PropertyBag();
}

/**
 * Parses flat properties; absent means none. Throws INVALID_REQUEST or NESTED_PROPERTY with the property's
 * name.
 */
export function parseProperties(value: unknown, path: FieldPath, options: ParseOptions): ParsedProperties {
  const properties = createProperties();
  const reading: Reading = { into: properties, kinds: undefined, path, options };
  if (isAbsent(value)) return { properties, kinds: undefined };
  const source = jsonObject(value, path, 'properties');
  let count = 0;
  for (const name of Object.keys(source)) {
    const item = source[name];
    if (isJsonObject(item) && options.flatten === true) {
      count += flattenInto(reading, name, item);
    } else {
      setProperty(reading, name, item);
      count++;
    }
  }
  if (count > MODEL_LIMITS.propertiesMax) {
    throw path.fault(
      'properties',
      `expected at most ${String(MODEL_LIMITS.propertiesMax)}, got ${String(count)}`,
    );
  }
  return { properties, kinds: reading.kinds };
}

/** Uses an explicit stack instead of recursion: the sender chooses the depth. */
function flattenInto(reading: Reading, name: string, object: JsonObject): number {
  const open: { readonly prefix: string; readonly object: JsonObject; readonly depth: number }[] = [
    { prefix: name, object, depth: 1 },
  ];
  let count = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at.depth > MODEL_LIMITS.flattenDepthMax) {
      throw reading.path.fault(`properties.${name}`, 'nested too deeply to be flattened', 'NESTED_PROPERTY');
    }
    for (const [field, value] of Object.entries(at.object)) {
      const flat = `${at.prefix}.${field}`;
      if (isJsonObject(value)) open.push({ prefix: flat, object: value, depth: at.depth + 1 });
      else if (++count <= MODEL_LIMITS.propertiesMax) setProperty(reading, flat, value);
    }
  }
  return count;
}

function setProperty(reading: Reading, name: string, value: unknown): void {
  const { into, path, options } = reading;
  const fault = nameFault(name);
  if (fault !== undefined) throw path.fault(`properties.${name}`, fault);
  if (name in into) throw path.fault(`properties.${name}`, 'comes twice after flattening');
  into[name] = Array.isArray(value)
    ? parseList(value, { name, path, options })
    : parseScalar(value, { field: `properties.${name}`, path, options });
  if (options.largeIntegers !== 'string' && hasLargeInteger(value)) {
    reading.kinds ??= createKinds();
    reading.kinds[name] = Array.isArray(value) ? value.map(kindOfNumber) : kindOfNumber(value);
  }
}

function hasLargeInteger(value: unknown): boolean {
  return Array.isArray(value) ? value.some(isLargeInteger) : isLargeInteger(value);
}

/** Kind of a number that is kept as text. */
function kindOfNumber(value: unknown): string {
  return typeof value === 'bigint' || Number.isInteger(value) ? 'integer' : 'float';
}

function nameFault(name: string): string | undefined {
  if (name === '') return 'expected a name, got an empty string';
  if (name.charCodeAt(0) === 0x5f) return 'a name must not start with _';
  if (name === 'class' || name === 'display_name') return "is the record's own field, not a property";
  if (name.length > MODEL_LIMITS.propertyNameLengthMax) return 'the name is too long';
  return name.isWellFormed() ? undefined : 'lone surrogate in the name';
}

const INTEGER_BITS = 64;

interface Place {
  readonly field: string;
  readonly path: FieldPath;
  readonly options: ParseOptions;
}

function parseScalar(value: unknown, place: Place): Scalar {
  const { field, path } = place;
  switch (typeof value) {
    case 'string':
      return parseText(value, path, field, MODEL_LIMITS.propertyStringLengthMax);
    case 'number':
      if (!Number.isFinite(value)) throw path.fault(field, 'expected a finite number');
      return value;
    case 'bigint':
      return integerOf(value, place);
    case 'boolean':
      return value;
    default:
      if (value === null) return null;
      throw refusedKind(value, field, path);
  }
}

/** The value as a number, if that is exact, else as text. */
function integerOf(value: bigint, { field, path, options }: Place): number | string {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  if (options.largeIntegers === 'string' || BigInt.asIntN(INTEGER_BITS, value) === value)
    return String(value);
  throw path.fault(
    field,
    'expected an integer of 64 bits; send it as a string, or with ?large_integers=string',
  );
}

function refusedKind(value: unknown, field: string, path: FieldPath): Error {
  const expected = 'null, boolean, number, string or a list of one of the last three';
  const message = `expected ${expected}, got ${kindOf(value)}`;
  const isNested = typeof value === 'object';
  return path.fault(field, message, isNested ? 'NESTED_PROPERTY' : 'INVALID_REQUEST');
}

function parseList(
  list: readonly unknown[],
  {
    name,
    path,
    options,
  }: { readonly name: string; readonly path: FieldPath; readonly options: ParseOptions },
): readonly Scalar[] {
  if (list.length > MODEL_LIMITS.listItemsMax) {
    const expected = `expected at most ${String(MODEL_LIMITS.listItemsMax)} items`;
    throw path.fault(`properties.${name}`, `${expected}, got ${String(list.length)}`);
  }
  const items: Scalar[] = [];
  for (let index = 0; index < list.length; index++) {
    const field = `properties.${name}[${String(index)}]`;
    const item = parseScalar(list[index], { field, path, options });
    if (item === null) throw path.fault(field, 'expected boolean, number or string in a list, got null');
    if (index > 0) requireKind(itemKind(items[0], list[0]), itemKind(item, list[index]), { field, path });
    items.push(item);
  }
  return list.some(isLargeInteger) ? items.map(String) : items;
}

function requireKind(
  first: string,
  other: string,
  { field, path }: { readonly field: string; readonly path: FieldPath },
): void {
  if (first !== other) throw path.fault(field, `expected ${first} like the first item, got ${other}`);
}

/** A bigint counts as a number, whatever it is converted to. */
function itemKind(item: Scalar | undefined, given: unknown): string {
  return typeof given === 'bigint' ? kindOf(0) : kindOf(item);
}

function isLargeInteger(value: unknown): boolean {
  return typeof value === 'bigint' && !Number.isSafeInteger(Number(value));
}
