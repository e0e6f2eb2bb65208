import { AsyncLocalStorage } from 'node:async_hooks';
import { DomainError, InvariantViolation, type Soon, Turns } from '#platform/foundation';
import { type DocumentKind, kindOf } from '../erasure/document-kind.ts';
import type { Erasure } from '../erasure/erasure.ts';
import type { Naming, StateOwner } from '../erasure/state-owner.ts';
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

/** The state of the documents that exclusive work has read. */
interface Reading {
  /** Undefined after the end of the work. */
  version: number | undefined;
}

export interface StoredDocument {
  readonly id: string;
  readonly value: unknown;
}

/**
 * JSON documents of other owners, such as policies, by namespace and id, in the same store. Neither namespace
 * nor id may contain NUL. Reads return the last writes of this process, durable or not.
 */
export class Documents implements SharedDocuments, StateOwner {
  readonly #store: GraphStore;
  readonly #readers: {
    readonly namespace: string;
    readonly prefix: string;
    readonly read: DocumentReader;
  }[] = [];
  /** Documents to reread, changed by other processes. */
  readonly #stale = new Set<DocumentReader>();
  readonly #turns = new Turns(Number.POSITIVE_INFINITY);
  /** Changes whenever documents of other processes have been reread. */
  #version = 0;
  #isStale = false;
  /** The reading of exclusive work and its asynchronous continuations. */
  readonly #reading = new AsyncLocalStorage<Reading>();
  readonly #kinds: readonly DocumentKind[] | undefined;
  /** Forgotten since the start: work that began before may still write about them. */
  readonly #forgotten = new Map<string, Erasure>();

  /** `kinds`: all that may be written; undefined: any, and what is in the store about an entity stays. */
  constructor(store: GraphStore, kinds?: readonly DocumentKind[]) {
    this.#store = store;
    this.#kinds = kinds;
    store.onForeign(RECORD_KIND.document, (key) => {
      const [namespace, id = ''] = keyParts(key);
      this.#isStale = true;
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
   * Runs `work`, a read-modify-write of documents, after all earlier changes of other processes are visible.
   * If another process changes documents before the changes of the work are appended, these are refused, and
   * the work runs again on the new state. Throws STORE_UNAVAILABLE if the other processes cannot be reached.
   */
  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    if (this.#store.storage.shared === undefined) return this.#turns.run(work);
    this.#store.assertWritable();
    return this.#turns.run(async () => {
      for (let attempt = 1; ; attempt++) {
        await this.#store.catchUp();
        const reading: Reading = { version: this.#version };
        try {
          return await this.#reading.run(reading, work);
        } catch (error) {
          if (!(error instanceof Overtaken)) throw error;
          if (attempt === ATTEMPTS_MAX) throw new DomainError('STORE_UNAVAILABLE', OVERTAKEN);
        } finally {
          reading.version = undefined;
        }
      }
    });
  }

  /**
   * Resolves when all that other processes acknowledged before the call is here: before an unknown id, which
   * may be new, is refused. How often it is called makes no difference to them. Throws STORE_UNAVAILABLE
   * while it cannot be known.
   */
  upToDate(): Promise<void> {
    return this.#store.look.taken();
  }

  /** The result of `find`, which is asked again, once this is up to date, before its NOT_FOUND counts. */
  async found<T>(find: () => Soon<T>): Promise<T> {
    try {
      return await find();
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'NOT_FOUND') throw error;
    }
    await this.upToDate();
    return find();
  }

  /**
   * All changes in one atomic batch; resolves when durable. `isBookkeeping` is set for what the program notes
   * of its own work: it is no event of the audit.
   */
  change(
    namespace: string,
    changes: readonly DocumentChange[],
    { isBookkeeping = false }: { readonly isBookkeeping?: boolean } = {},
  ): Promise<void> {
    const target = isBookkeeping ? undefined : [namespace, ...changes.map(({ id }) => id)].join(' ');
    const encoded = changes.map(({ id, value }) => {
      const kept = this.withoutForgotten(namespace, id, value);
      return {
        key: documentKey(namespace, id),
        bytes: kept === undefined ? undefined : encodeDocument(kept),
      };
    });
    const reading = this.#reading.getStore();
    // Checked in the turn, in which no other process appends.
    return this.#store.record(
      (batch) => {
        for (const { key, bytes } of encoded) {
          if (bytes === undefined) batch.delete(key, NOTHING, this.#store.nowMs());
          else batch.put(key, bytes);
        }
      },
      {
        target,
        check: () => {
          const version = reading?.version;
          if (version !== undefined && version !== this.#version) throw new Overtaken();
        },
      },
    );
  }

  /** Leaves out of all later documents what they say about an entity, until it is there again. */
  leaveOut(erasure: Erasure): void {
    this.#forgotten.set(erasure.id, erasure);
  }

  /** A document as it will be stored, without what it says of forgotten entities; undefined for none. */
  withoutForgotten(namespace: string, id: string, value: unknown): unknown {
    if (this.#kinds === undefined) return value;
    const kind = kindOf(this.#kinds, namespace, id);
    if (kind === undefined)
      throw new InvariantViolation(
        `documents "${namespace} ${id}" are not registered: what is forgotten would stay`,
      );
    let kept = value;
    for (const erasure of this.#forgotten.values()) {
      if (this.#isLive(erasure.id)) this.#forgotten.delete(erasure.id);
      else if (kept !== undefined) kept = kind.without(kept, erasure, id);
    }
    return kept;
  }

  /**
   * Removes from all documents what the program has written about an entity, and has their owners read them
   * again; resolves to the number of changed documents. May be repeated. Throws STORE_UNAVAILABLE for
   * documents of a kind that this program does not know.
   */
  erase(erasure: Erasure): Promise<number> {
    this.leaveOut(erasure);
    return this.exclusively(async () => {
      const byNamespace = new Map<string, DocumentChange[]>();
      for await (const { namespace, id, value } of this.#everything()) {
        const next = this.#kindOf(namespace, id).without(value, erasure, id);
        if (next === value) continue;
        const changes = byNamespace.get(namespace) ?? [];
        byNamespace.set(namespace, changes);
        changes.push({ id, value: next });
      }
      for (const [namespace, changes] of byNamespace)
        for (let at = 0; at < changes.length; at += ERASED_AT_ONCE)
          await this.change(namespace, changes.slice(at, at + ERASED_AT_ONCE), { isBookkeeping: true });
      await this.#readAgain(byNamespace);
      return [...byNamespace.values()].reduce((sum, { length }) => sum + length, 0);
    });
  }

  async #readAgain(changed: ReadonlyMap<string, readonly DocumentChange[]>): Promise<void> {
    const stale = this.#readers.filter(({ namespace, prefix }) =>
      changed.get(namespace)?.some(({ id }) => id.startsWith(prefix)),
    );
    // Nothing is taken over from other processes meanwhile.
    await this.#store.alone(async () => {
      for (const read of new Set(stale.map((reader) => reader.read))) await read();
    });
  }

  /** The documents in which people, or the data of other records, name the entity. */
  async naming(erasure: Erasure): Promise<readonly Naming[]> {
    const found: Naming[] = [];
    for await (const { namespace, id, text } of this.#everything()) {
      if (!erasure.isNamedIn(id) && !erasure.isNamedIn(text)) continue;
      const { noun, prefix } = this.#kindOf(namespace, id);
      found.push({ kind: noun, id: id.slice(prefix.length), until: null });
    }
    return found;
  }

  async *#everything(): AsyncGenerator<{
    readonly namespace: string;
    readonly id: string;
    readonly value: unknown;
    readonly text: string;
  }> {
    for await (const chunk of this.#store.storage.scan(Uint8Array.of(RECORD_KIND.document))) {
      for (const { key, value } of chunk) {
        const [namespace = '', id = ''] = keyParts(key);
        const text = Buffer.from(value).toString('utf8');
        yield { namespace, id, text, value: JSON.parse(text) };
      }
    }
  }

  /** Throws STORE_UNAVAILABLE for one that is not registered. */
  #kindOf(namespace: string, id: string): DocumentKind {
    const kind = kindOf(this.#kinds ?? [], namespace, id);
    if (kind !== undefined) return kind;
    const message = `documents "${namespace} ${id}": this program does not know what they say about an entity`;
    throw new DomainError('STORE_UNAVAILABLE', message);
  }

  #isLive(entityId: string): boolean {
    const { memory } = this.#store;
    const node = memory.findEntity(entityId);
    return node >= 0 && !memory.entityState(node).isDeleted;
  }

  /** The store has another history: all documents must be reread. */
  reloaded(): Promise<void> {
    for (const { read } of this.#readers) this.#stale.add(read);
    this.#isStale = true;
    return this.#readStale();
  }

  async #readStale(): Promise<void> {
    for (const read of this.#stale) {
      this.#stale.delete(read);
      await read();
    }
    // Work that reads documents meanwhile may have read earlier ones.
    if (this.#isStale) this.#version++;
    this.#isStale = false;
  }

  /** `undefined` if it does not exist. */
  async get(namespace: string, id: string): Promise<unknown> {
    const record = await this.#store.storage.get(documentKey(namespace, id));
    return record === undefined ? undefined : parse(record.value);
  }

  /** The documents whose ids begin with `idPrefix`, in bytewise order of ids. */
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
const ATTEMPTS_MAX = 20;
const ERASED_AT_ONCE = 64;
const OVERTAKEN = 'other nodes changed the documents at each attempt; nothing was written';

/** Another process has changed documents since the work has read them. */
class Overtaken extends Error {}

export function documentKey(namespace: string, id: string): Uint8Array {
  return textKey(RECORD_KIND.document, namespace, id);
}

export function encodeDocument(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value), 'utf8');
}

function parse(value: Uint8Array): unknown {
  return JSON.parse(Buffer.from(value).toString('utf8'));
}
