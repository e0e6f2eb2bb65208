import type { Leases } from './leases.ts';

export const LEADER_LEASE = 'leader';

/**
 * Leader election: of all processes that share a store, the leader runs schedules and notifications. A single
 * process is always the leader.
 */
export class Leadership {
  readonly leases: Leases;
  readonly #listeners: (() => void)[] = [];

  constructor(leases: Leases) {
    this.leases = leases;
  }

  get isLeader(): boolean {
    return this.leases.isHeld(LEADER_LEASE);
  }

  /** Calls `listener` when this process becomes the leader. */
  onElected(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Runs until the leases are closed. */
  start(): void {
    this.leases.seek(LEADER_LEASE, () => {
      for (const listener of this.#listeners) listener();
    });
  }
}
