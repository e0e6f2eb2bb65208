import type { StoredRecord } from '#graph/storage';
import { DomainError } from '#platform/foundation';
import { RECORD_KIND, textKey } from '../record/record-key.ts';
import { decodeReply, type StoredReply } from '../record/reply-record.ts';
import { noteSeen } from '../seq/seen-seq.ts';
import type { GraphStore } from './graph-store.ts';

/**
 * Replies by connector and the request ids of clients, so that a repeated request returns the first reply and
 * is not executed again, whatever its content. Replies are kept for the retention time.
 */
export class StoredReplies {
  readonly #store: GraphStore;
  readonly #running = new Map<string, Running>();

  constructor(store: GraphStore) {
    this.#store = store;
    const note = (key: Uint8Array): void => {
      const running = this.#running.get(nameOf(key));
      if (running !== undefined) running.isOvertaken = true;
    };
    for (const kind of [RECORD_KIND.syncReply, RECORD_KIND.writeReply]) store.onForeign(kind, note);
  }

  /**
   * The stored reply, or the result of `make`, which runs once for concurrent requests. Another process may
   * store a reply meanwhile: `make` calls `requireFirst` in its exclusive turn, before any change.
   * `earlierKey`: the key of the reply in stores of earlier versions.
   */
  once<Reply>(
    key: Uint8Array,
    make: (requireFirst: () => void) => Promise<Reply>,
    earlierKey?: Uint8Array,
  ): Promise<Reply> {
    const name = nameOf(key);
    const known = this.#running.get(name);
    if (known !== undefined) return (known.promise as Promise<Reply>).finally(() => this.#noteRepeated());
    const running: Running = { isOvertaken: false, promise: undefined };
    this.#running.set(name, running);
    const find = async (): Promise<Reply | undefined> =>
      (await this.find<Reply>(key)) ?? (earlierKey && (await this.find<Reply>(earlierKey)));
    const promise = this.#findOrMake(find, make, running).finally(() => this.#running.delete(name));
    running.promise = promise;
    return promise;
  }

  /** Calls `listener` for each reply to a sync stored by another process. */
  onForeignSync<Reply>(listener: (reply: StoredSync<Reply>) => void): void {
    this.#store.onForeign(RECORD_KIND.syncReply, (key, value, seq) => {
      if (value !== undefined) listener(storedSync({ key, value, seq }));
    });
  }

  /** The stored reply; undefined if there is none. */
  async find<Reply>(key: Uint8Array): Promise<Reply | undefined> {
    const { epoch } = this.#store;
    const record = await this.#store.storage.get(key);
    if (record === undefined) return undefined;
    if (record.seq > this.#store.storage.durableSeq) {
      throw new DomainError(
        'STORE_UNAVAILABLE',
        this.#store.failure ?? 'the first such request is not durable',
      );
    }
    noteSeen(epoch, record.seq);
    this.#noteRepeated();
    return decodeReply<Reply>(record.value).reply;
  }

  /** Another request has done the work. The client may have seen later writes since. */
  #noteRepeated(): void {
    noteSeen(this.#store.epoch, this.#store.publishedSeq);
  }

  async #findOrMake<Reply>(
    find: () => Promise<Reply | undefined>,
    make: (requireFirst: () => void) => Promise<Reply>,
    running: Running,
  ): Promise<Reply> {
    const requireFirst = (): void => {
      if (running.isOvertaken) throw new Overtaken();
    };
    for (;;) {
      running.isOvertaken = false;
      const found = await find();
      if (found !== undefined) return found;
      try {
        return await make(requireFirst);
      } catch (error) {
        if (!(error instanceof Overtaken)) throw error;
      }
    }
  }

  /** Every stored reply to a sync, with its connector; unordered. */
  async *syncs<Reply>(): AsyncIterableIterator<StoredSync<Reply>> {
    for await (const chunk of this.#store.storage.scan(textKey(RECORD_KIND.syncReply))) {
      for (const record of chunk) yield storedSync(record);
    }
  }

  /** Drops replies older than the retention time; resolves to their number. */
  async sweep(): Promise<number> {
    const before = this.#store.nowMs() - this.#store.retentionMs;
    const expired: Uint8Array[] = [];
    for (const kind of [RECORD_KIND.syncReply, RECORD_KIND.writeReply]) {
      for await (const chunk of this.#store.storage.scan(textKey(kind))) {
        for (const { key, value } of chunk) if (decodeReply(value).atMs < before) expired.push(key.slice());
      }
    }
    if (expired.length > 0) await this.#remove(expired);
    return expired.length;
  }

  #remove(keys: readonly Uint8Array[]): Promise<void> {
    return this.#store.record((batch) => {
      for (const key of keys) batch.delete(key, NOTHING, this.#store.nowMs());
    });
  }
}

/** The reply to a sync, and the sequence number of its batch. */
export interface StoredSync<Reply> extends StoredReply<Reply> {
  readonly connectorId: string;
  readonly seq: number;
}

interface Running {
  /** Another process has stored a reply since the last look-up. */
  isOvertaken: boolean;
  promise: Promise<unknown> | undefined;
}

class Overtaken extends Error {}

const NOTHING = new Uint8Array(0);

function nameOf(key: Uint8Array): string {
  return Buffer.from(key).toString('latin1');
}

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
