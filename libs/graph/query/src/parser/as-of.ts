import type { AsOf } from '../ast/ast.ts';
import { momentOf } from '#graph/engine';
import type { Cursor } from './cursor.ts';

/** Whether AS OF and a moment follow at this many tokens ahead; `AS of` alone gives an alias. */
export function isAsOf(cursor: Cursor, ahead = 0): boolean {
  const [first, second, third] = [cursor.peek(ahead), cursor.peek(ahead + 1), cursor.peek(ahead + 2)];
  return first.keyword === 'AS' && second.keyword === 'OF' && ['string', 'number'].includes(third.kind);
}

/** `[ AS OF ( string | int ) ]` */
export function parseAsOf(cursor: Cursor): AsOf | undefined {
  const { start } = cursor.token;
  if (!cursor.acceptPhrase('AS', 'OF')) return undefined;
  const { token } = cursor;
  if (token.kind !== 'string' && token.kind !== 'number') throw cursor.fault('a time or a sequence number');
  const value = token.kind === 'string' ? token.text : Number(token.text);
  if (momentOf(value) === undefined) {
    const hint = "write AS OF '2026-01-31T12:00:00Z', or the snapshot_version of a reply";
    throw cursor.faultAt(token, 'expected a time (RFC 3339) or a sequence number', { hint });
  }
  cursor.advance();
  return Object.freeze({ span: cursor.spanFrom(start), value });
}
