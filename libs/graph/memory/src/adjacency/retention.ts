/**
 * Deleted records are visible during the retention. Later the next seal removes them from the base, and until
 * then they are hidden.
 */
import type { Filter, Selection } from '#graph/model';
import type { VersionLog } from '../delta/version-log.ts';
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

  /** The deleted nodes that are hidden. */
  expiredNodes(): readonly number[] {
    const { base, delta, nodeLimit } = this.#view;
    return expiredOf(
      { log: delta.nodes, limit: nodeLimit, live: base.liveNodes, all: base.nodeCount },
      (node) => this.isNodeExpired(node),
    );
  }

  expiredLinks(): readonly number[] {
    const { base, delta, linkLimit } = this.#view;
    return expiredOf(
      { log: delta.links, limit: linkLimit, live: base.liveLinks, all: base.linkCount },
      (link) => this.isLinkExpired(link),
    );
  }

  isLinkExpired(link: number): boolean {
    return this.#view.isLinkDeleted(link) && this.#isPast(this.#view.linkStamp(link).deletedAtMs);
  }

  #isPast(deletedAtMs: number | null): boolean {
    return deletedAtMs !== null && deletedAtMs < this.#sinceMs;
  }
}

interface Items {
  readonly log: VersionLog;
  /** Number of visible versions. */
  readonly limit: number;
  /** Number of live items, which precede deleted ones in the base. */
  readonly live: number;
  readonly all: number;
}

function expiredOf(
  { log, limit, live, all }: Items,
  isExpired: (item: number) => boolean,
): readonly number[] {
  const found: number[] = [];
  for (let item = live; item < all; item++) if (isExpired(item)) found.push(item);
  for (let version = 1; version <= Math.min(limit, log.count); version++) {
    const item = log.item.data[version] ?? 0;
    const isElsewhere = item >= live && item < all;
    if (!isElsewhere && log.isVisible(version, limit) && isExpired(item)) found.push(item);
  }
  return found;
}
