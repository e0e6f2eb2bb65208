import type { GraphLog } from './graph-options.ts';
import type { Leadership } from './leadership.ts';

const HOUR_MS = 3_600_000;

/** An owner of records that expire. */
export interface Sweepable {
  /** Removes expired records; resolves to their number. */
  sweep(): Promise<number>;
}

/** Sweeps once an hour, and something at the start. A failure is logged; the next sweep retries. */
export class GraphMaintenance {
  readonly #sweepables: readonly Sweepable[];
  readonly #log: GraphLog;
  readonly #leadership: Leadership;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(sweepables: readonly Sweepable[], log: GraphLog, leadership: Leadership) {
    this.#leadership = leadership;
    this.#sweepables = sweepables;
    this.#log = log;
  }

  /** `first` is swept at once: a process that ends within the hour sweeps nothing else. */
  start(first: Sweepable): void {
    this.#running = this.#sweep([first]);
    this.#timer = setInterval(() => {
      this.#running = this.#running.then(() => this.#sweep(this.#sweepables));
    }, HOUR_MS).unref();
  }

  /** Resolves at the end of a running sweep. */
  stop(): Promise<void> {
    clearInterval(this.#timer);
    return this.#running;
  }

  async #sweep(sweepables: readonly Sweepable[]): Promise<void> {
    if (!this.#leadership.isLeader) return;
    try {
      for (const sweepable of sweepables) {
        const removed = await sweepable.sweep();
        if (removed > 0) this.#log.info({ event: 'graph.swept', removed }, 'expired records removed');
      }
    } catch (error) {
      this.#log.warn({ event: 'graph.sweep_failed', err: error }, 'removal of expired records failed');
    }
  }
}
