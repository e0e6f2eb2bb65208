import type { EventBuffer } from '#load/telemetry';
import type { FailureClass } from '../rpc/failure-class.ts';

interface Sample {
  readonly failure: FailureClass;
  readonly isExpected: boolean;
  readonly code: number | null;
  readonly message: string;
  readonly hash: Uint8Array | null;
  count: number;
}

/** Failures of an interval, one row for each class and code, with the first of them as an example. */
export class ErrorLog {
  readonly #samples = new Map<string, Sample>();

  add(failure: Omit<Sample, 'count'>): void {
    const key = `${failure.failure} ${String(failure.isExpected)} ${String(failure.code)}`;
    const known = this.#samples.get(key);
    if (known === undefined) this.#samples.set(key, { ...failure, count: 1 });
    else known.count++;
  }

  flush(events: EventBuffer, atUs: number): void {
    for (const { failure, isExpected, code, message, count, hash } of this.#samples.values()) {
      const row = {
        at_us: atUs,
        class: failure,
        expected: isExpected,
        code,
        message,
        count,
        sample_hash: hash,
      };
      events.record('errors', row);
    }
    this.#samples.clear();
  }
}
