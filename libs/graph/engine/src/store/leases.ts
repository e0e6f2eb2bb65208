import type { SharedLog } from '#graph/storage';

const LEASE_MS = 10_000;
const RENEW_MS = 2_000;

/** What only one of the processes does that share a store. Where a process is alone, it may do everything. */
export class Leases {
  readonly #shared: SharedLog | undefined;
  readonly #renewals = new Map<string, NodeJS.Timeout>();

  constructor(shared: SharedLog | undefined) {
    this.#shared = shared;
  }

  /** Gives false while another process has it. It is prolonged until it is released. */
  async hold(name: string): Promise<boolean> {
    const shared = this.#shared;
    if (shared === undefined) return true;
    if (!(await shared.hold(name, LEASE_MS))) return false;
    clearInterval(this.#renewals.get(name));
    this.#renewals.set(name, setInterval(() => void shared.hold(name, LEASE_MS), RENEW_MS).unref());
    return true;
  }

  async release(name: string): Promise<void> {
    clearInterval(this.#renewals.get(name));
    this.#renewals.delete(name);
    await this.#shared?.release(name);
  }

  async close(): Promise<void> {
    for (const name of this.#renewals.keys()) await this.release(name);
  }
}
