/**
 * The differences between a snapshot and its base: the newest version of each changed node within the
 * snapshot. Scanned by every read that uses posting lists of the base. *Hot path*.
 */
import type { Filter, Selection } from '#graph/model';
import type { Steps } from '#platform/foundation';
import { Uint32List } from '../array/number-list.ts';
import type { View } from '../delta/view.ts';
import { STAMP_FIELDS } from '../stamp/stamp-table.ts';
import type { ChangedVersions } from './changed-versions.ts';
import { NamedVersions } from './named-versions.ts';
import { fieldsOf } from './filter-values.ts';
import { ValueChanges } from './value-changes.ts';

/** Combinations of fields whose changes are kept, those that were asked for last. */
const KEPT_MAX = 16;

export class Overlay {
  /** Versions whose content or deletion differs from the base. */
  readonly changed: Uint32Array;
  /** Changed versions, and those with only another stamp or other owners. */
  readonly all: Uint32Array;
  readonly #view: View;
  readonly #includesDeleted: boolean;
  readonly #isInBase: (node: number) => boolean;
  /** By fields. */
  readonly #changes = new Map<string, ValueChanges | 'asked' | 'too many'>();
  #isKnown = false;
  #named: NamedVersions | undefined;

  /** `isInBase` tells whether the base's row of a node belongs to the snapshot. */
  constructor(view: View, includesDeleted: boolean, isInBase: (node: number) => boolean) {
    this.#view = view;
    this.#includesDeleted = includesDeleted;
    this.#isInBase = isInBase;
    const changed = new Uint32List();
    const all = new Uint32List();
    const { nodes } = view.delta;
    for (let version = 1; version <= view.nodeLimit; version++) {
      if (!nodes.isVisible(version, view.nodeLimit)) continue;
      all.push(version);
      if (this.#differs(version)) changed.push(version);
    }
    this.changed = changed.data.subarray(0, changed.length);
    this.all = all.data.subarray(0, all.length);
  }

  /** The versions that may give another result than their nodes' rows in the base. */
  relevant({ names, filter }: Selection, fields: readonly string[] = []): Uint32Array {
    if (usesStamp(filter, fields)) return this.all;
    if (this.#named === undefined) return this.changed;
    if (filter === undefined && fields.length === 0) return this.#named.moved(names);
    return names === '*' ? this.changed : this.#named.changed(names);
  }

  /** Prepares {@link relevant} to look at names, at the second look. */
  *prepare(): Steps<void> {
    if (!this.#isKnown) this.#isKnown = true;
    else this.#named ??= yield* NamedVersions.of(this.#view, this.#versions());
  }

  /**
   * What the versions change in counts by the fields of a filter and `fields`, from the second look on.
   * Undefined where looking at versions costs less memory.
   */
  *changes({ filter }: Selection, fields: readonly string[] = []): Steps<ValueChanges | undefined> {
    if (usesStamp(filter, fields)) return undefined;
    const read = [...new Set([...fieldsOf(filter), ...fields])].sort();
    const key = read.join('\0');
    let known = this.#changes.get(key);
    if (known === 'asked') known = (yield* ValueChanges.of(this.#view, this.#versions(), read)) ?? 'too many';
    this.#changes.delete(key);
    this.#changes.set(key, known ?? 'asked');
    const [oldest] = this.#changes.keys();
    if (this.#changes.size > KEPT_MAX && oldest !== undefined) this.#changes.delete(oldest);
    return known instanceof ValueChanges ? known : undefined;
  }

  isShown(version: number): boolean {
    return this.#includesDeleted || this.#view.delta.nodes.isDeleted.data[version] === 0;
  }

  #versions(): ChangedVersions {
    return {
      versions: this.changed,
      isInBase: this.#isInBase,
      isShown: (version) => this.isShown(version),
    };
  }

  #differs(version: number): boolean {
    const { nodes } = this.#view.delta;
    if (nodes.content.data[version] !== 0) return true;
    return (nodes.isDeleted.data[version] === 1) !== nodes.item.data[version]! >= this.#view.base.liveNodes;
  }
}

function usesStamp(filter: Filter | undefined, fields: readonly string[]): boolean {
  return fields.some((field) => STAMP_FIELDS.has(field)) || (filter !== undefined && readsStamp(filter));
}

export function readsStamp(filter: Filter): boolean {
  switch (filter.kind) {
    case 'test':
      return STAMP_FIELDS.has(filter.field);
    case 'not':
      return readsStamp(filter.item);
    default:
      return filter.items.some(readsStamp);
  }
}
