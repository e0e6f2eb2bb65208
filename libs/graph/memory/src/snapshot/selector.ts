/**
 * Counts and selects: the result of the base's indexes, minus the rows with another version, plus the
 * matching versions. *Hot path*.
 */
import type { FieldValue, Filter, NodeRange, Selection } from '#graph/model';
import { sortedInSteps, type Steps } from '#platform/foundation';
import { Uint32List } from '../array/number-list.ts';
import type { Segment } from '../base/segment.ts';
import type { View } from '../delta/view.ts';
import { versionNames } from './changed-versions.ts';
import { passes, testedPerStep } from './filter-values.ts';
import { lowerBound, ReadOrder } from './node-order.ts';
import { Overlay, readsStamp } from './overlay.ts';
import { estimateRows, rowTest, selectRows, selectRowsAtOnce, takesWhole } from './segment-filter.ts';
import { isNamed } from '../column/labels-field.ts';

type NodeTest = (node: number) => boolean;

const VERSIONS_PER_STEP = 16;
/** Among so few candidates no further index is asked. */
const FEW_VERSIONS = 16;
const NODES_PER_STEP = 64;
/** Each takes about a nanosecond. */
const ROWS_PER_STEP = 2_048;
const NO_NODES = new Uint32Array(0);

export interface Difference {
  readonly versions: Uint32Array;
  readonly wasMatch: NodeTest;
  readonly isMatch: NodeTest;
}

export class Selector {
  /** The base's segments that belong to the snapshot. */
  readonly segments: readonly Segment[];
  readonly order: ReadOrder;
  readonly #view: View;
  readonly #includesDeleted: boolean;
  #overlay: Overlay | undefined;
  /** Number of rows of all segments, which are the first ones of the base. */
  readonly #size: number;

  constructor(view: View, includesDeleted: boolean) {
    this.#view = view;
    this.order = new ReadOrder(view);
    this.#includesDeleted = includesDeleted;
    const { segments } = view.base;
    this.segments = includesDeleted ? segments : segments.filter(({ isDeleted }) => !isDeleted);
    this.#size = includesDeleted ? view.base.nodeCount : view.base.liveNodes;
  }

  get overlay(): Overlay {
    this.#overlay ??= new Overlay(this.#view, this.#includesDeleted, (node) => this.isInBase(node));
    return this.#overlay;
  }

  /** Whether the base's row of a node belongs to the snapshot, ignoring later versions. */
  isInBase(node: number): boolean {
    return node < this.#size;
  }

  /** The segments that may have a row with one of the names. */
  segmentsNamed(names: readonly string[] | '*'): readonly Segment[] {
    if (names === '*') return this.segments;
    const named = this.#view.base.segmentsNamed(names);
    const isWhole = this.#includesDeleted || !named.some(({ isDeleted }) => isDeleted);
    return isWhole ? named : named.filter(({ isDeleted }) => !isDeleted);
  }

