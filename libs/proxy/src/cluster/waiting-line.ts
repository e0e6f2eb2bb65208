/**
 * The requests that wait for a place: first come, first served. A linked list, as clients hang up anywhere in
 * the line; a Set, which would do in fewer words, looks at all that have left from its head before each next.
 */
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
  before: WaitingPlace | undefined;
  behind: WaitingPlace | undefined;
  #line: WaitingLine | undefined;

  constructor(line: WaitingLine, key: string, tried: readonly Target[], waiter: Waiter) {
    this.#line = line;
    this.key = key;
    this.tried = tried;
    this.waiter = waiter;
  }

  /** Gives false when it has left or has been called already. */
  leave(): boolean {
    const line = this.#line;
    this.#line = undefined;
    line?.remove(this);
    return line !== undefined;
  }
}

export class WaitingLine {
  #length = 0;
  #first: WaitingPlace | undefined;
  #last: WaitingPlace | undefined;

  get length(): number {
    return this.#length;
  }

  join(key: string, tried: readonly Target[], waiter: Waiter): WaitingPlace {
    const place = new WaitingPlace(this, key, tried, waiter);
    place.before = this.#last;
    if (this.#last === undefined) this.#first = place;
    else this.#last.behind = place;
    this.#last = place;
    this.#length += 1;
    return place;
  }

  /** Takes the first out of the line. */
  next(): WaitingPlace | undefined {
    const first = this.#first;
    first?.leave();
    return first;
  }

  /** Called by {@link WaitingPlace.leave} only. */
  remove(place: WaitingPlace): void {
    const { before, behind } = place;
    if (before === undefined) this.#first = behind;
    else before.behind = behind;
    if (behind === undefined) this.#last = before;
    else behind.before = before;
    place.before = undefined;
    place.behind = undefined;
    this.#length -= 1;
  }
}
