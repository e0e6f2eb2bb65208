/** The source of a local copy: a base, and the batches after it. */
import type { StorageLog } from '#graph/storage';
import { DomainError } from '#platform/foundation';
import type { BaseTable } from './base-table.ts';
import type { BatchTable, Head } from './batch-table.ts';
import type { Connection } from './connection.ts';
import type { LocalCopy } from './local-copy.ts';
import { newEpoch } from './schema.ts';

export interface CopySourceParts {
  readonly table: BatchTable;
  readonly bases: BaseTable;
  readonly log: StorageLog;
}

export class CopySource {
  readonly bases: BaseTable;
  readonly #table: BatchTable;
  readonly #log: StorageLog;

  constructor({ table, bases, log }: CopySourceParts) {
    this.bases = bases;
    this.#table = table;
    this.#log = log;
  }

  /** Whether the log continues where the copy ends. */
  follows(copy: LocalCopy, head: Head): boolean {
    const { identity, seq } = copy;
    if (identity === undefined) return seq === 0;
    return identity.epoch === head.epoch && seq <= head.seq && identity.id === head.id;
  }

  /** Whether the last batch of the copy was in this history and is not there any more. */
  hasLost({ identity, seq }: LocalCopy, head: Head): boolean {
    if (identity?.epoch !== head.epoch) return false;
    // Without an id the batch was trimmed.
    return head.seq < seq || (head.id !== undefined && head.id !== identity.id);
  }

  /**
   * Begins a new epoch if the database has lost confirmed batches of the copy: their numbers will be, or
   * were, assigned again, and a token with such a number must not be valid. Returns the head to go on from.
   */
  async settled(connection: Connection, copy: LocalCopy, found: Head): Promise<Head> {
    if (!this.hasLost(copy, found)) return found;
    const { seq } = copy;
    const head = await this.#table.lockHead(connection, seq);
    const { confirmed } = copy;
    const kept = await this.#table.head(connection, confirmed.seq);
    const isKept = kept.seq >= confirmed.seq && (kept.id === undefined || kept.id === confirmed.id);
    const isLost = copy.seq === seq && this.hasLost(copy, head) && !isKept;
    const epoch = newEpoch();
    if (isLost) await this.#table.renew(connection, epoch);
    await connection.wait('COMMIT');
    if (!isLost) return head;
    const fields = { event: 'store.history_lost', seq: copy.seq, head: head.seq, epoch };
    this.#log.error(fields, 'the database has lost committed batches; its history has a new epoch');
    return { ...head, epoch, branch: '' };
  }

  /**
   * Has the copy begin where batches of the log go on. Gives whether it holds something else than before.
   * Throws STORE_CORRUPT when no base is whole, and the log does not begin at its beginning.
   */
  async bring(connection: Connection, copy: LocalCopy, head: Head): Promise<boolean> {
    const isThere = copy.seq > 0 || (head.seq === 0 && !copy.isReplaced);
    if (isThere && this.follows(copy, head)) return false;
    return copy.whileReplaced(() => this.#replace(connection, copy, head));
  }

  async #replace(connection: Connection, copy: LocalCopy, head: Head): Promise<boolean> {
    const isEmpty = copy.seq === 0;
    if (!isEmpty) {
      const fields = { event: 'store.copy_dropped', seq: copy.seq, head: head.seq, epoch: head.epoch };
      this.#log.warn(fields, 'the log does not continue the local copy; reading the store again');
      await copy.clear();
    }
    const isRestored = head.seq > 0 && (await this.#restore(connection, copy));
    const isWhole = isRestored || head.seq === 0 || (await this.#table.oldest(connection)) === 1;
    if (isWhole) return isRestored || !isEmpty;
    throw new DomainError('STORE_CORRUPT', 'the log does not begin at its first batch, and no base is whole');
  }

  /** Returns false if no base exists or none is readable. */
  async #restore(connection: Connection, copy: LocalCopy): Promise<boolean> {
    for (const base of await this.bases.list(connection)) {
      try {
        await copy.restore(this.bases.read(connection, base), base.erased);
        return true;
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        const fields = { event: 'store.base_refused', seq: base.seq, err: error };
        this.#log.error(fields, 'base unreadable; trying the previous one');
      }
    }
    return false;
  }
}
