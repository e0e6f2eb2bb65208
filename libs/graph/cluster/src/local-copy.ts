/**
 * This node's copy of the shared log in a local directory: a single-node store with the same batches under
 * the same numbers. It may be deleted at any time. Each batch carries its identity, so a copy of another
 * history is detected.
 */
import {
  type BackupOptions,
  decodeOperations,
  type ForeignBatch,
  type ImagePart,
  restoreStore,
  type ScanOptions,
  Storage,
  type StorageOptions,
  type StorageStats,
  type StoredRecord,
} from '#graph/storage';
import { assert, DomainError } from '#platform/foundation';
import type { SharedBatch } from './shared-batch.ts';

/** Key of the record that identifies the last batch of the copy. */
export const IDENTITY_KEY = Uint8Array.of(0x49);
/** u32 length of the operations, u32 their number. */
export const BODY_HEADER_BYTES = 8;
/**
 * A batch is in the log before it is in a copy, and is read from there again if a crash cuts it off: a sync
 * for each turn of every node would only delay the commits of a database on the same machine.
 */
const GATHER_MS = 50;
/** Errors after which the copy is rebuilt from the log. */
const USELESS = new Set(['STORE_CORRUPT', 'STORE_TOO_NEW']);

/** Identity of the last batch of the copy. */
export interface CopyIdentity {
  readonly epoch: string;
  readonly id: string;
  /** The batch up to which what was deleted is erased. */
  readonly erased: number;
}

/** A batch of the copy; without an id, the begin of the log. */
interface Confirmed {
  readonly seq: number;
  readonly id: string | undefined;
}

export class LocalCopy {
  readonly #directory: CopyDirectory;
  #storage: Storage;
  #identity: CopyIdentity | undefined;
  /** Batches after the confirmed ones, in order. */
  #unconfirmed: Confirmed[] = [];
  #confirmed: Confirmed = { seq: 0, id: undefined };
  #durable: Promise<void> = Promise.resolve();
  #isReplaced = false;
  #erased = 0;

