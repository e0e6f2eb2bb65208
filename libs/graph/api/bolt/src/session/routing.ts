import type { NodeAddresses } from '#graph/engine';
import type { Metadata } from '../wire/reply-writer.ts';

/** For how long a client may use a table. */
const TTL_SECONDS = 300;
/** As the nodes of a shared store publish their addresses. */
const SERVICE = 'bolt';

export interface RoutingParts {
  /** Undefined: the address that a client has used. */
  readonly advertised: string | undefined;
  /** The address of the listener, for clients that say nothing about theirs. */
  readonly bound: () => string;
  readonly nodes: NodeAddresses;
}

/**
 * Where clients find the database: at this server, or at any node of its store that advertises an address.
 * Every node takes writes; the table has one for them, since what one node writes is seldom in conflict.
 */
export class Routing {
  readonly #parts: RoutingParts;

  constructor(parts: RoutingParts) {
    this.#parts = parts;
  }

  get ownAddress(): string {
    return this.#parts.advertised ?? this.#parts.bound();
  }

  /** The server listens: other nodes may name it. */
  open(): void {
    const { advertised, nodes } = this.#parts;
    if (advertised !== undefined) nodes.publish(SERVICE, advertised);
  }

  async close(): Promise<void> {
    const { advertised, nodes } = this.#parts;
    if (advertised !== undefined) await nodes.withdraw(SERVICE, advertised);
  }

  /** `asked`: the client's own address of this server, which has led it here. */
  async table(asked: string | undefined): Promise<Metadata> {
    const { advertised, nodes } = this.#parts;
    const own = advertised ?? asked ?? this.ownAddress;
    const serving = advertised === undefined ? undefined : await nodes.serving(SERVICE);
    const all = [...new Set([own, ...(serving?.addresses ?? [])])].sort();
    const writer = serving?.leader ?? all[0] ?? own;
    const servers = [
      { addresses: [writer], role: 'WRITE' },
      { addresses: all, role: 'READ' },
      { addresses: all, role: 'ROUTE' },
    ];
    return { ttl: TTL_SECONDS, servers };
  }
}
