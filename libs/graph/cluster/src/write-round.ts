import { randomUUID } from 'node:crypto';
import type { Appended, Batch } from '#graph/storage';
import type { Head } from './batch-table.ts';
import type { Connection } from './connection.ts';
import type { SharedBatch } from './shared-batch.ts';

const BYTES_MAX = 64 * 1024 * 1024;
const BATCHES_MAX = 4_096;
/** Below the server's idle-in-transaction time-out of some seconds. */
const ALIVE_MS = 1_000;

export interface WriteRoundOptions {
  readonly connection: Connection;
  /** As of the begin of the turn. */
  readonly head: Head;
  /** The batches before are as durable as any commit. */
  readonly isConfirmed: boolean;
  /** When its first writer came. */
  readonly sinceMs: number;
}

/** The batches appended in one turn and committed in one transaction. */
export class WriteRound {
  readonly connection: Connection;
  /** All earlier rounds are committed. */
  readonly baseSeq: number;
  /** They are as durable as any commit; otherwise the COMMIT of this round confirms them. */
  readonly isConfirmed: boolean;
  readonly batches: SharedBatch[] = [];
  readonly settled: PromiseWithResolvers<void> = Promise.withResolvers();
  /**
   * What its writers are told: `pending`; `kept`; `dropped`; or `unknown` at the end of their time: then its
   * batches are dropped here, and come back as those of another node if they were committed.
   */
  outcome: 'pending' | 'kept' | 'dropped' | 'unknown' = 'pending';
  /** When its COMMIT was sent. */
  committedMs: number | undefined;
  /** A writer was told that its outcome is not known: the next one may repeat its request. */
  isDoubted = false;
  /** Ends the search for the outcome. */
  readonly over = new AbortController();
  readonly #alive: NodeJS.Timeout;
  #sinceMs: number;
  #bytes = 0;

  constructor({ connection, head, isConfirmed, sinceMs }: WriteRoundOptions) {
    this.connection = connection;
    this.baseSeq = head.seq;
    this.isConfirmed = isConfirmed;
    this.#sinceMs = sinceMs;
    // Writers get the error from their own append; a round without writers has no handler.
    this.settled.promise.catch(() => undefined);
    this.#alive = setInterval(() => {
      connection.query('SELECT 1').catch(() => undefined);
    }, ALIVE_MS).unref();
  }

  /** When its first writer came. */
  get sinceMs(): number {
    return this.#sinceMs;
  }

  /** A writer that came then appends next. */
  join(sinceMs: number): void {
    this.#sinceMs = Math.min(this.#sinceMs, sinceMs);
  }

  get last(): SharedBatch | undefined {
    return this.batches.at(-1);
  }

  get seq(): number {
    return this.baseSeq + this.batches.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isFull(): boolean {
    return this.isDoubted || this.#bytes >= BYTES_MAX || this.batches.length >= BATCHES_MAX;
  }

  append(batch: Batch, atMs: number): Appended {
    const body = Buffer.from(batch.encoded());
    const seq = this.seq + 1;
    this.batches.push({ seq, id: randomUUID(), atMs, body });
    this.#bytes += body.length;
    return { seq, durable: this.settled.promise };
  }

  /** Accepts no more batches. */
  close(): void {
    clearInterval(this.#alive);
  }
}