  /** Empties a directory that is not a readable store. Throws STORE_LOCKED or STORE_UNAVAILABLE. */
  static async open(options: StorageOptions): Promise<LocalCopy> {
    const directory = new CopyDirectory(options);
    const storage = await directory.open();
    const copy = new LocalCopy(directory, storage);
    await copy.#identify();
    if (copy.#identity === undefined && storage.seq > 0) await copy.clear();
    return copy;
  }

  private constructor(directory: CopyDirectory, storage: Storage) {
    this.#directory = directory;
    this.#storage = storage;
  }

  get storage(): Storage {
    return this.#storage;
  }

  get seq(): number {
    return this.#storage.seq;
  }

  /** Undefined for an empty copy. */
  get identity(): CopyIdentity | undefined {
    return this.#identity;
  }

  /** What was deleted up to this batch is in none of its files. A restart may forget that. */
  get erased(): number {
    return this.#erased;
  }

  /** The last batch that is known to be as durable as any commit. */
  get confirmed(): Confirmed {
    return this.#confirmed;
  }

  /** Appends the next batches, unconfirmed. Throws STORE_UNAVAILABLE if the directory is not writable. */
  add(batches: readonly SharedBatch[], epoch: string): void {
    for (const { seq, id, body } of batches) {
      assert(seq === this.seq + 1, 'expected the batch that follows');
      const batch = this.#storage.batch();
      batch.load(body);
      const identity = { epoch, id, erased: this.#erased };
      batch.put(IDENTITY_KEY, Buffer.from(`${epoch} ${id} ${String(this.#erased)}`, 'utf8'));
      this.#durable = this.#storage.append(batch).durable;
      this.#identity = identity;
      this.#unconfirmed.push({ seq, id });
    }
  }

  /** The batches up to `seq` are as durable as any commit. */
  confirm(upTo: number): void {
    const last = this.#unconfirmed.findLast(({ seq }) => seq <= upTo);
    if (last === undefined) return;
    this.#confirmed = last;
    this.#unconfirmed = this.#unconfirmed.filter(({ seq }) => seq > upTo);
  }

  /** Resolves when all added batches are on disk. */
  synced(): Promise<void> {
    return this.#durable;
  }

  /** Throws STORE_UNAVAILABLE while it {@link isReplaced}. */
  async get(key: Uint8Array): Promise<StoredRecord | undefined> {
    const storage = this.#readable();
    try {
      return await storage.get(key);
    } catch (error) {
      throw this.#reasonOf(error, storage);
    }
  }

  /** The same; a scan that has begun before ends with it. */
  async *scan(
    prefix: Uint8Array,
    options?: ScanOptions,
  ): AsyncGenerator<readonly StoredRecord[], void, undefined> {
    const storage = this.#readable();
    try {
      yield* storage.scan(prefix, options);
    } catch (error) {
      throw this.#reasonOf(error, storage);
    }
  }

  /** It is being replaced, or that has failed: to readers it would seem to be closed, or to lack records. */
  get isReplaced(): boolean {
    return this.#isReplaced;
  }

  /** Runs `work`, which replaces it. */
  async whileReplaced<T>(work: () => Promise<T>): Promise<T> {
    this.#isReplaced = true;
    const result = await work();
    this.#isReplaced = false;
    return result;
  }

  #readable(): Storage {
    if (this.#isReplaced) throw isBeingReplaced();
    return this.#storage;
  }

  #reasonOf(error: unknown, storage: Storage): unknown {
    return this.#isReplaced || storage !== this.#storage ? isBeingReplaced(error) : error;
  }

  /** Erases what was deleted; resolves to files that still hold some. */
  async erase(): Promise<readonly string[]> {
    const storage = this.#readable();
    await this.synced();
    const { seq } = storage;
    try {
      const left = await storage.erase();
      if (storage === this.#storage) this.#erased = Math.max(this.#erased, seq);
      return left;
    } catch (error) {
      throw this.#reasonOf(error, storage);
    }
  }

  /** Removes everything. */
  async clear(): Promise<void> {
    await this.#storage.close();
    this.#storage = await this.#directory.openEmpty();
    await this.#identify();
  }

  /** Replaces the contents by a backup that is `erased`; a damaged or truncated one leaves an empty copy. */
  async restore(pieces: AsyncIterable<Uint8Array>, erased = 0): Promise<void> {
    await this.#storage.close();
    await this.#directory.clear();
    try {
      await this.#directory.restore(pieces);
    } finally {
      this.#storage = await this.#directory.open();
      await this.#identify();
    }
    this.#erased = Math.max(this.#erased, erased);
  }

  async #identify(): Promise<void> {
    this.#identity = await readIdentity(this.#storage);
    this.#erased = this.#identity?.erased ?? 0;
    this.#unconfirmed = [];
    this.#confirmed = { seq: this.#storage.seq, id: this.#identity?.id };
  }

  /** The contents on disk now, with the last batch. */
  backup(): { readonly seq: number; readonly pieces: AsyncGenerator<Uint8Array> } {
    const { durableSeq: seq } = this.#storage;
    const pieces = this.#storage.backupStream({ withImage: false });
    // The first read fixes the contents of the stream.
    const first = pieces.next();
    return { seq, pieces: joined(first, pieces) };
  }

  async backupTo(targetDirectory: string, onBytes?: (bytes: number) => void): Promise<void> {
    await this.synced();
    await this.#storage.backup(targetDirectory, onBytes);
  }

  async *backupStream(options?: BackupOptions): AsyncGenerator<Uint8Array> {
    await this.synced();
    yield* this.#storage.backupStream(options);
  }

  async saveImage(seq: number, parts: readonly ImagePart[]): Promise<void> {
    await this.synced();
    await this.#storage.saveImage(seq, parts);
  }

  /** Without a torn tail: what a crash cut off the copy is read from the log again. */
  stats(): StorageStats {
    return { ...this.#storage.stats(), torn_tail: undefined };
  }

  close(): Promise<void> {
    return this.#storage.close();
  }
}

function isBeingReplaced(cause?: unknown): DomainError {
  return new DomainError('STORE_UNAVAILABLE', 'another history of the store is being read', { cause });
}

/** The directory of a copy. */
class CopyDirectory {
  readonly #options: StorageOptions;

  constructor(options: StorageOptions) {
    this.#options = { gatherMs: GATHER_MS, ...options };
  }

  /** Empties a directory that is not a readable store. */
  async open(): Promise<Storage> {
    try {
      return await Storage.open(this.#options);
    } catch (error) {
      if (!(error instanceof DomainError) || !USELESS.has(error.code)) throw error;
      this.#options.log?.warn({ event: 'store.copy_dropped', err: error }, 'rebuilding the local copy');
      return this.openEmpty();
    }
  }

  async openEmpty(): Promise<Storage> {
    await this.clear();
    return Storage.open(this.#options);
  }

  /** Clears the directory, then restores a backup into it. */
  async restore(pieces: AsyncIterable<Uint8Array>): Promise<void> {
    await restoreStore(this.#options.disk, this.#options.directory, pieces);
  }

  clear(): Promise<void> {
    return this.#options.disk.removeDirectory(this.#options.directory);
  }
}

/** The batch as a follower applies it. */
export function foreignBatch({ seq, atMs, body }: SharedBatch): ForeignBatch {
  return { seq, atMs, operations: () => decodeOperations(body, BODY_HEADER_BYTES, body.length) };
}

async function* joined(
  first: Promise<IteratorResult<Uint8Array>>,
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const step = await first;
  if (step.done !== true) yield step.value;
  yield* rest;
}

async function readIdentity(storage: Storage): Promise<CopyIdentity | undefined> {
  const record = await storage.get(IDENTITY_KEY);
  if (record?.seq !== storage.seq) return undefined;
  const [epoch = '', id = '', erased = '0'] = Buffer.from(record.value).toString('utf8').split(' ');
  return { epoch, id, erased: Number(erased) };
}
