import type { SharedLog } from '#graph/storage';

const LEASE = 'leader';
const LEASE_MS = 10_000;
const RENEW_MS = 2_000;

/**
 * Of all processes that share a store, one does what is to be done once: schedules and notifications. Where a
 * process is alone, it is that one.
 */
export class Leadership {
  readonly #shared: SharedLog | undefined;
  readonly #listeners: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #asking: Promise<void> = Promise.resolve();
  /** Until when it holds, by this process's clock; it may have been stopped meanwhile. */
  #untilMs = 0;

  constructor(shared: SharedLog | undefined) {
    this.#shared = shared;
  }

  get isLeader(): boolean {
    return this.#shared === undefined || performance.now() < this.#untilMs;
  }

  /** Calls `listener` when this process has become the one. */
  onElected(listener: () => void): void {
    this.#listeners.push(listener);
  }

  start(): void {
    if (this.#shared === undefined) return;
    this.#asking = this.#ask(this.#shared);
    this.#timer = setTimeout(() => {
      this.#asking = this.#asking.then(() => {
        this.start();
      });
    }, RENEW_MS).unref();
  }

  /** Another may be the one at once. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#asking;
    clearTimeout(this.#timer);
    if (this.isLeader) await this.#shared?.release(LEASE);
    this.#untilMs = 0;
  }

  async #ask(shared: SharedLog): Promise<void> {
    const askedMs = performance.now();
    const { isLeader } = this;
    if (!(await shared.hold(LEASE, LEASE_MS))) return;
    this.#untilMs = askedMs + LEASE_MS;
    if (!isLeader) for (const listener of this.#listeners) listener();
  }
}
