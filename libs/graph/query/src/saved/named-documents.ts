/** Documents of one kind that people name: saved queries, saved views, and the looks of classes. */
import type { SharedDocuments } from '#graph/engine';
import { type Clock, DomainError, Turns } from '#platform/foundation';

export interface NamedDocument {
  readonly name: string;
}

/** The stored form: the time of the last change is RFC 3339 UTC. */
export type Kept<Value> = Value & { readonly updated_at: string };

export interface DocumentChange {
  readonly id: string;
  /** JSON; `undefined` removes the document. */
  readonly value: unknown;
}

/** The storage of documents, by namespace and id. */
export interface DocumentStore extends SharedDocuments {
  /** All or nothing; resolves when durable. */
  change(namespace: string, changes: readonly DocumentChange[]): Promise<void>;
  /** All documents in the order of their ids. */
  all(namespace: string): AsyncIterable<DocumentChange>;
}

export interface DocumentLog {
  error(fields: object, message: string): void;
}

/** What the documents of a kind are. */
export interface DocumentKind<Value extends NamedDocument> {
  readonly namespace: string;
  /** For errors: `saved query`. */
  readonly noun: string;
  readonly max: number;
  /** The event of the log for a document that this version cannot read. */
  readonly unreadable: string;
  /** Throws a DomainError for a value that is not one. */
  readonly parse: (value: unknown) => Value;
  /** Equal for equal documents. */
  readonly canonical: (value: Value) => string;
}

/** The result of adding or replacing documents. */
export interface ChangeReply {
  /** Number of documents afterwards. */
  readonly count: number;
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
}

export interface DocumentServices {
  readonly documents: DocumentStore;
  readonly clock: Clock;
  readonly log: DocumentLog;
}

const WRITERS_MAX = 64;

/**
 * The documents of a kind, by name. A change is one atomic batch, visible when it is durable. Callers parse
 * documents first.
 */
export class NamedDocuments<Value extends NamedDocument> {
  readonly #kind: DocumentKind<Value>;
  readonly #services: DocumentServices;
  readonly #turns = new Turns(WRITERS_MAX);
  #byName: ReadonlyMap<string, Kept<Value>> = new Map();

  protected constructor(kind: DocumentKind<Value>, services: DocumentServices) {
    this.#kind = kind;
    this.#services = services;
  }

  /** Reads the stored documents. One that this version cannot read is skipped, and logged. */
  protected async read(): Promise<void> {
    const { documents } = this.#services;
    await this.#readAll();
    documents.onForeign(this.#kind.namespace, '', () => this.#readAll());
  }

  async #readAll(): Promise<void> {
    const { namespace, parse, noun, unreadable } = this.#kind;
    const known = new Map<string, Kept<Value>>();
    for await (const { id, value } of this.#services.documents.all(namespace)) {
      try {
        const { updated_at: updatedAt, ...document } = value as Kept<object>;
        known.set(id, { ...parse(document), updated_at: updatedAt });
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        this.#services.log.error({ event: unreadable, name: id, err: error }, `unreadable ${noun} skipped`);
      }
    }
    this.#byName = known;
  }

  /** The documents in the order of their names. */
  list(): readonly Kept<Value>[] {
    return [...this.#byName.values()].sort((a, b) => a.name.localeCompare(b.name, 'en'));
  }

  /** Throws NOT_FOUND. */
  get(name: string): Kept<Value> {
    const document = this.#byName.get(name);
    if (document === undefined)
      throw new DomainError('NOT_FOUND', `no such ${this.#kind.noun}`, { details: { name } });
    return document;
  }

  /** Adds or updates documents; `replace` removes all others. Unchanged ones do not count as updated. */
  change(values: readonly Value[], mode: 'replace' | 'merge' = 'merge'): Promise<ChangeReply> {
    return this.#alone(async () => {
      const { canonical, max, noun } = this.#kind;
      const next = new Map(mode === 'merge' ? this.#byName : []);
      const updatedAt = new Date(this.#services.clock.nowMs()).toISOString();
      for (const value of values) {
        const before = this.#byName.get(value.name);
        const isSame = before !== undefined && canonical(before) === canonical(value);
        next.set(value.name, isSame ? before : { ...value, updated_at: updatedAt });
      }
      if (next.size > max)
        throw new DomainError('INVALID_REQUEST', `expected at most ${max} documents of the kind: ${noun}`);
      return this.#become(next);
    });
  }

  /** Throws NOT_FOUND. */
  remove(name: string): Promise<ChangeReply> {
    return this.#alone(async () => {
      this.get(name);
      const next = new Map(this.#byName);
      next.delete(name);
      return this.#become(next);
    });
  }

  #alone(work: () => Promise<ChangeReply>): Promise<ChangeReply> {
    return this.#turns.run(() => this.#services.documents.exclusively(work));
  }

  async #become(next: ReadonlyMap<string, Kept<Value>>): Promise<ChangeReply> {
    const before = this.#byName;
    const changed = [...next.values()].filter((document) => before.get(document.name) !== document);
    const removed = [...before.keys()].filter((name) => !next.has(name));
    const changes: DocumentChange[] = [
      ...changed.map((document) => ({ id: document.name, value: document })),
      ...removed.map((name) => ({ id: name, value: undefined })),
    ];
    if (changes.length > 0) await this.#services.documents.change(this.#kind.namespace, changes);
    this.#byName = next;
    const added = changed.filter(({ name }) => !before.has(name)).length;
    return { count: next.size, added, updated: changed.length - added, removed: removed.length };
  }
}
