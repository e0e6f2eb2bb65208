/**
 * A selection over the rows of one segment. Conditions with an index are never scanned. A conjunction
 * evaluates the most selective part first, and the others only on the remaining rows. *Hot path*.
 */
import type { FieldValue, Filter, Selection, ValueTest } from '#graph/model';
import { isOneOf, type Steps } from '#platform/foundation';
import type { Segment } from '../base/segment.ts';
import type { ValueBounds } from '../column/field.ts';
import {
  knownShared,
  LazyRows,
  newBits,
  RowBits,
  RowNumbers,
  RowRange,
  type RowSet,
} from '../column/row-set.ts';
import { LABELS_FIELD } from '../column/labels-field.ts';

/** Below this share of the rows, a conjunction tests row by row. */
const FEW_ROWS_SHARE = 16;
const ROWS_PER_STEP = 16;

type RowTest = (row: number) => boolean;

export function* selectRows(segment: Segment, selection: Selection): Steps<RowSet> {
  const filter = filterFor(segment, selection);
  return filter === undefined ? new RowRange(segment.size, true) : yield* rowsOf(segment, filter);
}

/** Selects rows at once, if indexes suffice; undefined if rows must be scanned in steps. */
export function selectRowsAtOnce(segment: Segment, selection: Selection): RowSet | undefined {
  const filter = filterFor(segment, selection);
  return filter === undefined ? new RowRange(segment.size, true) : rowsAtOnce(segment, filter);
}

function rowsAtOnce(segment: Segment, filter: Filter): RowSet | undefined {
  switch (filter.kind) {
    case 'test':
      return segment.field(filter.field).rowsAtOnce?.(filter.test);
    case 'not':
      return rowsAtOnce(segment, filter.item)?.complement();
    default:
      return undefined;
  }
}

export function rowTest(segment: Segment, selection: Selection): RowTest {
  const filter = filterFor(segment, selection);
  return filter === undefined ? () => true : testerOf(segment, filter);
}

/** An upper bound of the number of rows, from statistics. */
export function estimateRows(segment: Segment, selection: Selection): number {
  const filter = filterFor(segment, selection);
  return filter === undefined ? segment.size : boundsOf(segment, filter).atMost;
}

/** Whether a selection selects every row by its names. */
export function takesWhole(segment: Segment, selection: Selection): boolean {
  return filterFor(segment, selection) === undefined;
}

/** A test of names on the classes of entities, or on their lists of labels. */
export function nameTest(names: readonly string[]): ValueTest {
  const isNamed = (value: FieldValue): boolean => typeof value === 'string' && isOneOf(names, value);
  return {
    matches: (value: FieldValue) => (Array.isArray(value) ? value.some(isNamed) : isNamed(value)),
    equals: names,
  };
}

function filterFor(segment: Segment, { names, filter }: Selection): Filter | undefined {
  if (names === '*' || isOneOf(names, segment.type)) return filter;
  const named = namedRows(segment, names);
  if (named === undefined) return filter;
  return filter === undefined ? named : { kind: 'and', items: [named, filter] };
}

/** The rows with one of the names as their class or as a label; undefined: all rows. */
function namedRows(segment: Segment, names: readonly string[]): Filter | undefined {
  const classes = segment.classes.filter((name) => isOneOf(names, name));
  if (classes.length === segment.classes.length) return undefined;
  const items: Filter[] = [];
  if (classes.length > 0) items.push({ kind: 'test', field: 'class', test: nameTest(classes) });
  const labels = segment.labels.filter((name) => isOneOf(names, name));
  if (labels.length > 0) {
    const test = nameTest(labels);
    if (segment.field(LABELS_FIELD).bounds(test).atLeast === segment.size) return undefined;
    items.push({ kind: 'test', field: LABELS_FIELD, test });
  }
  return items.length === 1 ? items[0] : { kind: 'or', items };
}

function* rowsOf(segment: Segment, filter: Filter): Steps<RowSet> {
  switch (filter.kind) {
    case 'test':
      return yield* segment.field(filter.field).rows(filter.test);
    case 'not':
      return (yield* rowsOf(segment, filter.item)).complement();
    case 'and':
      return yield* intersection(segment, filter.items);
    case 'or':
      return yield* union(segment, filter.items);
  }
}

function* intersection(segment: Segment, items: readonly Filter[]): Steps<RowSet> {
  const size = segment.size;
  const ranked = items
    .map((item) => ({ item, bounds: boundsOf(segment, item) }))
    .filter(({ bounds }) => bounds.atLeast < size)
    .sort((a, b) => a.bounds.atMost - b.bounds.atMost);
  const [only] = ranked;
  if (only !== undefined && ranked.length === 1) return yield* rowsOf(segment, only.item);
  let found: RowSet = new RowRange(size, true);
  for (let at = 0; at < ranked.length; at++) {
    const item = ranked[at]!.item;
    if (found.count === 0) return found;
    const counted = at === ranked.length - 1 ? countedIntersection(segment, found, item) : undefined;
    if (counted !== undefined) return counted;
    if (found.count * FEW_ROWS_SHARE < size) {
      const test = allOf(ranked.slice(at).map((rest) => testerOf(segment, rest.item)));
      return new RowNumbers(yield* filtered(found.list(), test), size);
    }
    const rows = yield* rowsOf(segment, item);
    found = found.count === size ? rows : intersect(found, rows, size);
  }
  return found;
}

