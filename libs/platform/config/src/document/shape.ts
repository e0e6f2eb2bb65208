import { assert } from '#platform/foundation';
import { nameHint } from '../name-hint.ts';

/** Path from the top of a document to a value: names of keys, positions in lists. */
export type DocumentPath = readonly (string | number)[];

/** A fault of a value, and its place. Never quotes the value: it may be a secret under the wrong name. */
export interface DocumentFault {
  readonly path: DocumentPath;
  readonly message: string;
  /** The known keys, if the key is unknown. */
  readonly keyHint?: string;
}

/** The position of a reader, and the list to which it adds faults. */
export interface Reading {
  readonly path: DocumentPath;
  readonly faults: DocumentFault[];
}

/** Describes a value of a document: how it is read, and what a reference page prints about it. */
export interface Shape<T> {
  /** Follows "expected": `a whole number from 1 to 64`. */
  readonly expects: string;
  /** Set for tables only. */
  readonly fields?: Fields;
  /** The shape of a list's items. */
  readonly item?: Shape<unknown>;
  /** The shape of the values of a map. */
  readonly entry?: Shape<unknown>;
  /** Returns undefined only after it has added a fault. */
  read(value: unknown, at: Reading): T | undefined;
}

/** A named value of a table. An optional one without a default has `isOptional`. */
export interface Field<T> {
  readonly shape: Shape<T>;
  readonly about: string;
  readonly fallback?: T;
  /** The default as a document writes it, where that differs from the value. */
  readonly written?: unknown;
  readonly isOptional?: true;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

type ValueOf<F> = F extends { readonly shape: Shape<infer T> } ? T : never;
type OptionalName<F> = { [K in keyof F]: F[K] extends { readonly isOptional: true } ? K : never }[keyof F];

/** The value read from a table of fields. */
export type ObjectOf<F> = { readonly [K in Exclude<keyof F, OptionalName<F>>]: ValueOf<F[K]> } & {
  readonly [K in OptionalName<F>]?: ValueOf<F[K]> | undefined;
};

/** A required field. */
export function required<T>(shape: Shape<T>, about: string): Field<T> {
  return { shape, about };
}

/** An optional field without a default: undefined when missing. */
export function optional<T>(shape: Shape<T>, about: string): Field<T> & { readonly isOptional: true } {
  return { shape, about, isOptional: true };
}

/** An optional field with a default value. */
export function withDefault<T>(shape: Shape<T>, fallback: T, about: string): Field<T> {
  return { shape, about, fallback };
}

/** An optional field whose default is read from `written`. */
export function withWrittenDefault<T>(shape: Shape<T>, written: unknown, about: string): Field<T> {
  const fallback = shape.read(written, { path: [], faults: [] });
  assert(fallback !== undefined, 'a default must match its own shape');
  return { shape, about, fallback, written };
}

/** A table that may be missing: each of its keys is optional or has a default. */
export function section<T>(shape: Shape<T>, about: string): Field<T> {
  const fallback = shape.read({}, { path: [], faults: [] });
  assert(fallback !== undefined, 'a section must not have a required key');
  return { shape, about, fallback };
}

/** Treats a key without a value, as YAML allows it, as missing. */
export function orEmpty<T, F extends Field<T>>(field: F): F {
  const { shape, fallback } = field;
  const read = (value: unknown, at: Reading): T | undefined =>
    value === null ? fallback : shape.read(value, at);
  return { ...field, shape: { ...shape, read } };
}

/** A map with exactly these names. */
export function object<F extends Fields>(fields: F): Shape<ObjectOf<F>> {
  const expects = 'a table';
  const read = (value: unknown, at: Reading): ObjectOf<F> | undefined => {
    if (!isTable(value)) {
      refuse(at, expects);
      return undefined;
    }
    const faultsBefore = at.faults.length;
    const entries = Object.entries(fields).map(([name, field]) => [name, readField(name, field, value, at)]);
    refuseUnknownNames(value, Object.keys(fields), at);
    if (at.faults.length > faultsBefore) return undefined;
    return Object.freeze(
      Object.fromEntries(entries.filter(([, given]) => given !== undefined)),
    ) as ObjectOf<F>;
  };
  return { expects, fields, read };
}

/** A list of `min` to `max` items. */
export function array<T>(item: Shape<T>, { min, max }: Bounds): Shape<readonly T[]> {
  const expects = `a list of ${min} to ${max} items`;
  const read = (value: unknown, at: Reading): readonly T[] | undefined => {
    if (!Array.isArray(value) || value.length < min || value.length > max) {
      refuse(at, expects);
      return undefined;
    }
    const items = value.map((one: unknown, i) => item.read(one, { ...at, path: [...at.path, i] }));
    const read = items.filter((one) => one !== undefined);
    return read.length === items.length ? Object.freeze(read) : undefined;
  };
  return { expects, item, read };
}

/** A map whose names match `name`. */
export function record<T>(
  name: Shape<string>,
  value: Shape<T>,
  { max }: Pick<Bounds, 'max'>,
): Shape<Readonly<Record<string, T>>> {
  const expects = `a table of at most ${max} keys, each ${value.expects}`;
  const read = (given: unknown, at: Reading): Readonly<Record<string, T>> | undefined => {
    if (!isTable(given) || Object.keys(given).length > max) {
      refuse(at, expects);
      return undefined;
    }
    const faultsBefore = at.faults.length;
    const entries = Object.entries(given).map(([key, one]) => {
      const inside = { ...at, path: [...at.path, key] };
      return [name.read(key, inside), value.read(one, inside)];
    });
    if (at.faults.length > faultsBefore) return undefined;
    return Object.freeze(Object.fromEntries(entries)) as Readonly<Record<string, T>>;
  };
  return { expects, entry: value, read };
}

/** A shape whose value is converted. */
export function mapped<A, B>(shape: Shape<A>, make: (value: A) => B): Shape<B> {
  return {
    ...shape,
    read: (value, at) => {
      const given = shape.read(value, at);
      return given === undefined ? undefined : make(given);
    },
  };
}

/** A shape with a further check: `fault` returns what is expected, or undefined. */
export function checked<T>(shape: Shape<T>, fault: (value: T) => string | undefined): Shape<T> {
  return {
    ...shape,
    read: (value, at) => {
      const given = shape.read(value, at);
      const message = given === undefined ? undefined : fault(given);
      if (message === undefined) return given;
      at.faults.push({ path: at.path, message });
      return undefined;
    },
  };
}

export interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** Adds the fault "expected …"; returns undefined, so that a reader can return the call. */
export function refuse(at: Reading, expects: string): undefined {
  at.faults.push({ path: at.path, message: `expected ${expects}` });
  return undefined;
}

function readField(name: string, field: Field<unknown>, owner: Table, at: Reading): unknown {
  const inside = { ...at, path: [...at.path, name] };
  if (Object.hasOwn(owner, name) && owner[name] !== undefined) return field.shape.read(owner[name], inside);
  if (field.fallback === undefined && field.isOptional === undefined) {
    at.faults.push({ path: inside.path, message: `missing, expected ${field.shape.expects}` });
  }
  return field.fallback;
}

function refuseUnknownNames(value: Table, known: readonly string[], at: Reading): void {
  for (const name of Object.keys(value)) {
    if (known.includes(name)) continue;
    const keyHint = nameHint(name, known);
    at.faults.push({ path: [...at.path, name], message: `no such key, ${keyHint}`, keyHint });
  }
}

type Table = Readonly<Record<string, unknown>>;

function isTable(value: unknown): value is Table {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
