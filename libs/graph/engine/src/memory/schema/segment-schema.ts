/**
 * The kinds of values by class in a segment; from statistics if the segment has a single class. Computed once
 * for each segment.
 */
import type { ValueKind } from '#graph/model';
import type { Segment } from '../base/segment.ts';
import { kindOf } from '../column/field.ts';

export type KindsByName = ReadonlyMap<string, ReadonlySet<ValueKind>>;

const wholes = new WeakMap<Segment, KindsByName>();
const cache = new WeakMap<Segment, Map<string, KindsByName>>();

/** By property, for the segment's entities with one of the names, of which there may be some. */
export function segmentKinds(segment: Segment, names: readonly string[] | '*'): KindsByName[] {
  if (names === '*' || names.includes(segment.type) || segment.classes.length <= 1)
    return [wholeKinds(segment)];
  const byClass = kindsByClass(segment);
  return [...byClass].filter(([name]) => names.includes(name)).map(([, kinds]) => kinds);
}

function wholeKinds(segment: Segment): KindsByName {
  let kinds = wholes.get(segment);
  if (kinds === undefined) {
    const names = segment.propertyNames();
    kinds = new Map(
      names.map((name) => [name, new Set(Object.keys(segment.field(name).kinds) as ValueKind[])]),
    );
    wholes.set(segment, kinds);
  }
  return kinds;
}

/** Scans the rows, once for each base. */
function kindsByClass(segment: Segment): Map<string, KindsByName> {
  const known = cache.get(segment);
  if (known !== undefined) return known;
  const byClass = new Map(segment.classes.map((name) => [name, new Map<string, Set<ValueKind>>()]));
  for (const name of segment.propertyNames()) {
    for (let row = 0; row < segment.size; row++) {
      const value = segment.value(row, name);
      if (value === undefined) continue;
      const className = String(segment.value(row, 'class'));
      let kinds = byClass.get(className);
      if (kinds === undefined) byClass.set(className, (kinds = new Map<string, Set<ValueKind>>()));
      const found = kinds.get(name) ?? new Set<ValueKind>();
      const kind = kindOf(value);
      if (kind !== undefined) found.add(kind);
      kinds.set(name, found);
    }
  }
  cache.set(segment, byClass);
  return byClass;
}