/** Counted without reading rows, where the columns know the count; rows are read when they are needed. */
function countedIntersection(segment: Segment, found: RowSet, last: Filter): RowSet | undefined {
  const size = segment.size;
  const rows = found.membership && rowsAtOnce(segment, last);
  const count = rows && knownShared(found, rows);
  if (rows === undefined || count === undefined) return undefined;
  return new LazyRows({ count, size }, (bits) => {
    intersect(found, rows, size).mark(bits);
  });
}

function* filtered(rows: Uint32Array, test: RowTest): Steps<Uint32Array> {
  const kept = new Uint32Array(rows.length);
  let count = 0;
  for (let at = 0; at < rows.length; at++) {
    if (test(rows[at]!)) kept[count++] = rows[at]!;
    if (at % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield;
  }
  return kept.slice(0, count);
}

function intersect(a: RowSet, b: RowSet, size: number): RowSet {
  if (b.count === size) return a;
  const [small, large] = a.count < b.count ? [a, b] : [b, a];
  if (small.count * FEW_ROWS_SHARE < size)
    return new RowNumbers(
      small.list().filter((row) => large.has(row)),
      size,
    );
  const left = asBits(a, size);
  const right = asBits(b, size);
  const bits = new Uint32Array(left.length);
  for (let index = 0; index < bits.length; index++) bits[index] = left[index]! & right[index]!;
  return new RowBits(bits, size);
}

function* union(segment: Segment, items: readonly Filter[]): Steps<RowSet> {
  const size = segment.size;
  const sets: RowSet[] = [];
  for (const item of items) {
    const rows = rowsAtOnce(segment, item) ?? (yield* rowsOf(segment, item));
    if (rows.count > 0) sets.push(rows);
  }
  const whole = sets.find((rows) => rows.count === size);
  if (whole !== undefined || sets.length === 0) return whole ?? new RowRange(size, false);
  if (sets.length === 1) return sets[0]!;
  if (sets.length === 2) return unionOfTwo(sets[0]!, sets[1]!, size);
  const bits = newBits(size);
  for (const rows of sets) rows.mark(bits);
  return new RowBits(bits, size);
}

/** Counting scans at most the smaller set. */
function unionOfTwo(a: RowSet, b: RowSet, size: number): RowSet {
  const [small, large] = a.count < b.count ? [a, b] : [b, a];
  const shared = (): number => knownShared(small, large) ?? large.countAmong(small.list());
  const count = (): number => small.count + large.count - shared();
  return new LazyRows({ count, size }, (bits) => {
    a.mark(bits);
    b.mark(bits);
  });
}

function asBits(rows: RowSet, size: number): Uint32Array {
  if (rows instanceof RowBits) return rows.bits;
  const bits = newBits(size);
  rows.mark(bits);
  return bits;
}

function testerOf(segment: Segment, filter: Filter): RowTest {
  switch (filter.kind) {
    case 'test':
      return segment.field(filter.field).tester(filter.test);
    case 'not': {
      const test = testerOf(segment, filter.item);
      return (row) => !test(row);
    }
    case 'and':
      return allOf(filter.items.map((item) => testerOf(segment, item)));
    case 'or': {
      const tests = filter.items.map((item) => testerOf(segment, item));
      return (row) => tests.some((test) => test(row));
    }
  }
}

function allOf(tests: readonly RowTest[]): RowTest {
  const [first, second] = tests;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  if (tests.length === 2) return (row) => first(row) && second(row);
  return (row) => tests.every((test) => test(row));
}

function boundsOf(segment: Segment, filter: Filter): ValueBounds {
  const size = segment.size;
  switch (filter.kind) {
    case 'test':
      return segment.field(filter.field).bounds(filter.test);
    case 'not': {
      const { atLeast, atMost } = boundsOf(segment, filter.item);
      return { atLeast: size - atMost, atMost: size - atLeast };
    }
    case 'and': {
      const all = filter.items.map((item) => boundsOf(segment, item));
      const missing = all.reduce((sum, { atLeast }) => sum + size - atLeast, 0);
      return {
        atLeast: Math.max(0, size - missing),
        atMost: all.reduce((min, { atMost }) => Math.min(min, atMost), size),
      };
    }
    case 'or': {
      const all = filter.items.map((item) => boundsOf(segment, item));
      const sum = all.reduce((total, { atMost }) => total + atMost, 0);
      return {
        atLeast: all.reduce((max, { atLeast }) => Math.max(max, atLeast), 0),
        atMost: Math.min(size, sum),
      };
    }
  }
}
