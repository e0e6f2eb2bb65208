/**
 * Shares the event loop among queries: one query runs for a slice of a few milliseconds in each iteration of
 * the loop, regardless of their number, so that other requests wait for one slice at most.
 *
 * - A bounded number is admitted (running and waiting); the next query is rejected with TOO_BUSY.
 * - A query is *short* until it has used {@link TRIAL_MS}: short queries get every other slice, and need no
 *   place.
 * - A longer query needs one of the places, assigned in order of request, and keeps it to its end. If it must
 *   wait, it discards its intermediate state, so that the places bound memory.
 * - The total memory is bounded. Above the limit, all long queries but the oldest discard their intermediate
 *   state, one after another, and wait until there is room for it again.
 * - Waiting counts towards the deadline: queries past it, or with a disconnected client, leave at the next
 *   sweep.
 */
import { type Clock, DomainError, type HangUp } from '#platform/foundation';
import { type ExecutionSettings, memoryMaxOf } from './execution-settings.ts';

/** Schedules the slices of a query. */
export interface ExecutionTurns {
  /**
   * Resolves when the next slice may begin. Calls `setAside` first if the intermediate state, of about
   * `heldBytes`, must be discarded.
   */
  next(setAside: () => void, heldBytes: number): Promise<void>;
}

/** Maximum duration of a slice. */
export const SLICE_MS = 5;
/** Maximum time used by a short query. */
export const TRIAL_MS = 50;
/** Expected size of discarded state when complete, as a multiple of its size when discarded. */
const GROWTH = 2;
/** Resting queries may keep this fraction of the memory, beside the running ones. */
const RESTING_SHARE = 1 / 2;
/** Interval of the sweep over queries that wait for a place. */
const SWEEP_MS = 25;

export interface SchedulerLimits {
  readonly runningMax: number;
  readonly waitingMax: number;
  /** Memory limit of all running queries, in bytes. */
  readonly memoryMax: number;
}

export interface QueryAdmission {
  readonly deadlineMs: number;
  readonly signal: HangUp;
}

/** A waiter for a slice. */
type Waiter = () => void;

/** A query that waits for a place. */
interface Parked {
  readonly query: ScheduledQuery;
  readonly resume: Waiter;
  /** Approximate memory it will need. */
  readonly needsBytes: number;
}

/** A scheduler with the limits of the settings. */
export function createScheduler(settings: ExecutionSettings, clock: Clock): QueryScheduler {
  const { queriesMax: runningMax, queryQueue: waitingMax } = settings;
  return new QueryScheduler(clock, { runningMax, waitingMax, memoryMax: memoryMaxOf(settings) });
}

export class QueryScheduler {
  readonly #clock: Clock;
  readonly #limits: SchedulerLimits;
  readonly #admitted = new Set<ScheduledQuery>();
  /** Queries before their first slice: a lookup needs only one. */
  readonly #first: Waiter[] = [];
  readonly #short: Waiter[] = [];
  readonly #long: Waiter[] = [];
  #parked: Parked[] = [];
  /** Queries with a place, the oldest first. */
  readonly #holders = new Set<ScheduledQuery>();
  #heldBytes = 0;
  #restingBytes = 0;
  #isShortNext = true;
  #isArmed = false;
  /** Time used by immediately started queries in this iteration of the loop. */
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

  /** Approximate memory of running queries. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Queries that wait for a place. */
  get parked(): number {
    return this.#parked.length;
  }

  /** Throws TOO_BUSY above the limit of admitted queries. {@link ScheduledQuery.leave} must follow. */
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

  /** A share for work other than a query: it is scheduled among the long queries. */
  turn(): Promise<void> {
    return this.#wait(this.#long);
  }

  /** Whether a new query may start in this iteration of the loop. */
  mayBegin(): boolean {
    return this.#usedAtOnceMs < SLICE_MS;
  }

  /** The first slice of a new query, before further slices of others. */
  firstTurn(): Promise<void> {
    return this.#wait(this.#first);
  }

