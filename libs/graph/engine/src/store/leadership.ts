import type { Leases } from './leases.ts';

const LEASE = 'leader';

/**
 * Of all processes that share a store, one does what is to be done once: schedules and notifications. Where a
 * process is alone, it is that one.
 */
export class Leadership {
  readonly #leases: Leases;
  readonly #listeners: (() => void)[] = [];

  constructor(leases: Leases) {
    this.#leases = leases;
  }

  get isLeader(): boolean {
    return this.#leases.isHeld(LEASE);
  }

  /** Calls `listener` when this process has become the one. */
  onElected(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Until the leases are closed. */
  start(): void {
    this.#leases.seek(LEASE, () => {
      for (const listener of this.#listeners) listener();
    });
  }
}
