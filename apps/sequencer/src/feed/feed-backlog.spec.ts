import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FeedBacklog } from './feed-backlog.ts';

const entry = (sequenceNumber: number, length = 10) => ({ sequenceNumber, json: 'x'.repeat(length) });

function filled(count: number, length?: number): FeedBacklog {
  const backlog = new FeedBacklog();
  for (let number = 0; number < count; number++) backlog.append(entry(number, length));
  return backlog;
}

describe('FeedBacklog', () => {
  it('keeps the latest 4,096 messages at fixed positions', () => {
    const backlog = filled(5_000);

    expect([backlog.firstPlace, backlog.endPlace]).toEqual([904, 5_000]);
    expect(backlog.at(903)).toBeUndefined();
    expect(backlog.at(904)?.sequenceNumber).toBe(904);
    expect(backlog.at(4_999)?.sequenceNumber).toBe(4_999);
    expect(backlog.at(5_000)).toBeUndefined();
  });

  it('keeps at most 64 Mi characters, and always the latest message', () => {
    const backlog = filled(100, 2 ** 20);
    backlog.append(entry(100, 2 ** 27));

    expect(filled(100, 2 ** 20).firstPlace).toBe(36);
    expect([backlog.firstPlace, backlog.endPlace]).toEqual([100, 101]);
  });

  it('starts at the requested number, or at its first message', () => {
    const backlog = filled(5_000);

    const places = [904, 2_000, 4_999, 903, 5_000, NaN, undefined].map((number) => backlog.placeOf(number));

    expect(places).toEqual([904, 2_000, 4_999, 904, 904, 904, 904]);
  });

  it('has a position for each number despite gaps in the numbers', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(300), { minLength: 1, maxLength: 150 }), (numbers) => {
        const backlog = new FeedBacklog();
        const ordered = numbers.sort((a, b) => a - b);
        for (const number of ordered) backlog.append(entry(number));

        expect(ordered.map((number) => backlog.at(backlog.placeOf(number))?.sequenceNumber)).toEqual(ordered);
      }),
    );
  });

  it('replaces the latest message by one with the same number', () => {
    const backlog = filled(3);

    backlog.replaceLatest({ sequenceNumber: 2, json: 'other' });
    backlog.replaceLatest({ sequenceNumber: 1, json: 'too late' });

    expect([0, 1, 2].map((place) => backlog.at(place)?.json)).toEqual([
      'x'.repeat(10),
      'x'.repeat(10),
      'other',
    ]);
  });
});
