/**
 * A position in a history, as exchanged with clients: `<epoch>.<sequence number>`.
 */
import { DomainError } from '#platform/foundation';

/** Default time-out of a request that waits for a position. */
export const SEQ_WAIT_MS = 5_000;

const TOKEN = /^([\w-]{1,64})\.(0|[1-9]\d{0,15})$/;

export function seqToken(epoch: string, seq: number): string {
  return `${epoch}.${String(seq)}`;
}

/**
 * The sequence number. Throws INVALID_REQUEST for a malformed token, CONFLICT for another history than
 * `epoch`.
 */
export function parseSeqToken(token: string, epoch: string): number {
  const [, theirs, digits = ''] = TOKEN.exec(token) ?? [];
  const seq = Number(digits);
  if (theirs === undefined || !Number.isSafeInteger(seq)) {
    throw new DomainError('INVALID_REQUEST', 'Plexus-Seq: expected one that a reply has given', {
      details: { field: 'Plexus-Seq' },
    });
  }
  if (theirs === epoch) return seq;
  const message = `Plexus-Seq: expected one of epoch ${epoch}; the store was restored since, or is another`;
  throw new DomainError('CONFLICT', message, { details: { field: 'Plexus-Seq', epoch } });
}
