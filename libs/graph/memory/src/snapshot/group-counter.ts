/**
 * Counts groups. For a whole segment and a single field, these are the sizes of posting lists; otherwise rows
 * are counted by small numbers, and values are read once for each group. *Hot path*.
 */
import type { FieldValue, GroupCount, PropertyValue, Selection } from '#graph/model';
import { type Steps, WideMap } from '#platform/foundation';
import { Uint32List } from '../array/number-list.ts';
import type { Base } from '../base/base.ts';
import type { Segment } from '../base/segment.ts';
import type { RowField, ValueGrouping } from '../column/field.ts';
import { compareUtf8 } from '../name/utf8-order.ts';
import type { View } from '../delta/view.ts';
import { testedPerStep } from './filter-values.ts';
import { selectRows } from './segment-filter.ts';
import type { Selector } from './selector.ts';
import type { ValueChanges } from './value-changes.ts';

const PAIR_FACTOR = 2 ** 26;
const ROWS_PER_STEP = 64;
/** The values of so few rows are read one by one. */
const FEW_ROWS = 8;
/** Rows of numbers alone take a few nanoseconds each. */
const NUMBERS_PER_STEP = 1_024;

/** A group of a segment, with the text of its values. */
interface CountedGroup {
  readonly key: string;
  readonly values: readonly PropertyValue[];
  readonly count: number;
}

/** Groups of all rows of a segment, once counted row by row, by their fields: a segment does not change. */
const countedGroups = new WeakMap<Segment, Map<string, readonly CountedGroup[]>>();
/** Minimum rows per group for groups to be kept, which bounds them to a fraction of the columns. */
const KEPT_GROUP_ROWS = 4;
/** Combinations of fields whose groups are kept, of a segment or a base. */
const KEPT_MAX = 3;

function keep<Of extends object, Groups>(
  all: WeakMap<Of, Map<string, Groups>>,
  of: Of,
  { key, groups }: { readonly key: string; readonly groups: Groups },
): void {
  const kept = all.get(of) ?? new Map<string, Groups>();
  const [oldest] = kept.keys();
  if (kept.size >= KEPT_MAX && oldest !== undefined) kept.delete(oldest);
  kept.set(key, groups);
  all.set(of, kept);
}

type Group = { readonly values: readonly PropertyValue[]; count: number };

export class GroupCounter {
  readonly #groups = new WideMap<Group>();
  readonly #fields: readonly string[];
  readonly #onGroup: () => void;

  constructor(fields: readonly string[], onGroup: () => void) {
    this.#fields = fields;
    this.#onGroup = onGroup;
  }

