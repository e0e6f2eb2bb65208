/** The part of the graph that exists for a caller: in all answers to him, the rest is absent. */
import type { Scalar } from './properties.ts';
import type { FieldValue, Filter, ValueTest } from './selection.ts';

/** What entities are listed by. A label counts as a class. */
export interface ScopeLists {
  readonly types?: readonly string[];
  readonly classes?: readonly string[];
  /** Ids of connectors, as `_source` has them. */
  readonly sources?: readonly string[];
}

export interface Scope {
  /** Exists: what is in each of these lists. */
  readonly only?: ScopeLists;
  /** Does not exist: what is in any of these lists. */
  readonly except?: ScopeLists;
}

/** Equal for scopes that hide the same. */
export function scopeKey({ only, except }: Scope): string {
  return JSON.stringify([only, except].map((lists) => [lists?.types, lists?.classes, lists?.sources]));
}

/** Passes the entities that exist in the scope. */
export function scopeFilter({ only = {}, except = {} }: Scope): Filter {
  return {
    kind: 'and',
    items: [...filtersOf(only), ...filtersOf(except).map((item): Filter => ({ kind: 'not', item }))],
  };
}

/** Whether what a source states exists in the scope. */
export function hasSource({ only, except }: Scope, source: string): boolean {
  return only?.sources?.includes(source) !== false && except?.sources?.includes(source) !== true;
}

/** Whether the scope asks who states something, so that it may hide relationships between what it shows. */
export function readsSources({ only, except }: Scope): boolean {
  return only?.sources !== undefined || except?.sources !== undefined;
}

function filtersOf({ types, classes, sources }: ScopeLists): readonly Filter[] {
  const named: Filter[] = [];
  if (types !== undefined) named.push(isOneOf('_type', types));
  if (classes !== undefined)
    named.push({ kind: 'or', items: [isOneOf('_class', classes), isOneOf('_labels', classes)] });
  if (sources !== undefined) named.push(isOneOf('_source', sources));
  return named;
}

/** Passes entities whose field has one of the values, or is a list with one. */
export function isOneOf(field: string, values: readonly Scalar[]): Filter {
  const wanted = new Set<unknown>(values);
  const test: ValueTest = {
    equals: values,
    matches: (value: FieldValue) =>
      Array.isArray(value) ? value.some((item) => wanted.has(item)) : wanted.has(value),
  };
  return { kind: 'test', field, test };
}
