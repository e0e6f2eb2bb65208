/**
 * A place in a history, as clients hand it on: `<epoch>.<sequence number>`.
 */
import { DomainError } from '#platform/foundation';

/** How long a request waits to be there that names no time of its own. */
export const SEQ_WAIT_MS = 5_000;

const TOKEN = /^([\w-]{1,64})\.(0|[1-9]\d{0,15})$/;

export function seqToken(epoch: string, seq: number): string {
  return `${epoch}.${String(seq)}`;
}

/** The number. INVALID_REQUEST for what is no token, CONFLICT for one of another history than `epoch`. */
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