  estimate(selection: Selection): number {
    let base = 0;
    if (selection.names === '*' && selection.filter === undefined) base = this.#size;
    else for (const segment of this.segmentsNamed(selection.names)) base += estimateRows(segment, selection);
    return base + (this.#overlay?.relevant(selection).length ?? this.#view.nodeLimit);
  }

  *count(selection: Selection): Steps<number> {
    let count = yield* this.#countBase(selection);
    if (this.#view.nodeLimit === 0) return count;
    const changes = yield* this.overlay.changes(selection);
    if (changes !== undefined) return count + (yield* changes.count(selection));
    const { versions, wasMatch, isMatch } = this.difference(selection);
    const perStep = testedPerStep(selection.filter, VERSIONS_PER_STEP);
    for (let at = 0; at < versions.length; at++) {
      if (wasMatch(versions[at]!)) count--;
      if (isMatch(versions[at]!)) count++;
      if (at % perStep === perStep - 1) yield;
    }
    return count;
  }

  *select(selection: Selection): Steps<Uint32Array> {
    const { order } = this;
    const live = yield* this.#selectBase(selection, false);
    const extras = this.#includesDeleted ? yield* this.#selectBase(selection, true) : NO_NODES;
    if (this.#view.nodeLimit === 0) return yield* order.merge(live, extras);
    const { nodes } = this.#view.delta;
    const { wasMatch, isMatch } = this.#tests(selection);
    yield* this.overlay.prepare();
    const versions =
      (yield* this.#versionsWith(selection, [live, extras])) ?? this.overlay.relevant(selection);
    const perStep = testedPerStep(selection.filter, VERSIONS_PER_STEP);
    const gone = new Set<number>();
    const come = new Uint32List();
    for (let at = 0; at < versions.length; at++) {
      const node = nodes.item.data[versions[at]!]!;
      const was = wasMatch(versions[at]!);
      const is = isMatch(versions[at]!);
      if (was && !is) gone.add(node);
      if (is && !was) come.push(node);
      if (at % perStep === perStep - 1) yield;
    }
    if (gone.size === 0) return yield* order.merge(live, joined(extras, come));
    const left = yield* without(live, gone);
    return yield* order.merge(left, joined(yield* without(extras, gone), come));
  }

  /** The nodes that a selection without a filter selects, if they are consecutive and none has changed. */
  rangeOf(selection: Selection): NodeRange | undefined {
    return this.#view.nodeLimit === 0 ? this.#wholeRun(selection) : undefined;
  }

  matcher(selection: Selection): NodeTest {
    const view = this.#view;
    const wasMatch = this.#rowTest(selection);
    if (view.nodeLimit === 0 || this.#overlay?.relevant(selection).length === 0) return wasMatch;
    const isMatch = this.#versionTest(selection);
    return (node) => {
      const version = view.nodeVersion(node);
      return version === 0 ? wasMatch(node) : isMatch(version);
    };
  }

  /** The relevant versions, and whether each node matched in the base and matches now. */
  difference(selection: Selection, fields: readonly string[] = []): Difference {
    return { ...this.#tests(selection), versions: this.overlay.relevant(selection, fields) };
  }

  #tests(selection: Selection): Omit<Difference, 'versions'> {
    const { item } = this.#view.delta.nodes;
    const wasMatch = this.#rowTest(selection);
    return { wasMatch: (version) => wasMatch(item.data[version]!), isMatch: this.#versionTest(selection) };
  }

  /** Matches nodes as they were in the base. */
  #rowTest(selection: Selection): NodeTest {
    const run = this.#wholeRun(selection);
    if (run !== undefined) return (node) => node >= run.start && node < run.end;
    const inBase = this.#baseTest(selection);
    return (node) => this.isInBase(node) && inBase(node);
  }

  /**
   * Where the selection asks for values of a field that the delta has an index of: the versions with one of
   * them, and those of the nodes that the base selects. Undefined where looking at all versions costs less.
   */
  *#versionsWith({ filter }: Selection, selected: readonly Uint32Array[]): Steps<Uint32Array | undefined> {
    const { delta, nodeLimit } = this.#view;
    const fromBase = selected.reduce((count, { length }) => count + length, 0);
    if (filter === undefined || fromBase >= nodeLimit || readsStamp(filter)) return undefined;
    const fewest = yield* this.#fewestVersions(filter);
    if (fewest === undefined) return undefined;
    const versions = new Set<number>();
    for (const version of fewest) if (delta.nodes.isVisible(version, nodeLimit)) versions.add(version);
    for (const nodes of selected) {
      for (let at = 0; at < nodes.length; at++) {
        const version = delta.nodes.visible(nodes[at]!, nodeLimit);
        if (version !== 0) versions.add(version);
        if (at % NODES_PER_STEP === NODES_PER_STEP - 1) yield;
      }
    }
    return Uint32Array.from(versions);
  }

  /** By the most selective index that a filter can use; undefined if there is none. */
  *#fewestVersions(filter: Filter): Steps<ReadonlySet<number> | undefined> {
    const { delta, nodeLimit } = this.#view;
    let fewest: ReadonlySet<number> | undefined;
    for (const { field, test } of conjuncts(filter)) {
      if (test.equals === undefined || field === '_id') continue;
      const found = yield* delta.values.find(field, test.equals, nodeLimit);
      if (found === undefined || (fewest !== undefined && found.size >= fewest.size)) continue;
      fewest = found;
      if (fewest.size <= FEW_VERSIONS) return fewest;
    }
    return fewest;
  }

  /** The nodes of the base that a selection without a filter selects, if they are consecutive. */
  #wholeRun(selection: Selection): NodeRange | undefined {
    const named = this.segmentsNamed(selection.names);
    const taken = named.filter((segment) => estimateRows(segment, selection) > 0);
    const [first] = taken;
    if (first === undefined) return { start: 0, end: 0 };
    let end = first.start;
    for (const segment of taken) {
      if (segment.start !== end || !takesWhole(segment, selection)) return undefined;
      end = segment.end;
    }
    return { start: first.start, end };
  }

  /** Matches the base's rows, ignoring later versions. */
  #baseTest(selection: Selection): NodeTest {
    const { base } = this.#view;
    const tests: (NodeTest | undefined)[] = [];
    return (node) => {
      const number = base.segmentAt(node);
      const segment = base.segments[number]!;
      const test = (tests[number] ??= rowTest(segment, selection));
      return test(node - segment.start);
    };
  }

  /**
   * Matches versions in the delta. A version that differs only in its stamp is tested on its row if the
   * result is the same.
   */
  #versionTest(selection: Selection): NodeTest {
    const { names, filter } = selection;
    const { content, item, isDeleted } = this.#view.delta.nodes;
    const inBase = this.#baseTest(selection);
    const usesRow = filter === undefined || !readsStamp(filter);
    const valueOf = (version: number, field: string): FieldValue => this.#view.versionField(version, field);
    return (version) => {
      if (!this.#includesDeleted && isDeleted.data[version] === 1) return false;
      if (usesRow && content.data[version] === 0) return inBase(item.data[version]!);
      const hasName = names === '*' || isNamed(names, versionNames(this.#view, version));
      return hasName && (filter === undefined || passes(filter, version, valueOf));
    };
  }

  *#countBase(selection: Selection): Steps<number> {
    let count = 0;
    for (const segment of this.segmentsNamed(selection.names))
      count += (selectRowsAtOnce(segment, selection) ?? (yield* selectRows(segment, selection))).count;
    return count;
  }

  *#selectBase(selection: Selection, isDeleted: boolean): Steps<Uint32Array> {
    const found: FoundRows[] = [];
    let length = 0;
    for (const segment of this.#view.base.segmentsNamed(selection.names)) {
      if (segment.isDeleted !== isDeleted) continue;
      const isWhole = takesWhole(segment, selection);
      const some = isWhole ? undefined : selectRowsAtOnce(segment, selection);
      const rows = isWhole ? undefined : (some ?? (yield* selectRows(segment, selection))).list();
      const count = rows?.length ?? segment.size;
      if (count > 0) found.push({ start: segment.start, rows, count });
      length += count;
    }
    const nodes = new Uint32Array(length);
    let at = 0;
    for (const rows of found) {
      for (let from = 0; from < rows.count; from += ROWS_PER_STEP) {
        const to = Math.min(rows.count, from + ROWS_PER_STEP);
        putNodes(nodes.subarray(at + from), rows, from, to);
        if (to < rows.count) yield;
      }
      at += rows.count;
    }
    return nodes;
  }
}

/** The tests of which each must pass. */
function conjuncts(filter: Filter): readonly Extract<Filter, { kind: 'test' }>[] {
  const items = filter.kind === 'and' ? filter.items : [filter];
  return items.filter((item) => item.kind === 'test');
}

/** Rows of a segment whose first node is `start`; undefined: all of them. */
interface FoundRows {
  readonly start: number;
  readonly rows: Uint32Array | undefined;
  readonly count: number;
}

/** The nodes of the rows at positions `[from, to)`. */
function putNodes(into: Uint32Array, { start, rows }: FoundRows, from: number, to: number): void {
  if (rows === undefined) for (let at = from; at < to; at++) into[at - from] = start + at;
  else for (let at = from; at < to; at++) into[at - from] = start + rows[at]!;
}

/** A copy of the ascending nodes without the removed ones. */
function* without(nodes: Uint32Array, gone: ReadonlySet<number>): Steps<Uint32Array> {
  const removed = yield* sortedInSteps(Uint32Array.from(gone), (a, b) => a - b);
  const left = new Uint32Array(nodes.length);
  let length = 0;
  let from = 0;
  for (let at = 0; at < removed.length; at++) {
    const to = lowerBound(nodes, removed[at]!, from);
    left.set(nodes.subarray(from, to), length);
    length += to - from;
    from = nodes[to] === removed[at] ? to + 1 : to;
    if (at % NODES_PER_STEP === NODES_PER_STEP - 1) yield;
  }
  left.set(nodes.subarray(from), length);
  length += nodes.length - from;
  return left.subarray(0, length);
}

function joined(nodes: Uint32Array, more: Uint32List): Uint32Array {
  const all = new Uint32Array(nodes.length + more.length);
  all.set(nodes);
  all.set(more.data.subarray(0, more.length), nodes.length);
  return all;
}
