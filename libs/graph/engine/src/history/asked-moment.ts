import { parseInstant } from '#graph/model';
import { DomainError } from '#platform/foundation';
import { seqPointOf } from '../seq/seq-position.ts';
import type { Moment } from './history.ts';

const DIGITS = /^\d{1,15}$/;

/** A moment of the history, of this or, with an epoch, possibly of another store. */
export interface AskedMoment {
  readonly moment: Moment;
  readonly epoch?: string;
}

/** The moment of a time, of the token of a reply, or of a sequence number; undefined for anything else. */
export function momentOf(value: string | number): AskedMoment | undefined {
  if (typeof value === 'number') return isSeq(value) ? { moment: { seq: value } } : undefined;
  const atMs = parseInstant(value);
  if (atMs !== undefined) return { moment: { atMs } };
  const point = seqPointOf(value);
  return point && { moment: { seq: point.seq }, epoch: point.epoch };
}

/** The same; throws INVALID_REQUEST with the field. */
export function parseMoment(value: unknown, field: string): AskedMoment {
  const asked = typeof value === 'string' || typeof value === 'number' ? momentOf(value) : undefined;
  if (asked !== undefined) return asked;
  const message = `${field}: expected a time (RFC 3339), a sequence number, or a Plexus-Seq`;
  throw new DomainError('INVALID_REQUEST', message, { details: { field } });
}

/** A moment in a place that has only texts, such as a URL: digits alone are a sequence number. */
export function momentText(text: string): string | number {
  return DIGITS.test(text) ? Number(text) : text;
}

function isSeq(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
