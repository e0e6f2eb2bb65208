/**
 * Deleted records are visible during the retention. Later the next seal removes them from the base, and until
 * then they are hidden.
 */
import type { Filter, Selection } from '#graph/model';
import type { View } from '../delta/view.ts';

export class LinkRetention {
  readonly #view: View;
  readonly #sinceMs: number;
  readonly #isKept: Filter;

  /** Records deleted before `sinceMs` are beyond the retention. */
  constructor(view: View, sinceMs: number) {
    this.#view = view;
    this.#sinceMs = sinceMs;
    const matches = (value: unknown): boolean => typeof value !== 'string' || Date.parse(value) >= sinceMs;
    this.#isKept = { kind: 'test', field: '_deleted_at', test: { matches } };
  }

  /** The selected records that are within the retention. */
  narrowed({ names, filter }: Selection): Selection {
    const isKept = this.#isKept;
    return { names, filter: filter === undefined ? isKept : { kind: 'and', items: [filter, isKept] } };
  }

  isNodeExpired(node: number): boolean {
    return this.#view.isNodeDeleted(node) && this.#isPast(this.#view.nodeStamp(node).deletedAtMs);
  }

  isLinkExpired(link: number): boolean {
    return this.#view.isLinkDeleted(link) && this.#isPast(this.#view.linkStamp(link).deletedAtMs);
  }

  #isPast(deletedAtMs: number | null): boolean {
    return deletedAtMs !== null && deletedAtMs < this.#sinceMs;
  }
}
