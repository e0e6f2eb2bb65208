import { RECORD_KIND, textKey } from '../record/record-key.ts';
import type { GraphStore } from './graph-store.ts';

/** One document to put, or, with `value` undefined, to remove. */
export interface DocumentChange {
  readonly id: string;
  /** Anything `JSON.stringify` takes. */
  readonly value: unknown;
}

export interface StoredDocument {
  readonly id: string;
  readonly value: unknown;
}

/**
 * JSON documents of other owners (policies, say), by namespace and id, in the same store. Neither namespace
 * nor id may contain NUL. Reads show what was last written in this process, durable or not.
 */
export class Documents {
  readonly #store: GraphStore;

  constructor(store: GraphStore) {
    this.#store = store;
  }

  /** All changes in one atomic batch; resolves when durable. */
  change(namespace: string, changes: readonly DocumentChange[]): Promise<void> {
    const encoded = changes.map(({ id, value }) => ({
      key: textKey(RECORD_KIND.document, namespace, id),
      bytes: value === undefined ? undefined : Buffer.from(JSON.stringify(value), 'utf8'),
    }));
    return this.#store.record((batch) => {
      for (const { key, bytes } of encoded) {
        if (bytes === undefined) batch.delete(key, NOTHING, this.#store.nowMs());
        else batch.put(key, bytes);
      }
    });
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

function parse(value: Uint8Array): unknown {
  return JSON.parse(Buffer.from(value).toString('utf8'));
}
