/**
 * The requests that wait for a place: first come, first served. A linked list, as clients hang up anywhere in
 * the line; a Set, which would do in fewer words, looks at all that have left from its head before each next.
 */
import type { ClientShares } from './client-shares.ts';
import type { Lease, Refusal } from './lease.ts';
import type { Target } from './target/target.ts';

/** What is waited for. */
export interface WantedPlace {
  /** What the balancer goes by. */
  readonly key: string;
  readonly tried: readonly Target[];
  /** The address of whose request it is. */
  readonly client: string;
}

/** Who waits for a place. Called once, unless it has left the line. */
export interface Waiter {
  placed(place: Lease | Refusal): void;
}

/** A request that waits for a place: it has to be told when nobody wants the place any more. */
export class WaitingPlace {
  readonly kind = 'waiting';
  readonly wanted: WantedPlace;
  readonly waiter: Waiter;
  before: WaitingPlace | undefined;
  behind: WaitingPlace | undefined;
  #line: WaitingLine | undefined;

  constructor(line: WaitingLine, wanted: WantedPlace, waiter: Waiter) {
    this.#line = line;
    this.wanted = wanted;
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
  readonly #shares: ClientShares;
  #length = 0;
  #first: WaitingPlace | undefined;
  #last: WaitingPlace | undefined;

  constructor(shares: ClientShares) {
    this.#shares = shares;
  }

  get length(): number {
    return this.#length;
  }

  join(wanted: WantedPlace, waiter: Waiter): WaitingPlace {
    const place = new WaitingPlace(this, wanted, waiter);
    this.#shares.take(wanted.client);
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
    this.#shares.giveBack(place.wanted.client);
  }
}
