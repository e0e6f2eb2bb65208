import { describe, expect, it } from '@jest/globals';
import { nextCronMs } from './time-text.ts';

const FRIDAY_MS = Date.UTC(2026, 0, 2, 10, 30);

describe('nextCronMs', () => {
  it.each([
    ['0 2 * * *', '2026-01-03T02:00:00.000Z'],
    ['*/15 * * * *', '2026-01-02T10:45:00.000Z'],
    ['30 10 * * *', '2026-01-03T10:30:00.000Z'],
    ['0 6 * * MON', '2026-01-05T06:00:00.000Z'],
    ['0 0 29 2 *', '2028-02-29T00:00:00.000Z'],
  ])('returns for %j the next time %s', (expression, next) => {
    expect(new Date(nextCronMs(expression, FRIDAY_MS) ?? 0).toISOString()).toBe(next);
  });

  it('returns undefined for an expression that never fires', () => {
    expect(nextCronMs('0 0 30 2 *', FRIDAY_MS)).toBeUndefined();
  });

  it.each(['', 'x', '* * * *', '* * * * * *', '61 * * * *'])('rejects %j', (expression) => {
    expect(() => nextCronMs(expression, FRIDAY_MS)).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        message: expect.stringMatching(/^expected a cron expression of five fields: /),
      }),
    );
  });
});