  shortTurn(): Promise<void> {
    return this.#wait(this.#short);
  }

  /** Resolves at the next slice of a long query with a place; calls `setAside` if it must wait. */
  longTurn(query: ScheduledQuery, setAside: () => void): Promise<void> {
    const hasPlace = this.#holders.has(query) || this.#takePlace(query);
    if (hasPlace && !this.#mustGiveWay(query)) return this.#wait(this.#long);
    this.#holders.delete(query);
    const needsBytes = query.heldBytes * GROWTH;
    setAside();
    this.holds(query, 0);
    return new Promise((resume) => this.#parked.push({ query, resume, needsBytes }));
  }

  /** Sets the memory held by a query. */
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

  /**
   * A query whose client reads what it has so far: it has no place, and does not count. Returns whether it
   * may keep its state of so many bytes for that time.
   */
  rest(query: ScheduledQuery, heldBytes: number): boolean {
    this.leave(query);
    if (this.#restingBytes + heldBytes > this.#limits.memoryMax * RESTING_SHARE) return false;
    this.#restingBytes += heldBytes;
    query.restingBytes = heldBytes;
    return true;
  }

  /** Ends the rest. Beyond the limit of admitted queries too: it was admitted when it began. */
  resume(query: ScheduledQuery): void {
    this.endRest(query);
    this.#admitted.add(query);
  }

  endRest(query: ScheduledQuery): void {
    this.#restingBytes -= query.restingBytes;
    query.restingBytes = 0;
  }

  /** Wakes waiters that are past their deadline or aborted. */
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

  /** The oldest continues, so that the queries complete one after another. */
  #mustGiveWay(query: ScheduledQuery): boolean {
    const [oldest] = this.#holders;
    return this.#heldBytes > this.#limits.memoryMax && query !== oldest;
  }

  #fillPlaces(): void {
    if (this.#parked.length === 0) return;
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
   * Resumes one waiter after returning, before the next iteration of the loop. While queries wait for a
   * place, those with a place are queued here again and again.
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

/** An admitted query, which the engine uses to wait for slices. */
export class ScheduledQuery implements ExecutionTurns {
  heldBytes = 0;
  restingBytes = 0;
  readonly #scheduler: QueryScheduler;
  readonly #clock: Clock;
  readonly #admission: QueryAdmission;
  #usedMs = 0;
  /** Undefined outside slices. */
  #sliceStartMs: number | undefined;
  #isAtOnce = false;

  constructor(scheduler: QueryScheduler, clock: Clock, admission: QueryAdmission) {
    this.#scheduler = scheduler;
    this.#clock = clock;
    this.#admission = admission;
  }

  isInVain(nowMs: number): boolean {
    return this.#admission.signal.aborted || nowMs > this.#admission.deadlineMs;
  }

  /** The first slice; undefined if it may start at once, without awaiting. */
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
    this.#scheduler.endRest(this);
    this.#scheduler.leave(this);
  }

  /** Until {@link resume} or {@link leave}. Calls `setAside` if the state must be discarded meanwhile. */
  rest(setAside: () => void, heldBytes: number): void {
    this.#endSlice();
    if (!this.#scheduler.rest(this, heldBytes)) setAside();
  }

  /**
   * Resolves at the next slice, like {@link next}: the time used before counts. One that has used none
   * begins, like {@link begin}.
   */
  resume(setAside: () => void, heldBytes: number): Promise<void> | undefined {
    this.#scheduler.resume(this);
    return this.#usedMs === 0 ? this.begin() : this.next(setAside, heldBytes);
  }

  #endSlice(): void {
    if (this.#sliceStartMs === undefined) return;
    const ms = this.#clock.monotonicMs() - this.#sliceStartMs;
    this.#sliceStartMs = undefined;
    this.#usedMs += ms;
    if (this.#isAtOnce) this.#scheduler.usedAtOnce(ms);
    this.#isAtOnce = false;
  }

  async #granted(turn: Promise<void>): Promise<void> {
    await turn;
    this.#sliceStartMs = this.#clock.monotonicMs();
  }
}
