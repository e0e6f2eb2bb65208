import type { BatchWriter, StoredRecord } from '#graph/storage';
import { DomainError, errorCodeOf } from '#platform/foundation';
import type { Erasure } from '../erasure/erasure.ts';
import type { Naming, StateOwner } from '../erasure/state-owner.ts';
import { keyParts, keyText, RECORD_KIND, textKey } from '../record/record-key.ts';
import { decodeReply, encodeReply, type StoredReply } from '../record/reply-record.ts';
import { SEQ_WAIT_MS } from '../seq/seq-position.ts';
import { noteRepeated, noteSeen } from '../seq/seen-seq.ts';
import { Changes } from './change-batches.ts';
import type { GraphStore } from './graph-store.ts';
import type { Prepared } from './prepared.ts';

/**
 * Replies by connector and the request ids of clients, so that a repeated request returns the first reply and
 * is not executed again, whatever its content. Replies are kept for the retention time.
 */
export class StoredReplies implements StateOwner {
  readonly #store: GraphStore;
  readonly #running = new Map<string, Promise<unknown>>();

  constructor(store: GraphStore) {
    this.#store = store;
  }

  /**
   * The stored reply, or the result of `make`, which runs once for concurrent requests. Another process, or
   * an earlier attempt of this one whose outcome was not known, may store a reply meanwhile: `make` calls
   * `find` again in its exclusive turn. `earlierKey`: the key of the reply in stores of earlier versions.
   */
  once<Reply>(
    key: Uint8Array,
    make: (find: () => Promise<Reply | undefined>) => Promise<Reply>,
    earlierKey?: Uint8Array,
  ): Promise<Reply> {
    const name = keyText(key);
    const running = this.#running.get(name);
    if (running !== undefined) return (running as Promise<Reply>).finally(() => this.#noteRepeated());
    const find = async (unconfirmed: Unconfirmed): Promise<Reply | undefined> =>
      (await this.#find<Reply>(key, unconfirmed)) ??
      (earlierKey && (await this.#find<Reply>(earlierKey, unconfirmed)));
    const promise = find('skip')
      .then((found) => found ?? make(() => find('use')))
      .finally(() => this.#running.delete(name));
    this.#running.set(name, promise);
    return promise;
  }

  /** The stored reply, also that of a request in progress; undefined if there is none. */
  async find<Reply>(key: Uint8Array): Promise<Reply | undefined> {
    const running = this.#running.get(keyText(key)) as Promise<Reply> | undefined;
    return running?.finally(() => this.#noteRepeated()) ?? this.#find<Reply>(key, 'wait');
  }

  /** The stored reply as of this writer's turn, where it is final, or what `other` gives if there is none. */
  findInTurn<Reply, Other>(key: Uint8Array, other: () => Other): Promise<Reply | Other> {
    return this.#store.run<Reply | Other>(
      () => ({ reply: other() }),
      () => this.#find<Reply>(key, 'use'),
    );
  }

  /** Calls `listener` for each reply to a sync stored by another process. */
  onForeignSync<Reply>(listener: (reply: StoredSync<Reply>) => void): void {
    this.#store.onForeign(RECORD_KIND.syncReply, (key, value, seq) => {
      if (value !== undefined) listener(storedSync({ key, value, seq }));
    });
  }

  async #find<Reply>(key: Uint8Array, unconfirmed: Unconfirmed): Promise<Reply | undefined> {
    const { epoch, storage, waiters, failure } = this.#store;
    const record = await (unconfirmed === 'skip' ? this.#recordNow(key) : storage.get(key));
    if (record === undefined) return undefined;
    if (record.seq > storage.durableSeq) {
      if (storage.shared === undefined)
        throw new DomainError('STORE_UNAVAILABLE', failure ?? 'the first such request is not durable');
      if (unconfirmed === 'skip') return undefined;
      if (unconfirmed === 'wait') {
        await waiters.reached(record.seq, SEQ_WAIT_MS);
        // Another history may have begun meanwhile, without it.
        return this.#find<Reply>(key, 'skip');
      }
      // Its number is noted with the answer, once it is confirmed.
    } else noteSeen(epoch, record.seq);
    this.#noteRepeated();
    return decodeReply<Reply>(record.value).reply;
  }

  /** Undefined also while another history is read: the turn begins behind all of it. */
  async #recordNow(key: Uint8Array): Promise<StoredRecord | undefined> {
    try {
      return await this.#store.storage.get(key);
    } catch (error) {
      if (errorCodeOf(error) === 'STORE_UNAVAILABLE') return undefined;
      throw error;
    }
  }

  /** Another request has done the work. The client may have seen later writes since. */
  #noteRepeated(): void {
    noteRepeated();
    noteSeen(this.#store.epoch, this.#store.publishedSeq);
  }

  /** Every stored reply to a sync, with its connector; unordered. */
  async *syncs<Reply>(): AsyncIterableIterator<StoredSync<Reply>> {
    for await (const chunk of this.#store.storage.scan(textKey(RECORD_KIND.syncReply))) {
      for (const record of chunk) yield storedSync(record);
    }
  }

  /** Drops replies older than the retention time; resolves to their number. */
  async sweep(): Promise<number> {
    const expired: Uint8Array[] = [];
    for await (const { key, value } of this.#all()) if (this.#hasExpired(value)) expired.push(key);
    let removed = 0;
    for (let at = 0; at < expired.length; at += SWEPT_MAX)
      removed += await this.#remove(expired.slice(at, at + SWEPT_MAX));
    return removed;
  }

  /** Takes the names of an entity out of the warnings of all replies; resolves to the number of these. */
  async erase(erasure: Erasure): Promise<number> {
    let changed = 0;
    const changes = new Changes((write) => this.#store.record(write));
    for await (const { key, value } of this.#all()) {
      const stored = decodeReply<object>(value);
      const reply = erasure.redacted(stored.reply);
      if (reply === stored.reply) continue;
      changed++;
      const bytes = encodeReply({ atMs: stored.atMs, reply });
      await changes.add((batch) => {
        batch.put(key, bytes);
      });
    }
    await changes.flush();
    return changed;
  }

  /** The replies that still name it: by the id that a client has given the request. */
  async naming(erasure: Erasure): Promise<readonly Naming[]> {
    const found: Naming[] = [];
    for await (const { key, value } of this.#all()) {
      const id = keyParts(key).join(' ');
      if (!erasure.isNamedIn(id) && !erasure.isNamedIn(Buffer.from(value).toString('utf8'))) continue;
      const untilMs = decodeReply(value).atMs + this.#store.retentionMs;
      found.push({ kind: 'stored reply', id, until: new Date(untilMs).toISOString() });
    }
    return found;
  }

  async *#all(): AsyncGenerator<Pick<StoredRecord, 'key' | 'value'>> {
    for (const kind of [RECORD_KIND.syncReply, RECORD_KIND.writeReply]) {
      for await (const chunk of this.#store.storage.scan(textKey(kind)))
        for (const { key, value } of chunk) yield { key: key.slice(), value };
    }
  }

  /** Removes those that are still expired in the turn: another process may have used a key again. */
  async #remove(keys: readonly Uint8Array[]): Promise<number> {
    let present: readonly (StoredRecord | undefined)[] = [];
    const read = async (): Promise<undefined> => {
      present = await Promise.all(keys.map((key) => this.#store.storage.get(key)));
    };
    const prepare = (): Prepared<number> => {
      const gone = present.filter((record) => record !== undefined && this.#hasExpired(record.value));
      const record = (batch: BatchWriter): void => {
        for (const each of gone) if (each !== undefined) batch.delete(each.key, NOTHING, this.#store.nowMs());
      };
      return gone.length === 0 ? { reply: 0 } : { reply: gone.length, record };
    };
    await read();
    return this.#store.run(prepare, read);
  }

  #hasExpired(value: Uint8Array): boolean {
    return decodeReply(value).atMs < this.#store.nowMs() - this.#store.retentionMs;
  }
}

/**
 * A reply that another process has stored, and that may not be as durable as a commit yet: `use` it in the
 * turn, whose answer waits for that; `wait` for that; or `skip` it, to look again in the turn.
 */
type Unconfirmed = 'use' | 'wait' | 'skip';

/** The reply to a sync, and the sequence number of its batch. */
export interface StoredSync<Reply> extends StoredReply<Reply> {
  readonly connectorId: string;
  readonly seq: number;
}

const NOTHING = new Uint8Array(0);
/** Limits the time of one turn. */
const SWEPT_MAX = 1_000;

export function syncReplyKey(connectorId: string, syncId: string): Uint8Array {
  return textKey(RECORD_KIND.syncReply, connectorId, syncId);
}

export function writeReplyKey(connectorId: string, writeId: string): Uint8Array {
  return textKey(RECORD_KIND.writeReply, connectorId, writeId);
}

/** The key in stores of earlier versions, whatever the connector. */
export function earlierWriteReplyKey(writeId: string): Uint8Array {
  return textKey(RECORD_KIND.writeReply, writeId);
}

function storedSync<Reply>({
  key,
  value,
  seq,
}: Pick<StoredRecord, 'key' | 'value' | 'seq'>): StoredSync<Reply> {
  return { ...decodeReply<Reply>(value), connectorId: syncKeyConnector(key), seq };
}

function syncKeyConnector(key: Uint8Array): string {
  const end = key.indexOf(0);
  return Buffer.from(key).toString('utf8', 1, end);
}
