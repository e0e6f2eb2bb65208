import { describe, expect, it } from '@jest/globals';
import { NonceLine } from './nonce-line.ts';

describe('NonceLine', () => {
  it('issues new nonces in order, starting at the chain’s count', () => {
    const line = new NonceLine(7);

    expect([line.issue(), line.issue(), line.issue()]).toEqual([7, 8, 9]);
    expect(line.unanswered).toBe(3);
  });

  it('issues the lowest rejected nonce before a new one', () => {
    const line = new NonceLine(0);
    for (let i = 0; i < 4; i++) line.issue();

    line.rejected(2);
    line.rejected(1);

    expect(line.upcoming(4)).toEqual([1, 2, 4, 5]);
    expect([line.issue(), line.issue(), line.issue()]).toEqual([1, 2, 4]);
  });

  it('pauses while an outcome is unknown, until the feed contains the transaction', () => {
    const line = new NonceLine(0);
    line.issue();

    line.doubted(0);
    const before = line.isPaused;
    line.included(0);

    expect(before).toBe(true);
    expect(line.isPaused).toBe(false);
    expect(line.next).toBe(1);
  });

  it('does not free an unknown nonce after an early count below it', () => {
    const line = new NonceLine(0);
    line.issue();
    line.doubted(0);

    line.counted(0, false);
    const afterEarly = line.isPaused;
    line.counted(0, true);

    expect(afterEarly).toBe(true);
    expect(line.isPaused).toBe(false);
    expect(line.next).toBe(0);
  });

  it('settles an unknown nonce by a count beyond it', () => {
    const line = new NonceLine(0);
    line.issue();
    line.doubted(0);

    line.counted(1, false);

    expect(line.isPaused).toBe(false);
    expect(line.next).toBe(1);
  });

  it('determines the lost nonce when the sequencer rejects a later one as too high', () => {
    const line = new NonceLine(5);
    line.accepted(line.issue());
    line.contradicted(line.issue(), 'high');

    line.counted(5, false);

    expect(line.upcoming(3)).toEqual([5, 6, 7]);
    expect(line.isPaused).toBe(false);
  });

  it('skips nonces used by another sender when a nonce is too low', () => {
    const line = new NonceLine(0);
    line.contradicted(line.issue(), 'low');

    line.counted(12, false);

    expect(line.next).toBe(12);
  });

  it('requires a count only after all answers', () => {
    const line = new NonceLine(0);
    line.issue();
    line.issue();

    line.doubted(0);
    const whileOneIsOut = line.wantsCount;
    line.accepted(1);

    expect(whileOneIsOut).toBe(false);
    expect(line.wantsCount).toBe(true);
  });

  it('treats all nonces below an included one as consumed', () => {
    const line = new NonceLine(0);
    line.doubted(line.issue());
    line.accepted(line.issue());

    line.included(1);

    expect(line.isPaused).toBe(false);
    expect(line.next).toBe(2);
  });

  it('accepts an inclusion after a rejection', () => {
    const line = new NonceLine(0);
    line.rejected(line.issue());

    line.included(0);

    expect(line.next).toBe(1);
  });
});
