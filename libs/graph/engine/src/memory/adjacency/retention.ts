/**
 * Deleted records are shown for as long as they are kept. Those that are kept no more are gone from the base
 * with the next seal, and hidden until then.
 */
import type { Filter, Selection } from '#graph/model';
import type { View } from '../delta/view.ts';

export class LinkRetention {
  readonly #view: View;
  readonly #sinceMs: number;
  readonly #isKept: Filter;

  /** Records deleted before `sinceMs` are kept no more. */
  constructor(view: View, sinceMs: number) {
    this.#view = view;
    this.#sinceMs = sinceMs;
    const matches = (value: unknown): boolean => typeof value !== 'string' || Date.parse(value) >= sinceMs;
    this.#isKept = { kind: 'test', field: '_deleted_at', test: { matches } };
  }

  /** Of those it selects, the ones that are kept. */
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
