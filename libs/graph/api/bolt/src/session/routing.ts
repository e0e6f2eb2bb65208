import type { Metadata } from '../wire/reply-writer.ts';

/** For how long a client may use a table. */
const TTL_SECONDS = 300;

/** Where clients find the database: this server answers everything. */
export class Routing {
  readonly #advertised: string | undefined;
  readonly #bound: () => string;

  /** `bound` is the address of the listener, for clients that say nothing about theirs. */
  constructor(advertised: string | undefined, bound: () => string) {
    this.#advertised = advertised;
    this.#bound = bound;
  }

  get ownAddress(): string {
    return this.#advertised ?? this.#bound();
  }

  /** The client's own address of this server, which has led it here, unless one is advertised. */
  table(asked: string | undefined): Metadata {
    const addresses = [this.#advertised ?? asked ?? this.#bound()];
    return { ttl: TTL_SECONDS, servers: ['WRITE', 'READ', 'ROUTE'].map((role) => ({ addresses, role })) };
  }
}
