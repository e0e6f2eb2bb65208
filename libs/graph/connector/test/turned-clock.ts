import type { RunClock } from '../src/run/run-clock.ts';

interface Sleeper {
  readonly atMs: number;
  readonly wake: () => void;
}

/** Time that stands still until a test turns it. */
export class TurnedClock implements RunClock {
  #nowMs = 0;
  #sleepers: Sleeper[] = [];
  #onSleep: () => void = () => undefined;

  /** How many sleep now. */
  get sleepers(): number {
    return this.#sleepers.length;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const sleeper = { atMs: this.#nowMs + ms, wake: resolve };
      this.#sleepers.push(sleeper);
      signal.addEventListener('abort', () => {
        this.#sleepers = this.#sleepers.filter((each) => each !== sleeper);
        resolve();
      });
      this.#onSleep();
    });
  }

  /** Waits until somebody sleeps for exactly that long. */
  async sleeper(ms: number): Promise<void> {
    const isAwaited = (): boolean => this.#sleepers.some(({ atMs }) => atMs === this.#nowMs + ms);
    while (!isAwaited()) {
      await new Promise<void>((resolve) => {
        this.#onSleep = resolve;
      });
    }
  }

  /** Waits until somebody sleeps for exactly that long, then wakes all whose time has come. */
  async turn(ms: number): Promise<void> {
    await this.sleeper(ms);
    this.#nowMs += ms;
    const due = this.#sleepers.filter(({ atMs }) => atMs <= this.#nowMs);
    this.#sleepers = this.#sleepers.filter(({ atMs }) => atMs > this.#nowMs);
    for (const { wake } of due) wake();
  }
}
