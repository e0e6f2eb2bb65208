/**
 * The versions of nodes, or of links, since the last seal: append-only, so that a reader's view is a length.
 * *Hot path*.
 *
 * - Versions are numbered from 1; 0 is the base's row (or, for a new item, none).
 * - `born` never decreases, so that the published versions are a prefix.
 * - Each version refers to the previous one of its item; `latest` has the last one. A reader of the first
 *   `limit` versions follows the chain to the first version within the limit.
 * - `content` 0 is the base's content; a deletion or a touch repeats the previous content.
 */
import { Float64List, Uint32List } from '../array/number-list.ts';

export interface NewVersion {
  readonly item: number;
  readonly seq: number;
  readonly content: number;
  readonly stamp: number;
  readonly owners: number;
  readonly isDeleted: boolean;
}

export class VersionLog {
  /** Number of items in the base. */
  readonly boundary: number;
  readonly item = new Uint32List();
  readonly content = new Uint32List();
  readonly stamp = new Uint32List();
  readonly owners = new Uint32List();
  readonly isDeleted = new Uint32List();
  readonly #born = new Float64List();
  readonly #previous = new Uint32List();
  readonly #latestOfBase: Uint32Array;
  readonly #latestOfNew = new Uint32List();

  constructor(boundary: number) {
    this.boundary = boundary;
    this.#latestOfBase = new Uint32Array(boundary);
    this.append({ item: 0, seq: 0, content: 0, stamp: 0, owners: 0, isDeleted: false }, true);
  }

  /** Number of versions. */
  get count(): number {
    return this.item.length - 1;
  }

  /** One past the last item. */
  get bound(): number {
    return this.boundary + this.#latestOfNew.length;
  }

  /** Allocates the number of a new item; its first version must follow. */
  addItem(): number {
    return this.boundary + this.#latestOfNew.push(0);
  }

  append(version: NewVersion, isSentinel = false): number {
    const number = this.item.push(version.item);
    this.content.push(version.content);
    this.stamp.push(version.stamp);
    this.owners.push(version.owners);
    this.isDeleted.push(version.isDeleted ? 1 : 0);
    this.#born.push(Math.max(version.seq, this.#born.data[number - 1] ?? 0));
    this.#previous.push(isSentinel ? 0 : this.latest(version.item));
    if (isSentinel) return number;
    if (version.item < this.boundary) this.#latestOfBase[version.item] = number;
    else this.#latestOfNew.data[version.item - this.boundary] = number;
    return number;
  }

  latest(item: number): number {
    return item < this.boundary ? this.#latestOfBase[item]! : this.#latestOfNew.data[item - this.boundary]!;
  }

  /** The item's version among the first `limit`; 0 for the base's row. */
  visible(item: number, limit: number): number {
    let version = this.latest(item);
    while (version > limit) version = this.#previous.data[version]!;
    return version;
  }

  /** The previous version of the same item; 0 for the base's row. */
  previous(version: number): number {
    return this.#previous.data[version]!;
  }

  isVisible(version: number, limit: number): boolean {
    return this.visible(this.item.data[version]!, limit) === version;
  }

  /** Which items below `bound` are deleted by a version among the first `limit`, as bits. */
  deletedBits(bound: number, limit: number): Uint32Array {
    const bits = new Uint32Array((bound + 31) >>> 5);
    for (let version = 1; version <= limit; version++) {
      const item = this.item.data[version]!;
      if (item >= bound || this.isDeleted.data[version] === 0 || !this.isVisible(version, limit)) continue;
      bits[item >>> 5]! |= 1 << (item & 31);
    }
    return bits;
  }

  born(version: number): number {
    return this.#born.data[version]!;
  }

  /** The number of versions born up to `seq`; the first `from` are known to be. */
  bornUpTo(seq: number, from: number): number {
    let limit = from;
    while (limit < this.count && this.#born.data[limit + 1]! <= seq) limit++;
    return limit;
  }
}
