import { describe, expect, it } from '@jest/globals';
import { localMoment, momentAt, momentOfLocal, NOW_STEP, stepOf } from './local-moment.ts';

describe('the field of a moment', () => {
  it('shows the moment that it gives, whatever the time zone', () => {
    for (const moment of ['2026-11-20T08:15:00.000Z', '2026-06-30T23:59:00.000Z', '2026-01-01T00:00:00.000Z'])
      expect(momentOfLocal(localMoment(moment))).toBe(moment);
  });

  it('is empty without a moment', () => {
    expect([localMoment(undefined), localMoment('yesterday')]).toEqual(['', '']);
    expect([momentOfLocal(''), momentOfLocal('x')]).toEqual([undefined, undefined]);
  });
});

describe('the slider of a moment', () => {
  const span = {
    sinceMs: Date.parse('2026-11-20T08:00:00.123Z'),
    nowMs: Date.parse('2026-11-27T08:00:00.456Z'),
  };

  it('goes from the beginning of the history to now', () => {
    expect(momentAt(0, span)).toBe('2026-11-20T08:00:00.123Z');
    expect(momentAt(NOW_STEP, span)).toBeUndefined();
    expect(stepOf(undefined, span)).toBe(NOW_STEP);
  });

  it('stays where it was left', () => {
    for (let step = 0; step <= NOW_STEP; step++) expect(stepOf(momentAt(step, span), span)).toBe(step);
  });

  it('shows a moment of the past never as now, and one before the history at its beginning', () => {
    expect(stepOf('2026-11-27T08:00:00.455Z', span)).toBe(NOW_STEP - 1);
    expect(stepOf('2026-11-01T00:00:00.000Z', span)).toBe(0);
    expect(stepOf('yesterday', span)).toBe(NOW_STEP);
  });
});
