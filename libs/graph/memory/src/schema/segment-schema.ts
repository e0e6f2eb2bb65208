/**
 * Counts of a segment's rows by class: from statistics if the segment has a single class, else from one scan.
 * Computed once for each segment.
 */
import type { ValueKind } from '#graph/model';
import type { Segment } from '../base/segment.ts';
import { addTo, EntityCounts } from './entity-counts.ts';

const wholes = new WeakMap<Segment, EntityCounts>();
const sizes = new WeakMap<Segment, ReadonlyMap<string, number>>();
const byClass = new WeakMap<Segment, ReadonlyMap<string, EntityCounts>>();

/** The counts of the segment's entities with one of the names, in parts. */
export function segmentCounts(segment: Segment, names: readonly string[] | '*'): readonly EntityCounts[] {
  if (names === '*' || names.includes(segment.type) || segment.classes.length <= 1)
    return [wholeCounts(segment)];
  return [...classCounts(segment)].filter(([name]) => names.includes(name)).map(([, counts]) => counts);
}

export function wholeCounts(segment: Segment): EntityCounts {
  let counts = wholes.get(segment);
  if (counts === undefined) {
    wholes.set(segment, (counts = new EntityCounts()));
    counts.size = segment.size;
    for (const name of segment.propertyNames()) {
      const column = segment.columns.get(name);
      const property = counts.property(name);
      property.count = column?.present ?? 0;
      for (const [kind, count] of Object.entries(column?.kinds ?? {}))
        property.kinds.set(kind as ValueKind, count);
    }
  }
  return counts;
}

/** Number of rows of each class. */
export function classSizes(segment: Segment): ReadonlyMap<string, number> {
  let found = sizes.get(segment);
  if (found === undefined) sizes.set(segment, (found = countClasses(segment)));
  return found;
}

function countClasses(segment: Segment): ReadonlyMap<string, number> {
  const [only, ...others] = segment.classes;
  if (only !== undefined && others.length === 0) return new Map([[only, segment.size]]);
  const found = new Map<string, number>();
  for (let row = 0; row < segment.size; row++) addTo(found, String(segment.value(row, 'class')), 1);
  return found;
}

function classCounts(segment: Segment): ReadonlyMap<string, EntityCounts> {
  const known = byClass.get(segment);
  if (known !== undefined) return known;
  const found = new Map(segment.classes.map((name) => [name, new EntityCounts()]));
  const names = segment.propertyNames();
  for (let row = 0; row < segment.size; row++) {
    const counts = found.get(String(segment.value(row, 'class')));
    if (counts === undefined) continue;
    counts.size++;
    for (const name of names) counts.addValue(name, segment.value(row, name), 1);
  }
  byClass.set(segment, found);
  return found;
}
