/**
 * Many time-outs of the same length. Hot path: most are cancelled long before they expire.
 *
 * 1. All deadlines of a list have the same length, so they expire in the order of their start: a doubly
 *    linked list in this order needs no sorting.
 * 2. One timer per list is set for the head. It is not cancelled when the head leaves: it fires, finds
 *    nothing due, and is set for the current head.
 * 3. Start, restart and cancellation take a few assignments each.
 */
import { assert } from '#platform/foundation';
import type { Timers } from '../cluster/target/cluster-context.ts';

/** The owner of a deadline. */
export interface Expirable {
  expired(): void;
}

/** A reusable time-out of one owner; it is in at most one list. */
export class Deadline {
  readonly owner: Expirable;
  list: TimeoutList | undefined;
  previous: Deadline | undefined;
  next: Deadline | undefined;
  sinceMs = 0;

  constructor(owner: Expirable) {
    this.owner = owner;
  }

  /** Starts now; in a list of duration 0 it never expires. */
  start(list: TimeoutList): void {
    this.stop();
    list.append(this);
  }

  /** Restarts it, if it runs. */
  touch(): void {
    const { list } = this;
    if (list === undefined) return;
    list.remove(this);
    list.append(this);
  }

  stop(): void {
    this.list?.remove(this);
  }
}

export class TimeoutList {
  /** Time until expiry; 0 for none. */
  readonly durationMs: number;
  readonly #timers: Timers;
  #head: Deadline | undefined;
  #tail: Deadline | undefined;
  #isArmed = false;

  constructor(durationMs: number, timers: Timers) {
    this.durationMs = durationMs;
    this.#timers = timers;
  }

  append(deadline: Deadline): void {
    assert(deadline.list === undefined, 'expected a deadline to be in one list');
    if (this.durationMs === 0) return;
    deadline.list = this;
    deadline.sinceMs = this.#timers.monotonicMs();
    deadline.previous = this.#tail;
    if (this.#tail === undefined) this.#head = deadline;
    else this.#tail.next = deadline;
    this.#tail = deadline;
    if (!this.#isArmed) this.#arm(this.durationMs);
  }

  remove(deadline: Deadline): void {
    const { previous, next } = deadline;
    if (previous === undefined) this.#head = next;
    else previous.next = next;
    if (next === undefined) this.#tail = previous;
    else next.previous = previous;
    deadline.list = undefined;
    deadline.previous = undefined;
    deadline.next = undefined;
  }

  #arm(delayMs: number): void {
    this.#isArmed = true;
    // A timer may be early by a part of a millisecond.
    this.#timers.after(Math.ceil(delayMs), () => this.#wake());
  }

  #wake(): void {
    const dueMs = this.#timers.monotonicMs() - this.durationMs;
    for (let head = this.#head; head !== undefined && head.sinceMs <= dueMs; head = this.#head) {
      this.remove(head);
      head.owner.expired();
    }
    this.#isArmed = false;
    if (this.#head !== undefined) this.#arm(this.#head.sinceMs - dueMs);
  }
}
