import { AsyncLocalStorage } from 'node:async_hooks';
import type { SharedLog } from '#graph/storage';
import { DomainError, pause, Turns } from '#platform/foundation';
import type { SharedDocuments } from './shared-documents.port.ts';
import { keyParts, RECORD_KIND, textKey } from '../record/record-key.ts';
import type { GraphStore } from './graph-store.ts';

/** A document to put, or to remove if `value` is undefined. */
export interface DocumentChange {
  readonly id: string;
  /** Any value that `JSON.stringify` accepts. */
  readonly value: unknown;
}

/** Rereads documents of its namespace after changes by another process. */
type DocumentReader = () => Promise<void>;

interface Hold {
  /** End of the exclusive time, by this process's clock; infinite after the end of the work. */
  untilMs: number;
}

export interface StoredDocument {
  readonly id: string;
  readonly value: unknown;
}

/**
 * JSON documents of other owners, such as policies, by namespace and id, in the same store. Neither namespace
 * nor id may contain NUL. Reads return the last writes of this process, durable or not.
 */
export class Documents implements SharedDocuments {
  readonly #store: GraphStore;
  readonly #readers: {
    readonly namespace: string;
    readonly prefix: string;
    readonly read: DocumentReader;
  }[] = [];
  /** Documents to reread, changed by other processes. */
  readonly #stale = new Set<DocumentReader>();
  readonly #turns = new Turns(Number.POSITIVE_INFINITY);
  /** The hold of exclusive work and its asynchronous continuations. */
  readonly #hold = new AsyncLocalStorage<Hold>();

  constructor(store: GraphStore) {
    this.#store = store;
    store.onForeign(RECORD_KIND.document, (key) => {
      const [namespace, id = ''] = keyParts(key);
      for (const { read } of this.#readers.filter(
        (each) => each.namespace === namespace && id.startsWith(each.prefix),
      ))
        this.#stale.add(read);
    });
    store.beforePublish(() => this.#readStale());
  }

  /**
   * Calls `read` after another process has changed documents of the namespace with this id prefix, before the
   * change becomes visible. It must not write.
   */
  onForeign(namespace: string, prefix: string, read: DocumentReader): void {
    this.#readers.push({ namespace, prefix, read });
  }

  /**
   * Runs `work`, a read-modify-write of documents, exclusively among all processes, and after all their
   * earlier changes are visible. Throws STORE_UNAVAILABLE if the other processes cannot be reached; the
   * changes of work that has lost its exclusive time throw the same.
   */
  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    const { shared } = this.#store.storage;
    if (shared === undefined) return work();
    this.#store.assertWritable();
    return this.#turns.run(async () => {
      const hold = { untilMs: await held(shared) };
      try {
        await this.#store.catchUp();
        return await this.#hold.run(hold, work);
      } finally {
        hold.untilMs = Infinity;
        await shared.release(LEASE);
      }
    });
  }

  /** All changes in one atomic batch; resolves when durable. */
  change(namespace: string, changes: readonly DocumentChange[]): Promise<void> {
    const encoded = changes.map(({ id, value }) => ({
      key: textKey(RECORD_KIND.document, namespace, id),
      bytes: value === undefined ? undefined : Buffer.from(JSON.stringify(value), 'utf8'),
    }));
    const hold = this.#hold.getStore() ?? UNBOUNDED;
    // Checked in the turn to append, for which other processes wait: none continues between check and write.
    return this.#store.record(
      (batch) => {
        for (const { key, bytes } of encoded) {
          if (bytes === undefined) batch.delete(key, NOTHING, this.#store.nowMs());
          else batch.put(key, bytes);
        }
      },
      () => {
        if (performance.now() >= hold.untilMs) throw new DomainError('STORE_UNAVAILABLE', HELD_UP);
      },
    );
  }

  /** The store has another history: all documents must be reread. */
  reloaded(): Promise<void> {
    for (const { read } of this.#readers) this.#stale.add(read);
    return this.#readStale();
  }

  async #readStale(): Promise<void> {
    for (const read of this.#stale) {
      this.#stale.delete(read);
      await read();
    }
  }

  /** `undefined` if it does not exist. */
  async get(namespace: string, id: string): Promise<unknown> {
    const record = await this.#store.storage.get(textKey(RECORD_KIND.document, namespace, id));
    return record === undefined ? undefined : parse(record.value);
  }

  /** In id order, bytewise; `idPrefix` narrows. */
  async *all(namespace: string, idPrefix = ''): AsyncIterableIterator<StoredDocument> {
    const prefix = textKey(RECORD_KIND.document, namespace, idPrefix);
    const idStart = textKey(RECORD_KIND.document, namespace, '').length;
    for await (const chunk of this.#store.storage.scan(prefix)) {
      for (const { key, value } of chunk) {
        yield { id: Buffer.from(key).toString('utf8', idStart), value: parse(value) };
      }
    }
  }
}

const NOTHING = new Uint8Array(0);
const LEASE = 'documents';
/** Longer than the duration of any change. */
const LEASE_MS = 30_000;
const HELD_UP = 'this node was held up for so long that another may have gone on; nothing was written';
const UNBOUNDED: Hold = { untilMs: Infinity };
const ASK_AGAIN_MS = 20;
const PATIENCE_MS = 10_000;

/** Waits for the turn of a read-modify-write; returns {@link Hold.untilMs}. */
async function held(shared: SharedLog): Promise<number> {
  const deadlineMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const askedMs = performance.now();
    if (await shared.hold(LEASE, LEASE_MS)) return askedMs + LEASE_MS;
    if (askedMs > deadlineMs)
      throw new DomainError(
        'STORE_UNAVAILABLE',
        'another node does not finish, or the database does not answer',
      );
    await pause(ASK_AGAIN_MS);
  }
}

function parse(value: Uint8Array): unknown {
  return JSON.parse(Buffer.from(value).toString('utf8'));
}
