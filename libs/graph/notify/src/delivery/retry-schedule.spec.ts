import { describe, expect, it } from '@jest/globals';
import type { Delivery } from '../outbox/delivery.ts';
import { RetrySchedule } from './retry-schedule.ts';

const RETRY = { first: 1_000, longest: 60_000, give_up_after: 3_600_000 };

const delivery = (given: Partial<Delivery> = {}): Delivery => ({
  seq: 1,
  channel: 'mail',
  message: { id: 'm', event: 'test', at: time(0), count: 0, findings: [], more: 0 },
  state: 'pending',
  attempts: 1,
  next_at: null,
  ended_at: null,
  error: null,
  ...given,
});
const time = (ms: number): string => new Date(ms).toISOString();
const at = (ms: number): RetrySchedule =>
  new RetrySchedule(RETRY, { nowMs: () => ms, monotonicMs: () => ms });

describe('RetrySchedule', () => {
  it('doubles the wait at every attempt, up to the maximum', () => {
    const waits = [1, 2, 3, 7, 2_000].map((attempts) => at(0).nextAt(delivery({ attempts })));

    expect(waits).toEqual([1_000, 2_000, 4_000, 60_000, 60_000].map(time));
  });

  it('gives up a message that is too old', () => {
    expect(at(3_599_999).nextAt(delivery())).toBe(time(3_600_999));
    expect(at(3_600_000).nextAt(delivery())).toBeUndefined();
  });

  it('waits for the next attempt, at most one maximum wait after the clock was set back', () => {
    const next = delivery({ next_at: time(30_000) });

    expect(at(10_000).waitMs(next)).toBe(20_000);
    expect(at(-9_000_000).waitMs(next)).toBe(60_000);
    expect(at(40_000).waitMs(next)).toBeLessThanOrEqual(0);
    expect(at(0).waitMs(delivery())).toBe(0);
  });
});
