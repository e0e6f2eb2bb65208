import type { ServerReadableStream } from '@grpc/grpc-js';
import { DomainError } from '#platform/foundation';
import { sizeOf } from '#platform/grpc';
import type { SyncReplySent, SyncRequestWire, SyncStartWire } from '../generated/graph-messages.ts';
import { recordsBody, syncBody } from '../wire/request-body.ts';

export type SyncCall = ServerReadableStream<SyncRequestWire, SyncReplySent>;

export interface SyncLimits {
  /** Maximum total size of all messages. */
  readonly bytesMax: number;
  /** Maximum number of records, properties and values in all messages. */
  readonly partsMax: number;
  /** Maximum pause between two messages. */
  readonly pauseMs: number;
}

/** A complete sync. */
export interface CompleteSync {
  readonly start: SyncStartWire;
  /** The body in REST's form. */
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Collects a sync: its start, its records, its commit. The end of a stream is not a commit: a failing client
 * or connection can end a stream normally as well, and the missing records would be deleted.
 */
export class SyncUpload {
  readonly #call: SyncCall;
  readonly #limits: SyncLimits;
  readonly #entities: unknown[] = [];
  readonly #relationships: unknown[] = [];
  #start: SyncStartWire | undefined;
  #isCommitted = false;
  #hasPaused = false;
  #bytes = 0;
  #parts = 0;

  constructor(call: SyncCall, limits: SyncLimits) {
    this.#call = call;
    this.#limits = limits;
  }

  /** Throws INVALID_REQUEST for an incomplete stream, and BODY_TOO_LARGE. */
  async received(): Promise<CompleteSync> {
    const pause = setTimeout(() => {
      this.#hasPaused = true;
      this.#call.destroy();
    }, this.#limits.pauseMs);
    try {
      for await (const message of this.#call) {
        pause.refresh();
        this.#take(message as SyncRequestWire);
      }
    } catch (error) {
      if (this.#hasPaused) throw incomplete(`the stream paused for ${this.#limits.pauseMs} ms`);
      throw this.#call.cancelled ? incomplete('the stream broke off') : error;
    } finally {
      clearTimeout(pause);
    }
    return this.#complete();
  }

  #take(message: SyncRequestWire): void {
    const { bytes, parts } = sizeOf(message);
    this.#bytes += bytes;
    this.#parts += parts;
    const { bytesMax, partsMax } = this.#limits;
    if (this.#bytes > bytesMax || this.#parts > partsMax) {
      throw new DomainError('BODY_TOO_LARGE', 'the messages together are larger than the limit');
    }
    if (this.#isCommitted) throw incomplete('expected no message after commit');
    const { start, records, commit } = message;
    if ((this.#start === undefined) !== (start !== undefined)) {
      throw incomplete('expected start as the first message, once');
    }
    if (start !== undefined) this.#start = start;
    else if (commit !== undefined) this.#isCommitted = true;
    else if (records === undefined) throw incomplete('expected start, records or commit');
    else {
      const { entities, relationships } = recordsBody(records);
      for (const entity of entities) this.#entities.push(entity);
      for (const relationship of relationships) this.#relationships.push(relationship);
    }
  }

  #complete(): CompleteSync {
    const start = this.#start;
    if (start === undefined) throw incomplete('expected start as the first message, once');
    if (!this.#isCommitted) throw incomplete('the stream ended without commit');
    const body = { ...syncBody(start), entities: this.#entities, relationships: this.#relationships };
    return { start, body };
  }
}

function incomplete(message: string): DomainError {
  return new DomainError('INVALID_REQUEST', `${message}; nothing was applied`);
}
