import { describe, expect, it } from '@jest/globals';
import { FEED_FLAGS } from '#telemetry';
import { SequenceTracker } from './sequence-tracker.ts';

describe('a tracker of sequence numbers', () => {
  it('counts what is left out', () => {
    const tracker = new SequenceTracker();
    tracker.take(100, 1);

    expect(tracker.take(105, 2)).toEqual({ flags: FEED_FLAGS.afterGap, missing: 4 });
    expect(tracker.take(106, 3)).toEqual({ flags: 0, missing: 0 });
  });

  it('follows the feed back after a reorganisation', () => {
    const tracker = new SequenceTracker();
    for (const number of [1, 2, 3, 4]) tracker.take(number, number);

    const again = [2, 3, 4, 5].map((number) => tracker.take(number, number + 100));

    expect(again.map(({ flags }) => flags)).toEqual([FEED_FLAGS.reorganisation, 0, 0, 0]);
    expect(tracker.last).toBe(5);
  });

  it('takes a repeated backlog for duplicates, whatever its length', () => {
    const tracker = new SequenceTracker();
    for (let number = 0; number < 10_000; number++) tracker.take(number, number);

    const flags = new Set(Array.from({ length: 10_000 }, (_, number) => tracker.take(number, number).flags));

    expect(flags).toEqual(new Set([FEED_FLAGS.duplicate]));
    expect(tracker.last).toBe(9_999);
  });
});
