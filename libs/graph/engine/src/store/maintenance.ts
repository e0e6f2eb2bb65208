import type { GraphLog } from './graph-options.ts';
import type { Leadership } from './leadership.ts';

const HOUR_MS = 3_600_000;

/** Something that leaves records behind which expire. */
export interface Sweepable {
  /** Removes what has expired; resolves to how much that was. */
  sweep(): Promise<number>;
}

/** Sweeps once an hour. A failure is logged, and tried again an hour later. */
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

  start(): void {
    this.#timer = setInterval(() => {
      this.#running = this.#running.then(() => this.#sweep());
    }, HOUR_MS).unref();
  }

  /** Resolves when a sweep under way is over. */
  stop(): Promise<void> {
    clearInterval(this.#timer);
    return this.#running;
  }

  async #sweep(): Promise<void> {
    if (!this.#leadership.isLeader) return;
    try {
      for (const sweepable of this.#sweepables) {
        const removed = await sweepable.sweep();
        if (removed > 0) this.#log.info({ event: 'graph.swept', removed }, 'removed expired records');
      }
    } catch (error) {
      this.#log.warn({ event: 'graph.sweep_failed', err: error }, 'could not remove expired records');
    }
  }
}
