/**
 * What the changed nodes of a snapshot change in the counts of its base, by the values of some fields: where
 * a node's values are still those of its row, nothing. A count then looks at combinations of values instead
 * of versions. *Hot path* of questions about a graph with many versions: one as of a moment, or one between
 * writes and the next seal.
 */
import type { FieldValue, Filter, Scalar, Selection } from '#graph/model';
import type { Steps } from '#platform/foundation';
import { isNamed, type Named } from '../column/labels-field.ts';
import type { View } from '../delta/view.ts';
import { type ChangedVersions, rowNames, versionNames } from './changed-versions.ts';
import { passes, testedPerStep } from './filter-values.ts';

const VERSIONS_PER_STEP = 16;
const CHANGES_PER_STEP = 64;
/** Most combinations of values that are kept of some fields: some hundred bytes each. */
const CHANGES_MAX = 16_384;
/** Among so few combinations none is looked up by its value. */
const FEW_CHANGES = 8;

/** A combination of values, and how many nodes more (or fewer) have it than rows of the base. */
interface ValueChange extends Named {
  /** In the order of the fields. */
  readonly values: readonly FieldValue[];
  by: number;
}

export class ValueChanges {
  readonly #fields: readonly string[];
  readonly #changes: readonly ValueChange[];
  /** Combinations by one of their values, of the fields that were asked for. */
  readonly #byValue = new Map<string, ReadonlyMap<Scalar, readonly ValueChange[]>>();

  private constructor(fields: readonly string[], changes: readonly ValueChange[]) {
    this.#fields = fields;
    this.#changes = changes;
  }

  /** Undefined if there are too many combinations. */
  static *of(
    view: View,
    { versions, isInBase, isShown }: ChangedVersions,
    fields: readonly string[],
  ): Steps<ValueChanges | undefined> {
    const { item } = view.delta.nodes;
    const sums = new Map<string, ValueChange>();
    const add = (of: Named, values: readonly FieldValue[], by: 1 | -1): void => {
      const key = keyOf(of, values);
      const known = sums.get(key);
      if (known === undefined) sums.set(key, { ...of, values, by });
      else if (known.by + by === 0) sums.delete(key);
      else known.by += by;
    };
    for (let at = 0; at < versions.length; at++) {
      const version = versions[at]!;
      const node = item.data[version]!;
      const was = isInBase(node) ? rowOf(view, node, fields) : undefined;
      const is = isShown(version) ? versionOf(view, version, fields) : undefined;
      if (was === undefined || is === undefined || !areSame(was, is)) {
        if (was !== undefined) add(was.named, was.values, -1);
        if (is !== undefined) add(is.named, is.values, 1);
        if (sums.size > CHANGES_MAX) return undefined;
      }
      if (at % VERSIONS_PER_STEP === VERSIONS_PER_STEP - 1) yield;
    }
    return new ValueChanges(fields, [...sums.values()]);
  }

  /** Whether all counts are those of the base. */
  get isEmpty(): boolean {
    return this.#changes.length === 0;
  }

  /** How many nodes more (or fewer) are selected than rows of the base. */
  *count(selection: Selection): Steps<number> {
    let count = 0;
    yield* this.#each(selection, ({ by }) => (count += by));
    return count;
  }

  /** Calls `take` with the values of `fields` of selected nodes, and how many more (or fewer) they are. */
  *group(
    selection: Selection,
    fields: readonly string[],
    take: (values: readonly FieldValue[], by: number) => void,
  ): Steps<void> {
    const places = fields.map((field) => this.#fields.indexOf(field));
    yield* this.#each(selection, ({ values, by }) => {
      take(
        places.map((place) => values[place]),
        by,
      );
    });
  }

  *#each({ names, filter }: Selection, take: (change: ValueChange) => void): Steps<void> {
    const changes = yield* this.#candidates(filter);
    const perStep = testedPerStep(filter, CHANGES_PER_STEP);
    for (let at = 0; at < changes.length; at++) {
      const change = changes[at]!;
      if (isNamed(names, change) && (filter === undefined || passes(filter, change, this.#valueOf)))
        take(change);
      if (at % perStep === perStep - 1) yield;
    }
  }

  /** Those with one of the values that a part of the filter asks for, if looking at all costs more. */
  *#candidates(filter: Filter | undefined): Steps<readonly ValueChange[]> {
    if (filter === undefined || this.#changes.length <= FEW_CHANGES) return this.#changes;
    const items = filter.kind === 'and' ? filter.items : [filter];
    for (const item of items) {
      if (item.kind !== 'test' || item.test.equals === undefined) continue;
      const index = yield* this.#indexOf(item.field);
      return [...new Set(item.test.equals.flatMap((value) => index.get(value) ?? []))];
    }
    return this.#changes;
  }

  *#indexOf(field: string): Steps<ReadonlyMap<Scalar, readonly ValueChange[]>> {
    const known = this.#byValue.get(field);
    if (known !== undefined) return known;
    const place = this.#fields.indexOf(field);
    const index = new Map<Scalar, ValueChange[]>();
    for (let at = 0; at < this.#changes.length; at++) {
      const change = this.#changes[at]!;
      const value = change.values[place];
      for (const scalar of Array.isArray(value) ? (value as readonly Scalar[]) : [value as Scalar]) {
        const others = index.get(scalar);
        if (others === undefined) index.set(scalar, [change]);
        else others.push(change);
      }
      if (at % CHANGES_PER_STEP === CHANGES_PER_STEP - 1) yield;
    }
    this.#byValue.set(field, index);
    return index;
  }

  readonly #valueOf = ({ values }: ValueChange, field: string): FieldValue =>
    values[this.#fields.indexOf(field)];
}

/** The names of a node in one of its states, and its values of the fields. */
interface NodeValues {
  readonly named: Named;
  readonly values: readonly FieldValue[];
}

function rowOf(view: View, node: number, fields: readonly string[]): NodeValues {
  const segment = view.base.segmentOf(node);
  const values = fields.map((field) => segment.value(node - segment.start, field));
  return { named: rowNames(view, node), values };
}

function versionOf(view: View, version: number, fields: readonly string[]): NodeValues {
  const values = fields.map((field) => view.versionField(version, field));
  return { named: versionNames(view, version), values };
}

/** False for equal lists, too: their keys are compared. */
function areSame(a: NodeValues, b: NodeValues): boolean {
  return (
    a.named.class === b.named.class &&
    a.named.labels === b.named.labels &&
    a.values.every((value, at) => value === b.values[at])
  );
}

/** A missing value and null are different values. */
function keyOf({ type, class: className, labels }: Named, values: readonly FieldValue[]): string {
  const parts = [
    type,
    className,
    labels ?? null,
    ...values.map((value) => (value === undefined ? [] : [value])),
  ];
  return JSON.stringify(parts);
}
