/** What a search has found so far. *Hot path*. */
import type { GraphSnapshot, ScopedSnapshot } from '#graph/memory';

export type Snapshot = GraphSnapshot | ScopedSnapshot;

interface Match {
  readonly node: number;
  readonly score: number;
}

/** The matches of one search: all are counted by type, and the best are kept. */
export class Matches {
  readonly #snapshot: Snapshot;
  readonly #limit: number;
  /** The best first. */
  readonly #best: Match[] = [];
  readonly #counts = new Map<string, number>();
  #count = 0;

  /** `limit`: so many are kept. */
  constructor(snapshot: Snapshot, limit: number) {
    this.#snapshot = snapshot;
    this.#limit = limit;
  }

  get count(): number {
    return this.#count;
  }

  /** Nodes in order: by score, then in result order. */
  best(): readonly number[] {
    return this.#best.map(({ node }) => node);
  }

  /** Of each type that has any, the most first. */
  counts(): readonly { readonly type: string; readonly count: number }[] {
    return Array.from(this.#counts, ([type, count]) => ({ type, count })).sort((a, b) => b.count - a.count);
  }

  /** Adds a node, once each. */
  add(node: number, score: number): void {
    this.#count++;
    const type = this.#snapshot.nodeType(node);
    this.#counts.set(type, (this.#counts.get(type) ?? 0) + 1);
    const match = { node, score };
    const last = this.#best.at(-1);
    if (this.#best.length >= this.#limit) {
      if (last === undefined || this.#compare(match, last) > 0) return;
      this.#best.pop();
    }
    this.#best.splice(this.#placeOf(match), 0, match);
  }

  #placeOf(match: Match): number {
    let low = 0;
    for (let high = this.#best.length; low < high;) {
      const middle = (low + high) >>> 1;
      if (this.#compare(this.#best[middle]!, match) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #compare(a: Match, b: Match): number {
    return a.score - b.score || this.#snapshot.compare(a.node, b.node);
  }
}
