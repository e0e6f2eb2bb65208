/**
 * The chain of the lines: each has its number, and a hash over the hash of the line before and its own text,
 * so that a line that is removed, changed or moved shows at the next.
 */
import { createHash } from 'node:crypto';
import type { AuditEvent, ChainedEvent } from './audit-event.ts';

/** The place after a line. */
export interface ChainPlace {
  readonly n: number;
  readonly hash: string;
}

export const CHAIN_START: ChainPlace = { n: 0, hash: '0'.repeat(64) };

const LINE = /^(\{.*),"hash":"([0-9a-f]{64})"\}$/s;
const HEAD = /^(\d{16}) ([0-9a-f]{64})\n$/;

/** The next line, with its end, and the place after it. */
export function chained(
  event: AuditEvent,
  after: ChainPlace,
): { readonly line: string; readonly place: ChainPlace } {
  const n = after.n + 1;
  const body = JSON.stringify({ n, ...event });
  const hash = hashOf(after.hash, body);
  return { line: `${body.slice(0, -1)},"hash":"${hash}"}\n`, place: { n, hash } };
}

/** A line without its end; undefined for a text that is none. */
export function readLine(line: string): ChainedEvent | undefined {
  try {
    const event: unknown = LINE.test(line) ? JSON.parse(line) : undefined;
    return isChained(event) ? event : undefined;
  } catch {
    return undefined;
  }
}

function isChained(event: unknown): event is ChainedEvent {
  return typeof event === 'object' && event !== null && Number.isSafeInteger(Reflect.get(event, 'n'));
}

/** Whether a line has the hash that its text gives after this place. */
export function follows(line: string, before: ChainPlace): boolean {
  const [, body = '', hash] = LINE.exec(line) ?? [];
  return hashOf(before.hash, `${body}}`) === hash;
}

function hashOf(before: string, body: string): string {
  return createHash('sha256').update(before).update(body).digest('hex');
}

/** The last place, as a text of always the same length. */
export function headText({ n, hash }: ChainPlace): string {
  return `${String(n).padStart(16, '0')} ${hash}\n`;
}

export function readHead(text: string): ChainPlace | undefined {
  const [, n, hash = ''] = HEAD.exec(text) ?? [];
  return n === undefined ? undefined : { n: Number(n), hash };
}
