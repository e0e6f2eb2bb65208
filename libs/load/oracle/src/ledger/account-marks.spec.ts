import { describe, expect, it } from '@jest/globals';
import { SeenNonces } from '../checks/seen-nonces.ts';
import { AccountMarks } from './account-marks.ts';

function begun(...executed: readonly number[]): AccountMarks {
  const marks = new AccountMarks();
  marks.begin(1, new SeenNonces(3));
  for (const nonce of executed) marks.executed(1)?.see(nonce);
  return marks;
}

describe('AccountMarks', () => {
  it('returns whether blocks have executed a nonce', () => {
    const marks = begun(3, 4);

    expect([3, 4, 5].map((nonce) => marks.isExecuted(1, nonce))).toEqual([true, true, false]);
    expect([0, 3].map((nonce) => marks.isExecuted(2, nonce))).toEqual([false, false]);
  });

  it('excuses foreign senders first, then marks of all accounts, then reorganised transactions', () => {
    const marks = begun(3, 5);
    const excuses = () => [1, 2].map((account) => marks.excuseOf(account));

    const nothing = excuses();
    marks.markReorganised(1);
    const taken = excuses();
    marks.markEverywhere('blocks_unread');
    marks.markEverywhere('reorganised');
    const everywhere = excuses();
    marks.markForeign(1);

    expect(nothing).toEqual([null, null]);
    expect(taken).toEqual(['reorganised', null]);
    expect(everywhere).toEqual(['blocks_unread', 'blocks_unread']);
    expect(excuses()).toEqual(['foreign_transactions', 'blocks_unread']);
  });

  it('excuses nothing once all reverted transactions are included again', () => {
    const marks = begun(3, 5);
    marks.markReorganised(1);
    marks.executed(1)?.see(4);

    expect(marks.excuseOf(1)).toBeNull();
    expect([1, 2].map((account) => marks.wasReorganised(account))).toEqual([true, false]);
  });

  it('keeps the marks of each account separate', () => {
    const marks = begun();
    const before = [marks.hasMalformed, marks.isFeedUnconfirmed, marks.wasReorganised(2)];
    marks.markMalformed(1);
    marks.markPending(2);
    marks.markFeedUnconfirmed();

    expect(before).toEqual([false, false, false]);
    expect([marks.hasMalformed, marks.isFeedUnconfirmed, marks.wasReorganised(2)]).toEqual([
      true,
      true,
      true,
    ]);
    expect([1, 2].map((account) => marks.isMalformed(account))).toEqual([true, false]);
    expect([1, 2].map((account) => marks.isPending(account))).toEqual([false, true]);
  });
});
