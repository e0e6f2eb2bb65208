/**
 * Sends the planned load.
 *
 * 1. Open model: each planned transaction has an intended time, which depends only on the load curve. If no
 *    account can send it then, it waits, with all after it; a transaction that is late by more than the
 *    permitted lateness is counted as not sent. Latencies start at the intended time, so they include a
 *    stall.
 * 2. Closed model: each user sends as soon as its last transaction is answered and seen in the feed.
 * 3. At the end of the load, waiting transactions are counted as not sent.
 */
import { Fifo, type MicroClock } from '#platform/foundation';
import type { Ledger } from '../ledger/ledger.ts';
import { type EdgePlan, usersOf } from '../plan/edge-plan.ts';
import type { RpcConnectionPool } from '../rpc/rpc-connection-pool.ts';
import { type Intent, OpenTransaction } from '../transaction/open-transaction.ts';
import type { RequestCompleter } from '../transaction/request-completer.ts';
import type { AccountScheduler, AccountShortage } from './account-scheduler.ts';
import type { Arrivals } from './arrivals.ts';
import type { LoadCurve, RateChange } from './load-curve.ts';

export interface LoadDriverOptions {
  readonly plan: EdgePlan;
  readonly curve: LoadCurve;
  /** Undefined in the closed model. */
  readonly arrivals: Arrivals | undefined;
  readonly scheduler: AccountScheduler;
  readonly connections: RpcConnectionPool<OpenTransaction>;
  readonly requests: RequestCompleter;
  readonly ledger: Ledger;
  readonly clock: MicroClock;
}

/** The reason why a transaction was not sent in time. */
export type Shortage = AccountShortage | 'max_inflight' | 'no_connection' | 'stopped';

const US_A_MS = 1_000;
/** Sends between two turns of the event loop. */
const SENDS_A_TURN = 64;
const TICK_MS_MAX = 20;
const SHORTAGE_MS = 100;

export class LoadDriver {
  readonly #options: LoadDriverOptions;
  readonly #curve: LoadCurve;
  readonly #users: number;
  /** The permitted lateness. */
  readonly #lateMs: number;
  /** Closed model: the times since which users are idle. */
  readonly #idle = new Fifo<number>();
  /** Infinite before the start. */
  #startUs = Infinity;
  #planned = 0;
  #unanswered = 0;
  #timer: NodeJS.Timeout | undefined;
  #turn: NodeJS.Immediate | undefined;
  #onEnd: (() => void) | undefined;
  #shortage: { readonly why: Shortage; readonly atMs: number } | undefined;

  constructor(options: LoadDriverOptions) {
    const { plan, curve, arrivals } = options;
    this.#options = options;
    this.#curve = curve;
    this.#users = usersOf(plan);
    this.#lateMs = arrivals === undefined ? Infinity : plan.correlation.timeoutMs;
  }

  /** The number of sent transactions without an answer. */
  get unanswered(): number {
    return this.#unanswered;
  }

  /** True from the start of the load until its end. */
  get isRunning(): boolean {
    return this.#onEnd !== undefined;
  }

  /** The current stage; the first one before the start, the last one after the end. */
  get stage(): number {
    return this.#curve.stageAt(this.#nowMs());
  }

  /** The current rate in transactions per second; 0 in the closed model, and while nothing is sent. */
  get targetRate(): number {
    return this.isRunning ? this.#curve.rateAt(this.#nowMs()) : 0;
  }

  /** Resolves when the load has ended or was stopped. */
  run(startUs: number): Promise<void> {
    this.#startUs = startUs;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#onEnd = () => {
      resolve(undefined);
    };
    for (let user = 0; user < this.#users; user++) this.#idle.push(0);
    this.#tick();
    return promise;
  }

  /**
   * Changes the rate from a time on. Returns the time from which it holds; undefined in the closed model, and
   * after the end of the load.
   */
  changeRate(change: RateChange): number | undefined {
    const { arrivals } = this.#options;
    if (arrivals === undefined || !this.isRunning) return undefined;
    const fromMs = arrivals.change(change);
    return fromMs < this.#curve.durationMs ? fromMs : undefined;
  }

