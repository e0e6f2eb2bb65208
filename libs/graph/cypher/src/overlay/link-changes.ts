/** The relationships that a transaction has changed, and where the new ones are. */
import { assert } from '#platform/foundation';
import type { LinkChange } from './node-change.ts';

export class LinkChanges {
  readonly #changes = new Map<number, LinkChange>();
  /** New relationships by node, at either end. */
  readonly #newAt = new Map<number, number[]>();
  readonly #newIds = new Set<string>();
  readonly #newFrom: number;
  #next: number;

  constructor(newFrom: number) {
    this.#newFrom = newFrom;
    this.#next = newFrom;
  }

  get size(): number {
    return this.#changes.size;
  }

  get all(): Iterable<readonly [number, LinkChange]> {
    return this.#changes;
  }

  get(link: number): LinkChange | undefined {
    return this.#changes.get(link);
  }

  require(link: number): LinkChange {
    const change = this.#changes.get(link);
    assert(change !== undefined, `there is a change of the relationship ${String(link - this.#newFrom)}`);
    return change;
  }

  hasId(elementId: string): boolean {
    return this.#newIds.has(elementId);
  }

  /** Deleted ones too. */
  newAt(node: number): readonly number[] {
    return this.#newAt.get(node) ?? [];
  }

  /** A change of one that the snapshot has. */
  set(link: number, change: LinkChange): void {
    this.#changes.set(link, change);
  }

  /** The number of a new one. */
  add(change: LinkChange): number {
    const link = this.#next++;
    this.#changes.set(link, change);
    this.#newIds.add(change.elementId);
    for (const end of new Set([change.from, change.to])) {
      const known = this.#newAt.get(end);
      if (known === undefined) this.#newAt.set(end, [link]);
      else known.push(link);
    }
    return link;
  }
}
