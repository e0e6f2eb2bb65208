/**
 * The addresses at which the processes of a shared store serve clients. Each publishes its own as a lease, so
 * that the address of one that is gone expires by the store's clock.
 */
import { LEADER_LEASE } from './leadership.ts';
import type { Leases } from './leases.ts';

export interface ServingNodes {
  /** Sorted. */
  readonly addresses: readonly string[];
  /** The address of the leading process; undefined if it has none. */
  readonly leader: string | undefined;
}

export class NodeAddresses {
  readonly #leases: Leases;

  constructor(leases: Leases) {
    this.#leases = leases;
  }

  /** From now on, until it is withdrawn. */
  publish(service: string, address: string): void {
    this.#leases.seek(leaseOf(service, address), () => undefined);
  }

  withdraw(service: string, address: string): Promise<void> {
    return this.#leases.release(leaseOf(service, address));
  }

  /** The processes that serve it; undefined if that is unknown, or the store is not shared. */
  async serving(service: string): Promise<ServingNodes | undefined> {
    const held = await this.#leases.held();
    if (held === undefined) return undefined;
    const prefix = leaseOf(service, '');
    const leader = held.find(({ name }) => name === LEADER_LEASE)?.node;
    const nodes = held
      .filter(({ name }) => name.startsWith(prefix))
      .map(({ name, node }) => ({ address: name.slice(prefix.length), node }));
    return {
      addresses: nodes.map(({ address }) => address).sort(),
      leader: nodes.find(({ node }) => node === leader)?.address,
    };
  }
}

function leaseOf(service: string, address: string): string {
  return `${service} ${address}`;
}
