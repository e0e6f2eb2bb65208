/**
 * Shares the event loop among queries: one of them has a slice of a few milliseconds for each turn of the
 * loop, however many there are, so that requests of other kinds wait for one slice at most.
 *
 * - A bounded number is admitted (those that may run, and those that may wait); the next one is TOO_BUSY.
 * - A query is *short* until it has used {@link TRIAL_MS}: short ones have every other slice, and need no
 *   place.
 * - A longer one needs one of the places, in the order in which they ask, and keeps it to its end. Where it
 *   has to wait, it gives up what it has built, so that the places bound memory.
 * - All together hold a bounded amount of memory. Beyond it the long ones but for the oldest give up what
 *   they have built, in turn, and wait until there is room for it again.
 * - Time spent waiting counts: who waits past the deadline, or has hung up, leaves at the next sweep.
 */
import { type Clock, DomainError, type HangUp } from '#platform/foundation';
import type { ExecutionTurns } from '../execute/query-engine.ts';

/** How long a query may go on in one turn. */
export const SLICE_MS = 5;
/** What a short query uses at most. */
export const TRIAL_MS = 50;
/** What has been given up once will be so many times as large when it is whole. */
const GROWTH = 2;
/** How often those that wait for a place are looked at. */
const SWEEP_MS = 25;

export interface SchedulerLimits {
  readonly runningMax: number;
  readonly waitingMax: number;
  /** Bytes that all queries together may hold while they run. */
  readonly memoryMax: number;
}

export interface QueryAdmission {
  readonly deadlineMs: number;
  readonly signal: HangUp;
}

/** One who waits for a turn. */
type Waiter = () => void;

/** A query that waits for a place. */
interface Parked {
  readonly query: ScheduledQuery;
  readonly resume: Waiter;
  /** About what it will hold. */
  readonly needsBytes: number;
}

export class QueryScheduler {
  readonly #clock: Clock;
  readonly #limits: SchedulerLimits;
  readonly #admitted = new Set<ScheduledQuery>();
  /** Those that have had no turn yet: a lookup needs no more than one. */
  readonly #first: Waiter[] = [];
  readonly #short: Waiter[] = [];
  readonly #long: Waiter[] = [];
  #parked: Parked[] = [];
  /** Those that have a place, the oldest first. */
  readonly #holders = new Set<ScheduledQuery>();
  #heldBytes = 0;
  #isShortNext = true;
  #isArmed = false;
  /** What newcomers have used at once since the loop turned last. */
  #usedAtOnceMs = 0;
  #sweepDueMs = 0;

