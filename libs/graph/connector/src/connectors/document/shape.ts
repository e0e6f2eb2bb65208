/**
 * The form of a value of another tool, for what is read of it: a value of another kind would be passed over
 * without a word. Absent and null are no values; fields that a shape does not name may be anything.
 */
import { isAbsent, isJsonObject, kindOf } from '#graph/model';

export type Shape =
  | { readonly kind: 'a text'; readonly pattern?: RegExp }
  | { readonly kind: 'true or false' }
  | { readonly kind: 'a list'; readonly item: Shape }
  | { readonly kind: 'an object'; readonly fields: Readonly<Record<string, Shape>> };

export const TEXT: Shape = { kind: 'a text' };
export const FLAG: Shape = { kind: 'true or false' };

export function textLike(pattern: RegExp): Shape {
  return { kind: 'a text', pattern };
}

export function listOf(item: Shape): Shape {
  return { kind: 'a list', item };
}

export function objectOf(fields: Readonly<Record<string, Shape>>): Shape {
  return { kind: 'an object', fields };
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