  /** Ends the load at once. */
  stop(): void {
    if (this.#onEnd === undefined) return;
    clearTimeout(this.#timer);
    clearImmediate(this.#turn);
    this.#giveUpWaiting();
    this.#onEnd();
    this.#onEnd = undefined;
  }

  /**
   * Call after an answer, when its account was updated. The next transaction is sent at once on the same
   * connection. Other due transactions follow with or after the next answers, when other connections are
   * free.
   */
  answered(): void {
    this.#unanswered--;
    if (this.isRunning && this.#sendNext()) this.#pumpSoon();
  }

  /** Closed model: the user of a completed transaction may send again. */
  released(): void {
    if (this.#users === 0) return;
    this.#idle.push(this.#nowMs());
    this.pump();
  }

  /** Sends the due transactions. */
  pump(): void {
    if (this.#onEnd === undefined) return;
    for (let sends = 0; sends < SENDS_A_TURN; sends++) if (!this.#sendNext()) return;
    this.#pumpSoon();
  }

  #pumpSoon(): void {
    this.#turn ??= setImmediate(() => {
      this.#turn = undefined;
      this.pump();
    });
  }

  #tick(): void {
    const nowMs = this.#nowMs();
    if (nowMs >= this.#curve.durationMs) {
      while (this.#sendNext());
      this.stop();
      return;
    }
    this.pump();
    const dueMs = this.#dueMs(nowMs) ?? Infinity;
    const pauseMs = Math.min(Math.max(1, dueMs - nowMs), TICK_MS_MAX);
    this.#timer = setTimeout(() => {
      this.#tick();
    }, pauseMs);
  }

  /** False if nothing is due, or no account can send. */
  #sendNext(): boolean {
    const { ledger, clock } = this.#options;
    const nowMs = this.#nowMs();
    const dueMs = this.#dueMs(nowMs);
    if (dueMs === undefined || dueMs > nowMs) return false;
    if (nowMs - dueMs > this.#lateMs) {
      ledger.notSent(this.#nextIntent(), this.#shortageAt(nowMs));
      return true;
    }
    const signed = this.#block() === undefined ? this.#options.scheduler.next() : undefined;
    if (signed === undefined) return false;
    const nowUs = clock.nowUs();
    const request = this.#options.requests.complete(signed, nowUs / US_A_MS);
    const open = new OpenTransaction(this.#nextIntent(), signed, request);
    this.#unanswered++;
    ledger.register(open, nowUs);
    this.#options.connections.send(open);
    return true;
  }

  /** The reason, other than the accounts, why nothing can be sent. */
  #block(): Shortage | undefined {
    if (this.#unanswered >= this.#options.plan.load.maxInflight) return 'max_inflight';
    return this.#options.connections.hasRoom ? undefined : 'no_connection';
  }

  #shortageAt(nowMs: number): Shortage {
    const known = this.#shortage;
    if (known !== undefined && nowMs - known.atMs < SHORTAGE_MS) return known.why;
    const why = this.#block() ?? this.#options.scheduler.shortage;
    this.#shortage = { why, atMs: nowMs };
    return why;
  }

  /** The due time of the next transaction; undefined for users after the end of the load. */
  #dueMs(nowMs: number): number | undefined {
    const { arrivals } = this.#options;
    if (arrivals !== undefined) return arrivals.next?.atMs;
    return nowMs < this.#curve.durationMs ? this.#idle.first : undefined;
  }

  #nextIntent(): Intent {
    const { arrivals } = this.#options;
    const next = arrivals?.next;
    const atMs = next?.atMs ?? this.#idle.shift() ?? 0;
    arrivals?.advance();
    const intendedUs = Math.round(this.#startUs + atMs * US_A_MS);
    return { tx: this.#planned++, stage: next?.stage ?? this.#curve.stageAt(atMs), intendedUs };
  }

  /** Open model only: an idle user has no planned transaction. */
  #giveUpWaiting(): void {
    const { arrivals, ledger } = this.#options;
    const nowMs = this.#nowMs();
    while (arrivals?.next !== undefined && arrivals.next.atMs <= nowMs) {
      ledger.notSent(this.#nextIntent(), this.#shortageAt(nowMs));
    }
  }

  #nowMs(): number {
    return (this.#options.clock.nowUs() - this.#startUs) / US_A_MS;
  }
}
