/**
 * The form of a value of another tool, for what is read of it: a value of another kind would be passed over
 * without a word. Absent and null are no values; fields that a shape does not name may be anything.
 */
import { isAbsent, isJsonObject, type JsonObject, kindOf } from '#graph/model';

export type Shape =
  | { readonly kind: 'a text'; readonly pattern?: RegExp }
  | { readonly kind: 'true or false' }
  | { readonly kind: 'a list'; readonly item: Shape }
  | ObjectShape
  | { readonly kind: 'anything' };

export interface ObjectShape {
  readonly kind: 'an object';
  readonly fields: Readonly<Record<string, Shape>>;
  /** The names of the fields, by the same in lower case. */
  readonly names: ReadonlyMap<string, string>;
}

export const TEXT: Shape = { kind: 'a text' };
export const FLAG: Shape = { kind: 'true or false' };
/** A field that is known, whatever its value. */
export const ANY: Shape = { kind: 'anything' };

export function textLike(pattern: RegExp): Shape {
  return { kind: 'a text', pattern };
}

export function listOf(item: Shape): Shape {
  return { kind: 'a list', item };
}

export function objectOf(fields: Readonly<Record<string, Shape>>): ObjectShape {
  const names = new Map(Object.keys(fields).map((name) => [name.toLowerCase(), name]));
  return { kind: 'an object', fields, names };
}

/** Names of the object's own fields that the shape does not have, in whatever case. */
export function unknownNames(object: JsonObject, { names }: ObjectShape): readonly string[] {
  return Object.keys(object).filter((name) => !names.has(name.toLowerCase()));
}

/** The same value with the fields named as in the shape: writers differ in the case of letters. */
export function withNamesOf(value: unknown, shape: Shape): unknown {
  if (!hasOtherNames(value, shape)) return value;
  if (shape.kind === 'a list') return (value as unknown[]).map((item) => withNamesOf(item, shape.item));
  const { fields, names } = shape as ObjectShape;
  const entries = Object.entries(value as JsonObject).map(([given, each]) => {
    const name = names.get(given.toLowerCase());
    const read = name === undefined ? each : withNamesOf(each, fields[name] ?? ANY);
    return { given, name: name ?? given, read };
  });
  // Of two names that differ in case only, the one of the shape counts.
  const last = entries.toSorted(
    (one, other) => Number(one.given === one.name) - Number(other.given === other.name),
  );
  return Object.fromEntries(last.map(({ name, read }) => [name, read]));
}

/** Most values have none: they are not copied. */
function hasOtherNames(value: unknown, shape: Shape): boolean {
  if (shape.kind === 'a list')
    return Array.isArray(value) && value.some((item) => hasOtherNames(item, shape.item));
  if (shape.kind !== 'an object' || !isJsonObject(value)) return false;
  for (const given in value) {
    const known = Object.hasOwn(shape.fields, given) ? shape.fields[given] : undefined;
    if (known === undefined ? shape.names.has(given.toLowerCase()) : hasOtherNames(value[given], known))
      return true;
  }
  return false;
}

/** The first place where a value is of another kind: `Members[3].ObjectIdentifier: expected a text, …`. */
export function misfitIn(value: unknown, shape: Shape, place = ''): string | undefined {
  if (isAbsent(value)) return undefined;
  switch (shape.kind) {
    case 'a text':
      if (typeof value !== 'string') return misfit(value, shape, place);
      return value === '' || shape.pattern?.test(value) !== false
        ? undefined
        : `${place}: expected ${String(shape.pattern)}, got ${value.slice(0, 60)}`;
    case 'true or false':
      return typeof value === 'boolean' ? undefined : misfit(value, shape, place);
    case 'a list':
      return Array.isArray(value) ? misfitInItems(value, shape.item, place) : misfit(value, shape, place);
    case 'an object':
      return isJsonObject(value) ? misfitInFields(value, shape.fields, place) : misfit(value, shape, place);
    case 'anything':
      return undefined;
  }
}

function misfit(value: unknown, { kind }: Shape, place: string): string {
  return `${place}: expected ${kind}, got ${kindOf(value)}`;
}

function misfitInItems(items: readonly unknown[], shape: Shape, place: string): string | undefined {
  for (const [index, item] of items.entries()) {
    const found = misfitIn(item, shape, `${place}[${index}]`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function misfitInFields(
  object: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, Shape>>,
  place: string,
): string | undefined {
  for (const name in fields) {
    const shape = fields[name];
    const value = object[name];
    if (shape === undefined || isAbsent(value)) continue;
    const found = misfitIn(value, shape, place === '' ? name : `${place}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
