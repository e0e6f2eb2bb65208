/** A thread that counts, for the tests of threads. */
import { setTimeout as later } from 'node:timers';
import { DomainError } from '#platform/foundation';
import { Moved, type Parent, serveThread } from '#platform/threads';
import type { CountingCalls, CountingEvents } from './counting-thread.ts';

class Counter {
  readonly #parent: Parent<CountingEvents>;
  #sum: number;

  constructor(start: number, parent: Parent<CountingEvents>) {
    this.#sum = start;
    this.#parent = parent;
  }

  add(amount: number): number {
    this.#sum += amount;
    this.#parent.emit('changed', [this.#sum]);
    return this.#sum;
  }

  spin(): void {
    this.#sum++;
  }
}

serveThread<CountingCalls, CountingEvents>((setup, parent) => {
  const counter = new Counter((setup as { readonly start: number }).start, parent);
  // Keeps the thread running until it is closed.
  const timer = later(() => undefined, 3_600_000);
  let isFailing = false;
  return {
    calls: {
      add: (amount) => counter.add(amount),
      bytes: (count) => {
        const bytes = new Uint8Array(count).fill(7);
        return new Moved(bytes, [bytes.buffer]);
      },
      refuse: (reason) => {
        throw new DomainError('PLAN_REFUSED', reason, { details: { reason } });
      },
      break: () => {
        throw new TypeError('a defect');
      },
      never: () => new Promise(() => undefined),
      spin: () => {
        for (;;) counter.spin();
      },
      failAtEnd: () => {
        isFailing = true;
      },
    },
    close: () => {
      if (isFailing) throw new Error('an end that fails');
      clearTimeout(timer);
    },
  };
});
