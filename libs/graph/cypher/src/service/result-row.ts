import { DomainError } from '#platform/foundation';
import type { Row } from '../graph/run.ts';
import { isList, isMap, type Value } from '../value/value.ts';

/** Of lists and maps in one another; as deep as Bolt's messages and the bodies of requests may be. */
const DEPTH_MAX = 200;

/** The values of the columns. Every value can be written: JSON and PackStream are written by recursion. */
export function resultRow(row: Row, slots: readonly number[]): readonly Value[] {
  return slots.map((slot) => {
    const value = row[slot] ?? null;
    if (typeof value === 'object') refuseDeep(value, DEPTH_MAX);
    return value;
  });
}

function refuseDeep(value: Value, levels: number): void {
  const items = isList(value) ? value : isMap(value) ? value.values() : [];
  for (const item of items) {
    if (typeof item !== 'object' || item === null) continue;
    if (levels > 0) refuseDeep(item, levels - 1);
    else throw new DomainError('QUERY_TOO_LARGE', `expected lists and maps of at most ${DEPTH_MAX} levels`);
  }
}
