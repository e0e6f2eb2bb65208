/** What the store has about an entity besides its records and their history: documents, replies, sessions. */
import type { Erasure } from '../erasure/erasure.ts';
import type { Naming, StateOwner } from '../erasure/state-owner.ts';
import type { RECORD_KIND } from '../record/record-key.ts';

/** Records that are part of the graph, or of its history, which are erased with it. */
const GRAPH = 'graph';
/** Records without anything about an entity: names of connectors and callers. */
const NOTHING = 'nothing';

/** The owner of each kind of records: a new kind does not compile without one. */
type StateOwners = Readonly<Record<keyof typeof RECORD_KIND, StateOwner | typeof GRAPH | typeof NOTHING>>;

export interface Elsewhere {
  readonly changed: number;
  readonly naming: readonly Naming[];
}

export class WrittenElsewhere {
  readonly #owners: ReadonlySet<StateOwner>;

  constructor({
    documents,
    replies,
    sessions,
  }: Readonly<Record<'documents' | 'replies' | 'sessions', StateOwner>>) {
    const owners: StateOwners = {
      entity: GRAPH,
      relationship: GRAPH,
      lastSeen: GRAPH,
      statements: GRAPH,
      history: GRAPH,
      forgotten: GRAPH,
      author: NOTHING,
      connector: NOTHING,
      document: documents,
      session: sessions,
      syncReply: replies,
      writeReply: replies,
    };
    this.#owners = new Set(Object.values(owners).filter((owner) => typeof owner !== 'string'));
  }

  async erase(erasure: Erasure): Promise<Elsewhere> {
    let changed = 0;
    const naming: Naming[] = [];
    for (const owner of this.#owners) changed += await owner.erase(erasure);
    for (const owner of this.#owners) naming.push(...(await owner.naming(erasure)));
    return { changed, naming };
  }
}