  *addSegment(segment: Segment, selection: Selection): Steps<void> {
    const rows = yield* selectRows(segment, selection);
    if (rows.count === 0) return;
    const fields = this.#fields.map((name) => segment.field(name));
    if (rows.count < segment.size) {
      yield* this.#addRows(fields, rows.list(), undefined);
      return;
    }
    const { values, sizes } = (fields.length === 1 ? fields[0]?.grouping() : undefined) ?? {};
    const counted = countedGroups.get(segment)?.get(this.#fields.join('\0'));
    if (values !== undefined && sizes !== undefined) yield* this.#addSizes(values, sizes);
    else if (counted !== undefined) yield* this.#addCounted(counted);
    else yield* this.#addRows(fields, rows.list(), segment);
  }

  /** Moves the nodes of versions from their groups in the base to their current groups. */
  *addVersions(view: View, selector: Selector, selection: Selection): Steps<void> {
    const { wasMatch, isMatch, versions } = selector.difference(selection, this.#fields);
    const { item } = view.delta.nodes;
    const perStep = testedPerStep(selection.filter, ROWS_PER_STEP);
    for (let at = 0; at < versions.length; at++) {
      const version = versions[at]!;
      const node = item.data[version]!;
      if (wasMatch(version)) this.#add(this.#rowValues(view, node), -1);
      if (isMatch(version))
        this.#add(
          this.#fields.map((name) => view.versionField(version, name) ?? null),
          1,
        );
      if (at % perStep === perStep - 1) yield;
    }
  }

  /** Does what {@link addVersions} does. */
  *addChanges(changes: ValueChanges, selection: Selection): Steps<void> {
    yield* changes.group(selection, this.#fields, (values, by) => {
      this.#add(
        values.map((value) => value ?? null),
        by,
      );
    });
  }

  *groups(): Steps<readonly GroupCount[]> {
    const groups: GroupCount[] = [];
    let looked = 0;
    for (const group of this.#groups.values()) {
      if (group.count > 0) groups.push(group);
      if (++looked % ROWS_PER_STEP === 0) yield;
    }
    return groups;
  }

  #rowValues(view: View, node: number): PropertyValue[] {
    const segment = view.base.segmentOf(node);
    return this.#fields.map((name) => segment.value(node - segment.start, name) ?? null);
  }

  *#addSizes(values: readonly FieldValue[], sizes: ArrayLike<number>): Steps<void> {
    for (let group = 0; group < values.length; group++) {
      this.#add([values[group] ?? null], sizes[group]!);
      if (group % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield;
    }
  }

  *#addCounted(groups: readonly CountedGroup[]): Steps<void> {
    for (let at = 0; at < groups.length; at++) {
      this.#addGroup(groups[at]!);
      if (at % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield;
    }
  }

  /** `whole`: the segment, if these are all of its rows. */
  *#addRows(fields: readonly RowField[], rows: Uint32Array, whole: Segment | undefined): Steps<void> {
    const valuesAt = (row: number): PropertyValue[] => fields.map((field) => field.value(row) ?? null);
    if (rows.length <= FEW_ROWS) {
      for (const row of rows) this.#add(valuesAt(row), 1);
      return;
    }
    const { counts, examples } = yield* countedRows(fields, rows);
    const kept: CountedGroup[] = [];
    for (let group = 0; group < counts.length; group++) {
      const count = counts.data[group]!;
      if (count === 0) continue;
      const values = valuesAt(examples.data[group]!);
      const counted = { key: JSON.stringify(values), values, count };
      this.#addGroup(counted);
      if (whole !== undefined && kept.length * KEPT_GROUP_ROWS <= rows.length) kept.push(counted);
      if (group % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield;
    }
    const isKept = whole !== undefined && kept.length * KEPT_GROUP_ROWS <= rows.length;
    if (isKept) keep(countedGroups, whole, { key: this.#fields.join('\0'), groups: kept });
  }

  #add(values: readonly PropertyValue[], count: number): void {
    this.#addGroup({ key: JSON.stringify(values), values, count });
  }

  #addGroup({ key, values, count }: CountedGroup): void {
    const group = this.#groups.get(key);
    if (group !== undefined) {
      group.count += count;
      return;
    }
    this.#groups.add(key, { values, count });
    this.#onGroup();
  }
}

interface RowCounts {
  /** Rows of each group by its number, and one of them. */
  readonly counts: Uint32List;
  readonly examples: Uint32List;
}

function* countedRows(fields: readonly RowField[], rows: Uint32Array): Steps<RowCounts> {
  const { groupOf, isRead } = combined(fields, rows.length);
  const rowsPerStep = isRead ? ROWS_PER_STEP : NUMBERS_PER_STEP;
  const counts = new Uint32List();
  const examples = new Uint32List();
  for (let at = 0; at < rows.length; at++) {
    const group = groupOf(rows[at]!);
    while (counts.length <= group) {
      counts.push(0);
      examples.push(0);
    }
    if (counts.data[group]!++ === 0) examples.data[group] = rows[at]!;
    if (at % rowsPerStep === rowsPerStep - 1) yield;
  }
  return { counts, examples };
}

/** More are counted in steps. */
const WHOLE_GROUPS_MAX = 256;

/** All rows of some segments of a base, by some fields. */
export interface WholeSegments {
  readonly base: Base;
  readonly segments: readonly Segment[];
  readonly fields: readonly string[];
}

/** Groups of all rows of several segments, once merged. */
const mergedGroups = new WeakMap<Base, Map<string, readonly GroupCount[]>>();
/** A group takes about a hundred bytes. */
const MERGED_GROUPS_MAX = 16_384;

/** Groups that were counted before; undefined where there are none. */
export function* knownGroups(
  whole: WholeSegments,
  onGroup: () => void,
): Steps<readonly GroupCount[] | undefined> {
  const groups = textGroupsOf(whole) ?? mergedGroups.get(whole.base)?.get(keyOf(whole));
  for (let at = 0; groups !== undefined && at < groups.length; at++) {
    onGroup();
    if (at % NUMBERS_PER_STEP === NUMBERS_PER_STEP - 1) yield;
  }
  return groups;
}

