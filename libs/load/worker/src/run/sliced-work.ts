import { Fifo } from '#platform/foundation';

/** A task with many equal parts, such as the transactions of a block. */
export interface SlicedTask {
  readonly length: number;
  /**
   * Does the parts from `from` up to, not including, `to`. Called in order; once for a task without parts.
   */
  run(from: number, to: number): void;
}

/** Maximum time for which other work of the thread waits. */
const SLICE_MS = 2;
/** Number of parts between two readings of the clock. */
const PARTS_AT_ONCE = 32;

/**
 * Does tasks in order of arrival, at once if none is waiting. Work beyond 2 ms continues in later turns of
 * the event loop, so that due requests can be sent in between.
 */
export class SlicedWork {
  readonly #waiting = new Fifo<SlicedTask>();
  /** The number of completed parts of the first waiting task. */
  #done = 0;
  #turn: NodeJS.Immediate | undefined;

  add(task: SlicedTask): void {
    this.#waiting.push(task);
    if (this.#turn === undefined) this.#slice(SLICE_MS);
  }

  /** Completes all waiting tasks at once. */
  finish(): void {
    clearImmediate(this.#turn);
    this.#turn = undefined;
    this.#slice(Infinity);
  }

  #slice(budgetMs: number): void {
    const untilMs = performance.now() + budgetMs;
    this.#turn = undefined;
    for (let task = this.#waiting.first; task !== undefined; task = this.#waiting.first) {
      const from = this.#done;
      const to = Math.min(from + PARTS_AT_ONCE, task.length);
      const isLast = to === task.length;
      this.#done = isLast ? 0 : to;
      if (isLast) this.#waiting.shift();
      task.run(from, to);
      if (performance.now() < untilMs || this.#waiting.size === 0) continue;
      this.#turn = setImmediate(() => this.#slice(budgetMs));
      return;
    }
  }
}
