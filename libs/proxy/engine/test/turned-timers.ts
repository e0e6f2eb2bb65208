import type { CallOff, Timers } from '../src/cluster/target/cluster-context.ts';

interface Appointment {
  readonly dueMs: number;
  readonly run: () => void;
}

/** A clock that advances only by calls of the test. It begins at one million, so that zero is never "now". */
export class TurnedTimers implements Timers {
  #nowMs = 1_000_000;
  #appointments: readonly Appointment[] = [];

  /** The number of pending timers. */
  get pending(): number {
    return this.#appointments.length;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  after(ms: number, run: () => void): CallOff {
    const appointment = { dueMs: this.#nowMs + ms, run };
    this.#appointments = [...this.#appointments, appointment];
    return () => this.#remove(appointment);
  }

  /** Runs due timers in order of time; settles promises in between. */
  async turn(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    await settled();
    for (;;) {
      const due = this.#appointments.filter(({ dueMs }) => dueMs <= endMs);
      const next = due.reduce<Appointment | undefined>(
        (first, each) => (first === undefined || each.dueMs < first.dueMs ? each : first),
        undefined,
      );
      if (next === undefined) break;
      this.#remove(next);
      this.#nowMs = next.dueMs;
      next.run();
      await settled();
    }
    this.#nowMs = endMs;
  }

  /** As `turn`, without network events in between, as in a process that was suspended. */
  jump(ms: number): void {
    this.#nowMs += ms;
    const due = this.#appointments.filter(({ dueMs }) => dueMs <= this.#nowMs);
    for (const appointment of due) this.#remove(appointment);
    for (const { run } of due) run();
  }

  #remove(appointment: Appointment): void {
    this.#appointments = this.#appointments.filter((each) => each !== appointment);
  }
}

/** Resolves when all promises that need no time are settled. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
