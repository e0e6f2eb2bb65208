/** What an owner of state does when an entity is forgotten. */
import type { Erasure } from './erasure.ts';

/** Something that still names the entity, as people or the data of other records do. */
export interface Naming {
  /** For people: `saved query`. */
  readonly kind: string;
  readonly id: string;
  /** When it goes by itself, RFC 3339 UTC; null: when it is changed or removed by hand. */
  readonly until: string | null;
}

/** An owner of records that are not of the graph. */
export interface StateOwner {
  /** Removes what the program has written about the entity; resolves to the number of changes. Repeatable. */
  erase(erasure: Erasure): Promise<number>;
  /** What names it still. */
  naming(erasure: Erasure): Promise<readonly Naming[]>;
}
