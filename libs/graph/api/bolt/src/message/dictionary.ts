/** Reads the maps of requests; null is like nothing. */
import { invalidRequest } from '../failure/bolt-fault.ts';
import type { WireValue } from '../value/structure-reader.ts';

export type Dictionary = ReadonlyMap<string, WireValue>;

export function dictionary(value: WireValue | undefined, where: string): Dictionary {
  if (value === undefined || value === null) return new Map();
  if (value instanceof Map) return value as Dictionary;
  throw invalidRequest(`${where}: expected a map`);
}

export function textOf(value: WireValue | undefined, where: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw invalidRequest(`${where}: expected a text`);
}

/** Reads an optional name; an empty one counts as missing. */
export function nameOf(value: WireValue | undefined, where: string): string | undefined {
  const name = textOf(value, where);
  return name === '' ? undefined : name;
}

/** A list of texts in a dictionary; null is an empty one. */
export function textsOf(value: WireValue | undefined, where: string): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw invalidRequest(`${where}: expected a list of texts`);
}
