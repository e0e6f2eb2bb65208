import type { CallOff, Timers } from '../src/cluster/target/cluster-surroundings.ts';

interface Appointment {
  readonly dueMs: number;
  readonly run: () => void;
}

/** Time that stands still until a test turns it. It begins at one million, so that zero is never "now". */
export class TurnedTimers implements Timers {
  #nowMs = 1_000_000;
  #appointments: readonly Appointment[] = [];

  /** How many still wait. */
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

  /** Runs what falls due, in order of time; what is promised in between is settled first. */
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

  /** The same without a look at the network in between, as it is for a process that was held up so long. */
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

/** When everything that is promised and needs no time is done. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
