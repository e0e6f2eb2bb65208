import { AsyncLocalStorage } from 'node:async_hooks';
import type { SharedLog } from '#graph/storage';
import { DomainError, pause, Turns } from '#platform/foundation';
import type { SharedDocuments } from './shared-documents.port.ts';
import { keyParts, RECORD_KIND, textKey } from '../record/record-key.ts';
import type { GraphStore } from './graph-store.ts';

/** One document to put, or, with `value` undefined, to remove. */
export interface DocumentChange {
  readonly id: string;
  /** Anything `JSON.stringify` takes. */
  readonly value: unknown;
}

/** Reads documents of its namespace anew: another process has changed them. */
type DocumentReader = () => Promise<void>;

interface Hold {
  /** Until when nobody else changes documents, by this process's clock; infinite once the work has ended. */
  untilMs: number;
}

export interface StoredDocument {
  readonly id: string;
  readonly value: unknown;
}

/**
 * JSON documents of other owners (policies, say), by namespace and id, in the same store. Neither namespace
 * nor id may contain NUL. Reads show what was last written in this process, durable or not.
 */
export class Documents implements SharedDocuments {
  readonly #store: GraphStore;
  readonly #readers: {
    readonly namespace: string;
    readonly prefix: string;
    readonly read: DocumentReader;
  }[] = [];
  /** What is to be read anew: other processes have changed it. */
  readonly #stale = new Set<DocumentReader>();
  readonly #turns = new Turns(Number.POSITIVE_INFINITY);
  /** Of work that runs exclusively, and of what it has begun. */
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
   * Has `read` run whenever another process has changed documents of the namespace whose ids begin so, before
   * that is shown. It may not write.
   */
  onForeign(namespace: string, prefix: string, read: DocumentReader): void {
    this.#readers.push({ namespace, prefix, read });
  }

  /**
   * Runs `work`, which changes documents by what it knows of them, while no other process does, and with all
   * that others have changed before. Throws STORE_UNAVAILABLE when the others cannot be asked; so do changes
   * of work that was held up for so long that others may have gone on.
   */
  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    const { shared } = this.#store.storage;
    if (shared === undefined) return work();
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
    // Asked in the turn to append, for which other processes wait: none goes on between it and the write.
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

  /** The store has another history: whatever was read may be gone. */
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

  /** `undefined` when there is none. */
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
/** Longer than any change takes. */
const LEASE_MS = 30_000;
const HELD_UP = 'this node was held up for so long that another may have gone on; nothing was written';
const UNBOUNDED: Hold = { untilMs: Infinity };
const ASK_AGAIN_MS = 20;
const PATIENCE_MS = 10_000;

/** Waits for its turn to change documents by what it knows of them; gives {@link Hold.untilMs}. */
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
