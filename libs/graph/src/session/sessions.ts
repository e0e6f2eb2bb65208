import type { SessionReply, SyncReply } from '../ingest/replies.ts';
import type { SafetyValve, SessionBatch, SyncOptions, SyncScope } from '../ingest/requests.ts';

/**
 * Syncs that come in parts. A session survives a restart and expires 24 hours after it was opened: then every
 * call but `abort` throws SESSION_EXPIRED. An unknown id throws NOT_FOUND.
 */
export class Sessions {
  /** Resolves when the session is durable. */
  open(_scope: SyncScope): Promise<SessionReply> {
    throw new Error('not yet');
  }

  /**
   * Resolves when the batch is durable. `number` counts from 1. The same batch again is fine; another content
   * under the same number, or a session that is no longer open, throws CONFLICT.
   */
  putBatch(_sessionId: string, _number: number, _batch: SessionBatch): Promise<SessionReply> {
    throw new Error('not yet');
  }

  /** One atomic diff of all batches. Repeated, it gives the stored reply. */
  commit(_sessionId: string, _options?: SyncOptions & SafetyValve): Promise<SyncReply> {
    throw new Error('not yet');
  }

  /** Drops the batches. Repeated, it does nothing; a committed session throws CONFLICT. */
  abort(_sessionId: string): Promise<SessionReply> {
    throw new Error('not yet');
  }

  get(_sessionId: string): SessionReply {
    throw new Error('not yet');
  }
}
