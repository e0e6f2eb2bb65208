import type { HeldLease, SharedLog } from '#graph/storage';

const LEASE_MS = 10_000;
const RENEW_MS = 2_000;

/** Leases: at most one of the processes that share a store holds each. A single process holds all. */
export class Leases {
  readonly #shared: SharedLog | undefined;
  readonly #kept = new Map<string, KeptLease>();

  constructor(shared: SharedLog | undefined) {
    this.#shared = shared;
  }

  /** Returns false while another process holds it. It is renewed until it is released. */
  async hold(name: string): Promise<boolean> {
    const lease = this.#keep(name);
    if (lease === undefined || (await lease.asked)) return true;
    this.#kept.delete(name);
    await lease.end();
    return false;
  }

  /** Requests it repeatedly until it is released; calls back whenever it is acquired. */
  seek(name: string, onHeld: () => void): void {
    this.#keep(name, onHeld);
  }

  isHeld(name: string): boolean {
    return this.#shared === undefined || this.#kept.get(name)?.isHeld === true;
  }

  /** Those of all processes; undefined if that is unknown, or the store is not shared. */
  async held(): Promise<readonly HeldLease[] | undefined> {
    return this.#shared?.leases();
  }

  /** Makes it available to other processes at once. */
  async release(name: string): Promise<void> {
    const lease = this.#kept.get(name);
    this.#kept.delete(name);
    await lease?.end();
  }

  async close(): Promise<void> {
    for (const name of this.#kept.keys()) await this.release(name);
  }

  #keep(name: string, onHeld?: () => void): KeptLease | undefined {
    if (this.#shared === undefined) return undefined;
    const lease = this.#kept.get(name) ?? new KeptLease(this.#shared, name, onHeld);
    this.#kept.set(name, lease);
    lease.ask();
    return lease;
  }
}

/** A lease, requested repeatedly until it ends, with one request at a time. */
class KeptLease {
  readonly #shared: SharedLog;
  readonly #name: string;
  readonly #onHeld: (() => void) | undefined;
  #asked: Promise<boolean> = Promise.resolve(false);
  #timer: NodeJS.Timeout | undefined;
  #isEnded = false;
  /** Its expiry by this process's clock; checked because the process may have been suspended. */
  #untilMs = 0;

  constructor(shared: SharedLog, name: string, onHeld: (() => void) | undefined) {
    this.#shared = shared;
    this.#name = name;
    this.#onHeld = onHeld;
  }

  get isHeld(): boolean {
    return performance.now() < this.#untilMs;
  }

  /** The last result. */
  get asked(): Promise<boolean> {
    return this.#asked;
  }

  ask(): void {
    if (this.#isEnded) return;
    clearTimeout(this.#timer);
    this.#asked = this.#asked.then(() => this.#ask());
    this.#timer = setTimeout(() => void this.#asked.then(() => this.ask()), RENEW_MS).unref();
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    await this.#asked;
    if (this.isHeld) await this.#shared.release(this.#name);
    this.#untilMs = 0;
  }

  async #ask(): Promise<boolean> {
    const askedMs = performance.now();
    const wasHeld = this.isHeld;
    if (!(await this.#shared.hold(this.#name, LEASE_MS))) return false;
    this.#untilMs = askedMs + LEASE_MS;
    if (!wasHeld) this.#onHeld?.();
    return true;
  }
}