  constructor(clock: Clock, limits: SchedulerLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  get running(): number {
    return Math.min(this.#admitted.size, this.#limits.runningMax);
  }

  get waiting(): number {
    return this.#admitted.size - this.running;
  }

  /** What running queries hold, about. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Those that wait for a place. */
  get parked(): number {
    return this.#parked.length;
  }

  /** Throws TOO_BUSY when as many as may are admitted. {@link ScheduledQuery.leave} must follow. */
  admit(admission: QueryAdmission): ScheduledQuery {
    const limit = this.#limits.runningMax + this.#limits.waitingMax;
    if (this.#admitted.size >= limit) this.sweep();
    if (this.#admitted.size >= limit) {
      throw new DomainError(
        'TOO_BUSY',
        `expected at most ${String(limit)} queries at a time: try again soon`,
      );
    }
    const query = new ScheduledQuery(this, this.#clock, admission);
    this.#admitted.add(query);
    return query;
  }

  /** A share for work that is no query: it has its turns among the long ones. */
  turn(): Promise<void> {
    return this.#wait(this.#long);
  }

  /** Whether a newcomer may begin before the loop turns. */
  mayBegin(): boolean {
    return this.#usedAtOnceMs < SLICE_MS;
  }

  /** The first turn of a newcomer: before those that have had one. */
  firstTurn(): Promise<void> {
    return this.#wait(this.#first);
  }

  shortTurn(): Promise<void> {
    return this.#wait(this.#short);
  }

  /** Resolves when it is the turn of a long query with a place; `setAside` is called when it must wait. */
  longTurn(query: ScheduledQuery, setAside: () => void): Promise<void> {
    const hasPlace = this.#holders.has(query) || this.#takePlace(query);
    if (hasPlace && !this.#mustGiveWay(query)) return this.#wait(this.#long);
    this.#holders.delete(query);
    const needsBytes = query.heldBytes * GROWTH;
    setAside();
    this.holds(query, 0);
    return new Promise((resume) => this.#parked.push({ query, resume, needsBytes }));
  }

  /** What a query holds from now on. */
  holds(query: ScheduledQuery, bytes: number): void {
    this.#heldBytes += bytes - query.heldBytes;
    query.heldBytes = bytes;
  }

  usedAtOnce(ms: number): void {
    if (this.#usedAtOnceMs === 0) setImmediate(() => (this.#usedAtOnceMs = 0));
    this.#usedAtOnceMs += ms;
  }

  leave(query: ScheduledQuery): void {
    this.holds(query, 0);
    this.#holders.delete(query);
    if (this.#admitted.delete(query)) this.#fillPlaces();
  }

  /** Lets those go who wait in vain. */
  sweep(): void {
    const nowMs = this.#clock.monotonicMs();
    const gone = this.#parked.filter(({ query }) => query.isInVain(nowMs));
    if (gone.length > 0) this.#parked = this.#parked.filter(({ query }) => !query.isInVain(nowMs));
    for (const { query, resume } of gone) {
      this.#admitted.delete(query);
      resume();
    }
    this.#sweepDueMs = nowMs + SWEEP_MS;
  }

  #takePlace(query: ScheduledQuery): boolean {
    if (this.#holders.size >= this.#limits.runningMax) return false;
    this.#holders.add(query);
    return true;
  }

  /** The oldest goes on, so that one after another comes to its end. */
  #mustGiveWay(query: ScheduledQuery): boolean {
    const [oldest] = this.#holders;
    return this.#heldBytes > this.#limits.memoryMax && query !== oldest;
  }

  #fillPlaces(): void {
    for (const { query, resume, needsBytes } of [...this.#parked]) {
      const isRoom = this.#heldBytes + needsBytes <= this.#limits.memoryMax || this.#holders.size === 0;
      if (!isRoom || !this.#takePlace(query)) return;
      this.holds(query, needsBytes);
      this.#parked.shift();
      this.#long.push(resume);
      this.#arm();
    }
  }

  #wait(list: Waiter[]): Promise<void> {
    this.#arm();
    return new Promise((resolve) => list.push(resolve));
  }

  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    setImmediate(() => this.#giveTurn());
  }

  /**
   * One waiter goes on when this returns, before the loop turns again. While queries wait for a place, those
   * that have one come here again and again.
   */
  #giveTurn(): void {
    this.#isArmed = false;
    if (this.#parked.length > 0 && this.#clock.monotonicMs() >= this.#sweepDueMs) this.sweep();
    const short = this.#first.length > 0 ? this.#first : this.#short;
    const [first, second] = this.#isShortNext ? [short, this.#long] : [this.#long, short];
    this.#isShortNext = !this.#isShortNext;
    const next = first.shift() ?? second.shift();
    if (this.#first.length + this.#short.length + this.#long.length > 0) this.#arm();
    next?.();
  }
}

/** An admitted query: what the engine asks for its turns. */
export class ScheduledQuery implements ExecutionTurns {
  heldBytes = 0;
  readonly #scheduler: QueryScheduler;
  readonly #clock: Clock;
  readonly #admission: QueryAdmission;
  #usedMs = 0;
  #sliceStartMs = 0;
  #isAtOnce = false;

  constructor(scheduler: QueryScheduler, clock: Clock, admission: QueryAdmission) {
    this.#scheduler = scheduler;
    this.#clock = clock;
    this.#admission = admission;
  }

  isInVain(nowMs: number): boolean {
    return this.#admission.signal.aborted || nowMs > this.#admission.deadlineMs;
  }

  /** The first turn; undefined when it has begun: the caller goes on then, without awaiting anything. */
  begin(): Promise<void> | undefined {
    this.#isAtOnce = this.#scheduler.mayBegin();
    if (!this.#isAtOnce) return this.#granted(this.#scheduler.firstTurn());
    this.#sliceStartMs = this.#clock.monotonicMs();
    return undefined;
  }

  next(setAside: () => void, heldBytes: number): Promise<void> {
    this.#endSlice();
    this.#scheduler.holds(this, heldBytes);
    if (this.#usedMs < TRIAL_MS) return this.#granted(this.#scheduler.shortTurn());
    return this.#granted(this.#scheduler.longTurn(this, setAside));
  }

  leave(): void {
    this.#endSlice();
    this.#scheduler.leave(this);
  }

  #endSlice(): void {
    const ms = this.#clock.monotonicMs() - this.#sliceStartMs;
    this.#usedMs += ms;
    if (this.#isAtOnce) this.#scheduler.usedAtOnce(ms);
    this.#isAtOnce = false;
  }

  async #granted(turn: Promise<void>): Promise<void> {
    await turn;
    this.#sliceStartMs = this.#clock.monotonicMs();
  }
}
