/** Rows, reads of the graph and time of each operator of one statement. */
import type { Profile, Row } from '../graph/run.ts';

export interface Measured {
  readonly rows: number;
  /** Undefined where it searches the snapshot as a whole, which counts no single reads. */
  readonly hits: number | undefined;
  /** Time of the operator without that of the operators below it. */
  readonly timeMs: number;
}

interface Entry {
  rows: number;
  hits: number | undefined;
  timeMs: number;
}

export class StatementProfile implements Profile {
  readonly #nowMs: () => number;
  readonly #entries = new Map<object, Entry>();
  /** The operators that wait for one another, the working one last. */
  readonly #working: Entry[] = [];
  #sinceMs = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  *watch(step: object, rows: Generator<Row | undefined, void>): Generator<Row | undefined, void> {
    const entry = this.#entries.get(step) ?? { rows: 0, hits: 0, timeMs: 0 };
    this.#entries.set(step, entry);
    for (;;) {
      this.#account();
      this.#working.push(entry);
      const { value, done } = this.#next(rows);
      if (done === true) return;
      if (value !== undefined) entry.rows++;
      yield value;
    }
  }

  /** A read of the graph by the working operator. */
  hit(): void {
    const entry = this.#working.at(-1);
    if (entry?.hits !== undefined) entry.hits++;
  }

  uncounted(): void {
    const entry = this.#working.at(-1);
    if (entry !== undefined) entry.hits = undefined;
  }

  measured(step: object): Measured {
    return this.#entries.get(step) ?? { rows: 0, hits: 0, timeMs: 0 };
  }

  #next(rows: Generator<Row | undefined, void>): IteratorResult<Row | undefined, void> {
    try {
      return rows.next();
    } finally {
      this.#account();
      this.#working.pop();
    }
  }

  /** The time since the last look is that of the working operator. */
  #account(): void {
    const nowMs = this.#nowMs();
    const entry = this.#working.at(-1);
    if (entry !== undefined) entry.timeMs += nowMs - this.#sinceMs;
    this.#sinceMs = nowMs;
  }
}
