/**
 * Counts groups. For a whole segment and a single field, these are the sizes of posting lists; otherwise rows
 * are counted by small numbers, and values are read once for each group. *Hot path*.
 */
import type { FieldValue, GroupCount, PropertyValue, Selection } from '#graph/model';
import { type Steps, WideMap } from '#platform/foundation';
import { Uint32List } from '../array/number-list.ts';
import type { Segment } from '../base/segment.ts';
import type { RowField, ValueGrouping } from '../column/field.ts';
import { compareUtf8 } from '../name/utf8-order.ts';
import type { View } from '../delta/view.ts';
import { selectRows, takesWhole } from './segment-filter.ts';
import type { Selector } from './selector.ts';

const PAIR_FACTOR = 2 ** 26;
const ROWS_PER_STEP = 64;

/** All rows of a segment by one field. */
type GroupSizes = { readonly values: readonly FieldValue[]; readonly sizes: ArrayLike<number> };

/** Groups once counted row by row, of columns without a dictionary: a segment does not change. */
const countedGroups = new WeakMap<RowField, GroupSizes>();
/** Minimum rows per group for counts to be kept, which bounds them to a fraction of the column. */
const KEPT_GROUP_ROWS = 4;

function sizesOf(field: RowField): GroupSizes | undefined {
  const { values, sizes } = field.grouping() ?? {};
  return values === undefined || sizes === undefined ? countedGroups.get(field) : { values, sizes };
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
    const whole = fields.length === 1 && rows.count === segment.size ? fields[0]! : undefined;
    const sizes = whole && sizesOf(whole);
    if (sizes !== undefined) yield* this.#addSizes(sizes);
    else yield* this.#addRows(fields, rows.list(), whole);
  }

  /** Moves the nodes of versions from their groups in the base to their current groups. */
  *addVersions(view: View, selector: Selector, selection: Selection): Steps<void> {
    const { wasMatch, isMatch, versions } = selector.difference(selection, this.#fields);
    const { item } = view.delta.nodes;
    for (let at = 0; at < versions.length; at++) {
      const version = versions[at]!;
      const node = item.data[version]!;
      if (wasMatch(version)) this.#add(this.#rowValues(view, node), -1);
      if (isMatch(version))
        this.#add(
          this.#fields.map((name) => view.versionField(version, name) ?? null),
          1,
        );
      if (at % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield;
    }
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

  *#addSizes({ values, sizes }: GroupSizes): Steps<void> {
    for (let group = 0; group < values.length; group++) {
      this.#add([values[group] ?? null], sizes[group]!);
      if (group % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield;
    }
  }

  /** `whole`: the only field, if these are all rows of its segment. */
  *#addRows(fields: readonly RowField[], rows: Uint32Array, whole: RowField | undefined): Steps<void> {
    const groupOf = combined(fields);
    const counts = new Uint32List();
    const examples = new Uint32List();
    for (let at = 0; at < rows.length; at++) {
      const group = groupOf(rows[at]!);
      while (counts.length <= group) {
        counts.push(0);
        examples.push(0);
      }
      if (counts.data[group]!++ === 0) examples.data[group] = rows[at]!;
      if (at % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield;
    }
    const isKept = whole !== undefined && counts.length <= rows.length / KEPT_GROUP_ROWS;
    const kept: FieldValue[] = [];
    for (let group = 0; group < counts.length; group++) {
      const count = counts.data[group]!;
      if (count === 0) continue;
      const values = fields.map((field) => field.value(examples.data[group]!) ?? null);
      this.#add(values, count);
      if (isKept) kept.push(values[0]);
      if (group % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield;
    }
    if (isKept) countedGroups.set(whole, { values: kept, sizes: counts.toArray() });
  }

  #add(values: readonly PropertyValue[], count: number): void {
    const key = JSON.stringify(values);
    const group = this.#groups.get(key);
    if (group !== undefined) {
      group.count += count;
      return;
    }
    this.#groups.add(key, { values, count });
    this.#onGroup();
  }
}

/** Maximum number of groups that are counted at once; more are counted in steps. */
const WHOLE_GROUPS_MAX = 256;

/** The groups of all rows of a segment by a field with few text values; undefined for other fields. */
export function wholeGroups(
  [segment, ...others]: readonly Segment[],
  selection: Selection,
  { fields, onGroup }: { readonly fields: readonly string[]; readonly onGroup: () => void },
): readonly GroupCount[] | undefined {
  if (segment === undefined || others.length > 0 || fields.length !== 1) return undefined;
  if (!takesWhole(segment, selection)) return undefined;
  const grouping = segment.field(fields[0]!).grouping();
  if (grouping === undefined) return undefined;
  if (!textGroups.has(grouping)) textGroups.set(grouping, findTextGroups(grouping));
  const groups = textGroups.get(grouping);
  groups?.forEach(onGroup);
  return groups;
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

/** A small number for each combination of values. */
function combined(fields: readonly RowField[]): (row: number) => number {
  const [first, ...rest] = fields.map((field) => (field.grouping() ?? groupingByText(field)).groupOf);
  let groupOf = first ?? (() => 0);
  for (const next of rest) groupOf = paired(groupOf, next);
  return groupOf;
}

function paired(left: (row: number) => number, right: (row: number) => number): (row: number) => number {
  const numbers = new Map<number, number>();
  return (row) => {
    const pair = left(row) * PAIR_FACTOR + right(row);
    let number = numbers.get(pair);
    if (number === undefined) numbers.set(pair, (number = numbers.size));
    return number;
  };
}

function groupingByText(field: RowField): Pick<ValueGrouping, 'groupOf'> {
  const numbers = new Map<string, number>();
  return {
    groupOf: (row) => {
      const text = JSON.stringify(field.value(row) ?? null);
      let number = numbers.get(text);
      if (number === undefined) numbers.set(text, (number = numbers.size));
      return number;
    },
  };
}
