import { Fifo } from '#platform/foundation';

/** A piece of work with many equal parts, as a block has transactions. */
export interface SlicedTask {
  readonly length: number;
  /** Does the parts from `from` up to, not including, `to`. Called in order; once where there are none. */
  run(from: number, to: number): void;
}

/** What else waits for the thread waits for no longer than this. */
const SLICE_MS = 2;
/** Between two looks at the clock. */
const PARTS_AT_ONCE = 32;

/**
 * Does tasks in the order in which they come, at once where nothing waits; what takes longer than 2 ms goes
 * on in later turns of the event loop, so that requests which are due can leave in between.
 */
export class SlicedWork {
  readonly #waiting = new Fifo<SlicedTask>();
  /** Of the first that waits: parts that are done. */
  #done = 0;
  #turn: NodeJS.Immediate | undefined;

  add(task: SlicedTask): void {
    this.#waiting.push(task);
    if (this.#turn === undefined) this.#slice(SLICE_MS);
  }

  /** Does all that waits, at once. */
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