/** Of a single segment the counter keeps the groups itself. */
export function keepGroups(whole: WholeSegments, groups: readonly GroupCount[]): void {
  const { base, segments } = whole;
  const rows = segments.reduce((sum, { size }) => sum + size, 0);
  const isSmall = groups.length <= MERGED_GROUPS_MAX && groups.length * KEPT_GROUP_ROWS <= rows;
  if (isSmall && segments.length > 1) keep(mergedGroups, base, { key: keyOf(whole), groups });
}

function keyOf({ segments, fields }: WholeSegments): string {
  return JSON.stringify([segments.map(({ start }) => start), fields]);
}

/** The groups of a segment by a field with few text values; undefined for other fields. */
function textGroupsOf({ segments, fields }: WholeSegments): readonly GroupCount[] | undefined {
  const [segment, ...others] = segments;
  if (segment === undefined || others.length > 0 || fields.length !== 1) return undefined;
  const grouping = segment.field(fields[0]!).grouping();
  if (grouping === undefined) return undefined;
  if (!textGroups.has(grouping)) textGroups.set(grouping, findTextGroups(grouping));
  return textGroups.get(grouping);
}

/** Undefined if the field does not have few text values. */
const textGroups = new WeakMap<ValueGrouping, readonly GroupCount[] | undefined>();

/** Groups in the order of values, which saves the query its sort. */
function findTextGroups(grouping: ValueGrouping): readonly GroupCount[] | undefined {
  if (grouping.sizes === undefined || grouping.values.length > WHOLE_GROUPS_MAX) return undefined;
  const groups: { readonly values: readonly [string]; readonly count: number }[] = [];
  let nulls = 0;
  for (let at = 0; at < grouping.values.length; at++) {
    const value = grouping.values[at] ?? null;
    if (value !== null && typeof value !== 'string') return undefined;
    if (value === null) nulls += grouping.sizes[at]!;
    else groups.push({ values: [value], count: grouping.sizes[at]! });
  }
  groups.sort(({ values: [a] }, { values: [b] }) => compareUtf8(a, b));
  return nulls > 0 ? [...groups, { values: [null], count: nulls }] : groups;
}

/** A number for each value or combination of values, below `size`. */
interface Numbering {
  readonly groupOf: (row: number) => number;
  readonly size: number;
  /** Whether the values of a row are read for it. */
  readonly isRead: boolean;
}

const ONE_GROUP: Numbering = { groupOf: () => 0, size: 1, isRead: false };

/** A small number for each combination of values; about as many as `rows` at most. */
function combined(fields: readonly RowField[], rows: number): Numbering {
  const [first = ONE_GROUP, ...rest] = fields.map(numberingOf);
  return rest.reduce((left, right) => paired(left, right, rows), first);
}

function numberingOf(field: RowField): Numbering {
  const grouping = field.grouping();
  if (grouping === undefined) return numberedByText(field);
  return { groupOf: (row) => grouping.groupOf(row), size: grouping.values.length, isRead: false };
}

function paired(left: Numbering, right: Numbering, rows: number): Numbering {
  const size = left.size * right.size;
  const isRead = left.isRead || right.isRead;
  if (size <= rows)
    return { groupOf: (row) => left.groupOf(row) * right.size + right.groupOf(row), size, isRead };
  const numbers = new Map<number, number>();
  const groupOf = (row: number): number => {
    const pair = left.groupOf(row) * PAIR_FACTOR + right.groupOf(row);
    let number = numbers.get(pair);
    if (number === undefined) numbers.set(pair, (number = numbers.size));
    return number;
  };
  return { groupOf, size: Infinity, isRead };
}

function numberedByText(field: RowField): Numbering {
  const numbers = new Map<string, number>();
  const groupOf = (row: number): number => {
    const text = JSON.stringify(field.value(row) ?? null);
    let number = numbers.get(text);
    if (number === undefined) numbers.set(text, (number = numbers.size));
    return number;
  };
  return { groupOf, size: Infinity, isRead: true };
}
