import type { RunClock } from '../src/run/run-clock.ts';

interface Sleeper {
  readonly atMs: number;
  readonly wake: () => void;
}

/** A manual clock. */
export class TurnedClock implements RunClock {
  #nowMs = 0;
  #sleepers: Sleeper[] = [];
  #onSleep: () => void = () => undefined;

  /** Number of current sleepers. */
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

  /** Waits for a sleeper with exactly this duration. */
  async sleeper(ms: number): Promise<void> {
    const isAwaited = (): boolean => this.#sleepers.some(({ atMs }) => atMs === this.#nowMs + ms);
    while (!isAwaited()) {
      await new Promise<void>((resolve) => {
        this.#onSleep = resolve;
      });
    }
  }

  /** Waits for a sleeper with exactly this duration, then advances the clock and wakes all due sleepers. */
  async turn(ms: number): Promise<void> {
    await this.sleeper(ms);
    this.#nowMs += ms;
    const due = this.#sleepers.filter(({ atMs }) => atMs <= this.#nowMs);
    this.#sleepers = this.#sleepers.filter(({ atMs }) => atMs > this.#nowMs);
    for (const { wake } of due) wake();
  }
}
