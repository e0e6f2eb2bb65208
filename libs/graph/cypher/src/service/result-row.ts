import { DomainError } from '#platform/foundation';
import type { Row } from '../graph/run.ts';
import { isList, isMap, type Value } from '../value/value.ts';

/** Of lists and maps in one another; as deep as Bolt's messages and the bodies of requests may be. */
const DEPTH_MAX = 200;

/** Of all values of a row, each as often as it will be written. */
const PARTS_MAX = 10_000_000;

/**
 * The values of the columns. Every value can be written: JSON and PackStream are written by recursion, and a
 * list that stands in many places of others is written in each.
 */
export function resultRow(row: Row, slots: readonly number[]): readonly Value[] {
  let parts = 0;
  return slots.map((slot) => {
    const value = row[slot] ?? null;
    if (typeof value === 'object' && value !== null) parts = countedParts(value, DEPTH_MAX, parts);
    return value;
  });
}

function countedParts(value: Exclude<Value, null>, levels: number, before: number): number {
  if (!isList(value) && !isMap(value)) return before;
  let parts = before + (isList(value) ? value.length : value.size);
  if (parts > PARTS_MAX) throw tooLarge(`${PARTS_MAX} parts in a row`);
  for (const item of isList(value) ? value : value.values()) {
    if (typeof item !== 'object' || item === null) continue;
    if (levels === 0) throw tooLarge(`${DEPTH_MAX} levels`);
    parts = countedParts(item, levels - 1, parts);
  }
  return parts;
}

function tooLarge(what: string): DomainError {
  return new DomainError('QUERY_TOO_LARGE', `expected lists and maps of at most ${what}`);
}
