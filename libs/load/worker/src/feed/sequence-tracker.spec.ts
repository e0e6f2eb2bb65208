import { describe, expect, it } from '@jest/globals';
import { FEED_FLAGS } from '#load/telemetry';
import { SequenceTracker } from './sequence-tracker.ts';

describe('SequenceTracker', () => {
  it('counts missing numbers', () => {
    const tracker = new SequenceTracker();
    tracker.observe(100, 1);

    expect(tracker.observe(105, 2)).toEqual({ flags: FEED_FLAGS.afterGap, missing: 4 });
    expect(tracker.observe(106, 3)).toEqual({ flags: 0, missing: 0 });
  });

  it('follows the feed back after a reorganisation', () => {
    const tracker = new SequenceTracker();
    for (const number of [1, 2, 3, 4]) tracker.observe(number, number);

    const again = [2, 3, 4, 5].map((number) => tracker.observe(number, number + 100));

    expect(again.map(({ flags }) => flags)).toEqual([FEED_FLAGS.reorganisation, 0, 0, 0]);
    expect(tracker.last).toBe(5);
  });

  it('treats a repeated backlog of any length as duplicates', () => {
    const tracker = new SequenceTracker();
    for (let number = 0; number < 10_000; number++) tracker.observe(number, number);

    const flags = new Set(
      Array.from({ length: 10_000 }, (_, number) => tracker.observe(number, number).flags),
    );

    expect(flags).toEqual(new Set([FEED_FLAGS.duplicate]));
    expect(tracker.last).toBe(9_999);
  });

  it('accepts a missing number that arrives late, once, and keeps its position', () => {
    const tracker = new SequenceTracker();
    for (const number of [1, 2, 5]) tracker.observe(number, number);

    const late = [4, 4, 3, 6].map((number) => tracker.observe(number, number));

    const { late: isLate, duplicate } = FEED_FLAGS;
    expect(late.map(({ flags }) => flags)).toEqual([isLate, duplicate, isLate, 0]);
    expect(tracker.last).toBe(6);
  });

  it('remembers the content of a number for the whole run', () => {
    const tracker = new SequenceTracker();
    for (let number = 0; number < 50_000; number++) tracker.observe(number, number);

    expect(tracker.observe(3, 777).flags).toBe(FEED_FLAGS.reorganisation);
  });

  it('accepts numbers below the first one', () => {
    const tracker = new SequenceTracker();
    tracker.observe(10, 10);

    expect(tracker.observe(9, 9).flags).toBe(FEED_FLAGS.late);
  });
});
