import type { Moment } from '#graph/engine';
import { parseInstant } from './instant.ts';

const TOKEN = /^([\w-]{1,64})\.(0|[1-9]\d{0,15})$/;

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
  const [, epoch, digits = ''] = TOKEN.exec(value) ?? [];
  return epoch !== undefined && isSeq(Number(digits))
    ? { moment: { seq: Number(digits) }, epoch }
    : undefined;
}

function isSeq(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
