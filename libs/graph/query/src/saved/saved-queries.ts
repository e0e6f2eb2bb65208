import type { SharedDocuments } from '#graph/engine';
import { type Clock, DomainError, Turns } from '#platform/foundation';
import { parseSavedQuery } from './query-set.ts';
import { type SavedQuery, SAVED_QUERIES_MAX } from './saved-query.ts';

export interface QueryDocument {
  readonly id: string;
  /** JSON; `undefined` removes the document. */
  readonly value: unknown;
}

/** The storage of saved queries, by namespace and id. */
export interface QueryDocuments extends SharedDocuments {
  /** All or nothing; resolves when durable. */
  change(namespace: string, changes: readonly QueryDocument[]): Promise<void>;
  /** All queries in the order of their ids. */
  all(namespace: string): AsyncIterable<QueryDocument>;
}

export interface SavedQueryLog {
  error(fields: object, message: string): void;
}

const NAMESPACE = 'query';
const WRITERS_MAX = 64;

/** The stored form: the time of the last change is RFC 3339 UTC. */
export interface KeptQuery extends SavedQuery {
  readonly updated_at: string;
}

/** The result of adding or replacing queries. */
export interface QueriesReply {
  /** Number of saved queries afterwards. */
  readonly count: number;
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
}

/**
 * The saved queries, by name. A change is one atomic batch, visible when it is durable. Callers check queries
 * first: `parseSavedQuery`, `parseQueryYaml`.
 */
export class SavedQueries {
  readonly #documents: QueryDocuments;
  readonly #clock: Clock;
  readonly #log: SavedQueryLog;
  readonly #turns = new Turns(WRITERS_MAX);
  #byName: ReadonlyMap<string, KeptQuery> = new Map();

  /** A stored query that this version cannot read is skipped, and logged. */
  static async open(documents: QueryDocuments, clock: Clock, log: SavedQueryLog): Promise<SavedQueries> {
    const queries = new SavedQueries(documents, clock, log);
    await queries.#read();
    documents.onForeign(NAMESPACE, '', () => queries.#read());
    return queries;
  }

  private constructor(documents: QueryDocuments, clock: Clock, log: SavedQueryLog) {
    this.#documents = documents;
    this.#clock = clock;
    this.#log = log;
  }

  async #read(): Promise<void> {
    const known = new Map<string, KeptQuery>();
    for await (const { id, value } of this.#documents.all(NAMESPACE)) {
      try {
        const { updated_at: updatedAt, ...query } = value as KeptQuery;
        known.set(id, { ...parseSavedQuery(query), updated_at: updatedAt });
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        this.#log.error(
          { event: 'query.saved_unreadable', name: id, err: error },
          'unreadable saved query skipped',
        );
      }
    }
    this.#byName = known;
  }

  /** The queries in the order of their names. */
  list(): readonly KeptQuery[] {
    return [...this.#byName.values()].sort((a, b) => a.name.localeCompare(b.name, 'en'));
  }

  /** Throws NOT_FOUND. */
  get(name: string): KeptQuery {
    const query = this.#byName.get(name);
    if (query === undefined) throw new DomainError('NOT_FOUND', 'no such saved query', { details: { name } });
    return query;
  }

  /** Adds or updates these queries; `replace` removes all others. Unchanged ones do not count as updated. */
  change(queries: readonly SavedQuery[], mode: 'replace' | 'merge' = 'merge'): Promise<QueriesReply> {
    return this.#alone(async () => {
      const next = new Map(mode === 'merge' ? this.#byName : []);
      const updatedAt = new Date(this.#clock.nowMs()).toISOString();
      for (const query of queries) {
        const before = this.#byName.get(query.name);
        const isSame = before !== undefined && canonical(before) === canonical(query);
        next.set(query.name, isSame ? before : { ...query, updated_at: updatedAt });
      }
      if (next.size > SAVED_QUERIES_MAX)
        throw new DomainError('INVALID_REQUEST', `expected at most ${SAVED_QUERIES_MAX} saved queries`);
      return this.#become(next);
    });
  }

  /** Throws NOT_FOUND. */
  remove(name: string): Promise<QueriesReply> {
    return this.#alone(async () => {
      this.get(name);
      const next = new Map(this.#byName);
      next.delete(name);
      return this.#become(next);
    });
  }

  #alone(work: () => Promise<QueriesReply>): Promise<QueriesReply> {
    return this.#turns.run(() => this.#documents.exclusively(work));
  }

  async #become(next: ReadonlyMap<string, KeptQuery>): Promise<QueriesReply> {
    const before = this.#byName;
    const changed = [...next.values()].filter((query) => before.get(query.name) !== query);
    const removed = [...before.keys()].filter((name) => !next.has(name));
    const changes: QueryDocument[] = [
      ...changed.map((query) => ({ id: query.name, value: query })),
      ...removed.map((name) => ({ id: name, value: undefined })),
    ];
    if (changes.length > 0) await this.#documents.change(NAMESPACE, changes);
    this.#byName = next;
    const added = changed.filter(({ name }) => !before.has(name)).length;
    return { count: next.size, added, updated: changed.length - added, removed: removed.length };
  }
}

function canonical({ name, description, text, tags, parameters }: SavedQuery): string {
  const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([name, description, text, tags, sorted]);
}
