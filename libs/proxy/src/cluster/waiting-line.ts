import type { Lease } from './lease.ts';
import type { Refusal } from './refusal.ts';
import type { Target } from './target.ts';

/** Who waits for a place. Called once, unless it has left the line. */
export interface Waiter {
  placed(place: Lease | Refusal): void;
}

/** A request that waits for a place: it has to be told when nobody wants the place any more. */
export class WaitingPlace {
  readonly kind = 'waiting';
  readonly key: string;
  readonly tried: readonly Target[];
  readonly waiter: Waiter;
  readonly #line: WaitingLine;

  constructor(line: WaitingLine, key: string, tried: readonly Target[], waiter: Waiter) {
    this.#line = line;
    this.key = key;
    this.tried = tried;
    this.waiter = waiter;
  }

  /** Gives false when it has been called already. */
  leave(): boolean {
    return this.#line.remove(this);
  }
}

/** First come, first served; leaving costs the same wherever one stands. */
export class WaitingLine {
  readonly #places = new Set<WaitingPlace>();

  get length(): number {
    return this.#places.size;
  }

  join(key: string, tried: readonly Target[], waiter: Waiter): WaitingPlace {
    const place = new WaitingPlace(this, key, tried, waiter);
    this.#places.add(place);
    return place;
  }

  next(): WaitingPlace | undefined {
    for (const place of this.#places) {
      this.#places.delete(place);
      return place;
    }
    return undefined;
  }

  remove(place: WaitingPlace): boolean {
    return this.#places.delete(place);
  }
}
