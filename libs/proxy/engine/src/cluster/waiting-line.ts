/**
 * Requests that wait for a place: first come, first served. A linked list, because clients disconnect
 * anywhere in the line; a Set would need less code, but its iteration passes all entries removed at its head
 * each time.
 */
import type { ClientShares } from './client-shares.ts';
import type { Lease, Refusal } from './lease.ts';

/** A requested place. */
export interface WantedPlace {
  /** The balancer's key. */
  readonly key: string;
  /** The address of the requesting client. */
  readonly client: string;
}

/** Called once with the place or a refusal, unless the request has left the line. */
export interface Waiter {
  placed(place: Lease | Refusal): void;
}

/** A request that waits for a place. Call `leave` when the place is no longer needed. */
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

  /** Returns false when it has left or was called already. */
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

  /** Removes and returns the first request. */
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
