import { DomainError } from '#platform/foundation';
import type { SessionReply, SessionState } from '../request/replies.ts';
import type { BatchFacts, Session } from './session-record.ts';

/** A session as this process knows it: its record, and what batches it has. */
export class OpenSession {
  /** While a commit or an abort runs, nothing else may happen to the session. */
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

  /** Throws CONFLICT when the session takes nothing more. */
  requireOpen(): void {
    if (this.isEnding) throw new DomainError('CONFLICT', 'the session is being committed or aborted');
    if (this.state !== 'open') throw new DomainError('CONFLICT', `the session is ${this.state}`);
  }

  /** Throws CONFLICT when a batch has not come: a diff without it would delete what it reports. */
  requireWhole(): void {
    const missing = this.batchNumbers().findIndex((number, index) => number !== index + 1) + 1;
    if (missing === 0) return;
    throw new DomainError('CONFLICT', `batch ${String(missing)} has not come`, { details: { missing } });
  }

  /** Gives false when it has this very batch; throws CONFLICT when it has another under the same number. */
  add(batch: BatchFacts): boolean {
    const known = this.#batches.get(batch.number);
    if (known === undefined) {
      this.#batches.set(batch.number, batch);
      return true;
    }
    if (known.digest === batch.digest) return false;
    throw new DomainError('CONFLICT', `batch ${String(batch.number)} came before with different content`);
  }

  end(state: SessionState): void {
    this.#session = { ...this.#session, state };
  }

  reply(): SessionReply {
    const { id, connectorId, syncId, mode, partialTypes, priority } = this.#session;
    const { state, createdAtMs, expiresAtMs } = this.#session;
    return {
      session_id: id,
      connector_id: connectorId,
      sync_id: syncId,
      mode,
      partial_types: partialTypes,
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
