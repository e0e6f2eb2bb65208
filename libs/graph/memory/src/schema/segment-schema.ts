/**
 * Counts of a segment's rows by class and labels: from statistics if the segment has a single class and no
 * labels, else from one scan. Computed once for each segment.
 */
import type { ValueKind } from '#graph/model';
import { isOneOf } from '#platform/foundation';
import type { Segment } from '../base/segment.ts';
import type { RowField } from '../column/field.ts';
import { isNamed, LABELS_FIELD, labelsIn, type Named } from '../column/labels-field.ts';
import { EntityCounts } from './entity-counts.ts';

/** The rows of one type, class and set of labels. */
export interface NameGroup extends Named {
  readonly labels: readonly string[] | undefined;
  size: number;
}

interface NameGroups {
  readonly all: readonly NameGroup[];
  readonly groupOf: (row: number) => NameGroup | undefined;
}

const PAIR_FACTOR = 2 ** 26;

const wholes = new WeakMap<Segment, EntityCounts>();
const groups = new WeakMap<Segment, NameGroups>();
const byGroup = new WeakMap<Segment, ReadonlyMap<NameGroup | undefined, EntityCounts>>();

/** The counts of the segment's entities with one of the names, in parts. */
export function segmentCounts(segment: Segment, names: readonly string[] | '*'): readonly EntityCounts[] {
  if (names === '*' || isOneOf(names, segment.type)) return [wholeCounts(segment)];
  const all = nameGroups(segment);
  const wanted = all.filter((group) => isNamed(names, group));
  if (wanted.length === all.length) return [wholeCounts(segment)];
  return wanted.length === 0 ? [] : wanted.flatMap((group) => groupCounts(segment).get(group) ?? []);
}

export function wholeCounts(segment: Segment): EntityCounts {
  let counts = wholes.get(segment);
  if (counts === undefined) {
    wholes.set(segment, (counts = new EntityCounts()));
    counts.size = segment.size;
    counts.labelled = segment.columns.get(LABELS_FIELD)?.present ?? 0;
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

/** The rows by class and labels. */
export function nameGroups(segment: Segment): readonly NameGroup[] {
  return groupsOf(segment).all;
}

function groupsOf(segment: Segment): NameGroups {
  let found = groups.get(segment);
  if (found === undefined) groups.set(segment, (found = findGroups(segment)));
  return found;
}

function findGroups(segment: Segment): NameGroups {
  const { type, size } = segment;
  const [only, ...others] = segment.classes;
  if (only !== undefined && others.length === 0 && !segment.columns.has(LABELS_FIELD))
    return oneGroup({ type, class: only, labels: undefined, size });
  const classes = numbered(segment.field('class'));
  const labels = numbered(segment.field(LABELS_FIELD));
  const pairOf = (row: number): number => classes(row) * PAIR_FACTOR + labels(row);
  const byPair = new Map<number, NameGroup>();
  for (let row = 0; row < size; row++) {
    const group = byPair.get(pairOf(row));
    if (group !== undefined) group.size++;
    else {
      const className = String(segment.value(row, 'class'));
      const list = labelsIn(segment.value(row, LABELS_FIELD));
      byPair.set(pairOf(row), { type, class: className, labels: list, size: 1 });
    }
  }
  return { all: [...byPair.values()], groupOf: (row) => byPair.get(pairOf(row)) };
}

function oneGroup(group: NameGroup): NameGroups {
  return { all: [group], groupOf: () => group };
}

/** Returns a small number for each value of a field. */
function numbered(field: RowField): (row: number) => number {
  const known = field.grouping();
  if (known !== undefined) return (row) => known.groupOf(row);
  const numbers = new Map<string, number>();
  return (row) => {
    const text = JSON.stringify(field.value(row) ?? null);
    let number = numbers.get(text);
    if (number === undefined) numbers.set(text, (number = numbers.size));
    return number;
  };
}

function groupCounts(segment: Segment): ReadonlyMap<NameGroup | undefined, EntityCounts> {
  const known = byGroup.get(segment);
  if (known !== undefined) return known;
  const { all, groupOf } = groupsOf(segment);
  const found = new Map<NameGroup | undefined, EntityCounts>(all.map((group) => [group, new EntityCounts()]));
  const names = segment.propertyNames();
  for (let row = 0; row < segment.size; row++) {
    const group = groupOf(row);
    const counts = found.get(group);
    if (counts === undefined) continue;
    counts.size++;
    if (group?.labels !== undefined) counts.labelled++;
    for (const name of names) counts.addValue(name, segment.value(row, name), 1);
  }
  byGroup.set(segment, found);
  return found;
}
