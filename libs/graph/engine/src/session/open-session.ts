import { hash } from 'node:crypto';
import type { PartialRelationships } from '#graph/model';
import { DomainError } from '#platform/foundation';
import { RecordReader } from '../record/record-reader.ts';
import { RecordWriter } from '../record/record-writer.ts';
import { keyParts, RECORD_KIND, textKey } from '../record/record-key.ts';
import type { SessionReply, SessionState } from '../request/replies.ts';
import type { SessionBatch, SyncMode } from '../request/requests.ts';

/** This process's state of a session: its record and the received batches. */
export class OpenSession {
  /** Set during a commit or an abort, which excludes other requests of the session. */
  isEnding = false;
  #session: Session;
  readonly #batches = new Map<number, BatchFacts>();

  constructor(session: Session) {
    this.#session = session;
  }

  get facts(): Session {
    return this.#session;
  }

  get state(): SessionState {
    return this.#session.state;
  }

  batchNumbers(): readonly number[] {
    return Array.from(this.#batches.keys()).sort((a, b) => a - b);
  }

  /** Identifies its batches and their contents. */
  contents(): string {
    return contentsOf(this.#batches.values());
  }

  /** Throws CONFLICT if the session is no longer open. */
  requireOpen(): void {
    if (this.isEnding) throw new DomainError('CONFLICT', 'the session is being committed or aborted');
    if (this.state !== 'open') throw new DomainError('CONFLICT', `the session is ${this.state}`);
  }

  /** Throws CONFLICT if a batch is missing: a diff without it would delete its records. */
  requireWhole(): void {
    const missing = this.batchNumbers().findIndex((number, index) => number !== index + 1) + 1;
    if (missing === 0) return;
    throw new DomainError('CONFLICT', `batch ${String(missing)} is missing`, { details: { missing } });
  }

  /** Returns false for an identical batch; throws CONFLICT for another one with the same number. */
  add(batch: BatchFacts): boolean {
    const known = this.#batches.get(batch.number);
    if (known === undefined) {
      this.#batches.set(batch.number, batch);
      return true;
    }
    if (known.digest === batch.digest) return false;
    throw new DomainError(
      'CONFLICT',
      `batch ${String(batch.number)} was received before with different content`,
    );
  }

  /** Reverts the receipt of a batch. */
  drop(number: number): void {
    this.#batches.delete(number);
  }

  end(state: SessionState): void {
    this.#session = { ...this.#session, state };
  }

  reply(): SessionReply {
    const { id, connectorId, syncId, mode, partialTypes, partialRelationships = [] } = this.#session;
    const { priority, state, createdAtMs, expiresAtMs } = this.#session;
    return {
      session_id: id,
      connector_id: connectorId,
      sync_id: syncId,
      mode,
      partial_types: partialTypes,
      partial_relationships: partialRelationships,
      ...(priority !== undefined && { priority }),
      state,
      batches: this.batchNumbers(),
      entities: this.#sum((batch) => batch.entities),
      relationships: this.#sum((batch) => batch.relationships),
      created_at: new Date(createdAtMs).toISOString(),
      expires_at: new Date(expiresAtMs).toISOString(),
    };
  }

  #sum(of: (batch: BatchFacts) => number): number {
    let total = 0;
    for (const batch of this.#batches.values()) total += of(batch);
    return total;
  }
}

export function contentsOf(batches: Iterable<BatchFacts>): string {
  return Array.from(batches, ({ number, digest }) => `${String(number)} ${digest}`)
    .sort()
    .join();
}

/**
 * Records of sessions. The session: JSON of {@link Session}. A batch: 16 bytes of the content's SHA-256, u32
 * entities, u32 relationships, then `{"entities":[…],"relationships":[…]}` as JSON.
 */
const DIGEST_BYTES = 16;

const NUMBER_DIGITS = 8;

export interface Session {
  readonly id: string;
  readonly connectorId: string;
  readonly syncId: string;
  readonly mode: SyncMode;
  readonly partialTypes: readonly string[];
  /** Absent in sessions of earlier releases. */
  readonly partialRelationships?: readonly PartialRelationships[] | undefined;
  readonly priority?: number | undefined;
  readonly state: SessionState;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

/** The description of a batch without its content. */
export interface BatchFacts {
  readonly number: number;
  readonly digest: string;
  readonly entities: number;
  readonly relationships: number;
}

export function sessionKey(id: string): Uint8Array {
  return textKey(RECORD_KIND.session, id);
}

export function batchKey(id: string, number: number): Uint8Array {
  return textKey(RECORD_KIND.session, id, String(number).padStart(NUMBER_DIGITS, '0'));
}

/** The key prefix of all batches of a session. */
export function batchPrefix(id: string): Uint8Array {
  return textKey(RECORD_KIND.session, id, '');
}

export function readSessionKey(key: Uint8Array): {
  readonly id: string;
  readonly number: number | undefined;
} {
  const [id = '', number] = keyParts(key);
  return { id, number: number === undefined ? undefined : Number(number) };
}

export function encodeSession(session: Session): Uint8Array {
  return Buffer.from(JSON.stringify(session), 'utf8');
}

export function decodeSession(value: Uint8Array): Session {
  return JSON.parse(Buffer.from(value).toString('utf8')) as Session;
}

export function encodeBatch(batch: SessionBatch): Uint8Array {
  const { entities, relationships } = batch;
  const json = JSON.stringify({ entities, relationships });
  const digest = hash('sha256', json, 'buffer').subarray(0, DIGEST_BYTES);
  return new RecordWriter().bytes(digest).u32(entities.length).u32(relationships.length).text(json).copy();
}

export function readBatchFacts(number: number, value: Uint8Array): BatchFacts {
  const reader = new RecordReader(value);
  const digest = Buffer.from(reader.bytes(DIGEST_BYTES)).toString('hex');
  return { number, digest, entities: reader.u32(), relationships: reader.u32() };
}

export function decodeBatch(value: Uint8Array): SessionBatch {
  const json = value.subarray(DIGEST_BYTES + 2 * Uint32Array.BYTES_PER_ELEMENT);
  return JSON.parse(Buffer.from(json).toString('utf8')) as SessionBatch;
}
