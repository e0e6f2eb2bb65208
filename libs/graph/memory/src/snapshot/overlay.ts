/**
 * The differences between a snapshot and its base: the newest version of each changed node within the
 * snapshot. Scanned by every read that uses posting lists of the base. *Hot path*.
 */
import type { Filter, Selection } from '#graph/model';
import { Uint32List } from '../array/number-list.ts';
import type { View } from '../delta/view.ts';
import { STAMP_FIELDS } from '../stamp/stamp-table.ts';

export class Overlay {
  /** Versions whose content or deletion differs from the base. */
  readonly changed: Uint32Array;
  /** Changed versions, and those with only another stamp or other owners. */
  readonly all: Uint32Array;
  readonly #view: View;
  readonly #includesDeleted: boolean;

  constructor(view: View, includesDeleted: boolean) {
    this.#view = view;
    this.#includesDeleted = includesDeleted;
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
  relevant({ filter }: Selection, fields: readonly string[] = []): Uint32Array {
    const usesStamp =
      fields.some((field) => STAMP_FIELDS.has(field)) || (filter !== undefined && readsStamp(filter));
    return usesStamp ? this.all : this.changed;
  }

  isShown(version: number): boolean {
    return this.#includesDeleted || this.#view.delta.nodes.isDeleted.data[version] === 0;
  }

  #differs(version: number): boolean {
    const { nodes } = this.#view.delta;
    if (nodes.content.data[version] !== 0) return true;
    return (nodes.isDeleted.data[version] === 1) !== nodes.item.data[version]! >= this.#view.base.liveNodes;
  }
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
