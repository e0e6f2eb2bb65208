import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { between, later } from './arithmetic.ts';
import { dateOf, epochDayOf, monthsLater, weekDateOf, YEAR_MAX } from './calendar.ts';
import { DURATION_COMPONENTS, newDuration, parseDuration } from './duration.ts';
import { parseInstant } from './parse-temporal.ts';
import { DateTimeValue, LocalDateTimeValue, NANOS_PER_DAY } from './temporal.ts';
import { atInstant } from './zone.ts';

const epochDay = fc.integer({
  min: epochDayOf({ year: -YEAR_MAX, month: 1, day: 1 }),
  max: epochDayOf({ year: YEAR_MAX, month: 12, day: 31 }),
});
/** Days that the library covers. */
const coveredDay = fc.integer({ min: -90_000_000, max: 90_000_000 });
const nanoOfDay = fc.integer({ min: 0, max: NANOS_PER_DAY - 1 });
const local = fc.tuple(coveredDay, nanoOfDay).map(([day, nano]) => new LocalDateTimeValue(day, nano));
const zone = fc.constantFrom('Europe/Stockholm', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu');
const long = fc.bigInt({ min: -(2n ** 40n), max: 2n ** 40n });

describe('the calendar', () => {
  it('finds the day of each date again', () => {
    fc.assert(fc.property(epochDay, (day) => epochDayOf(dateOf(day)) === day));
  });

  it('agrees with the platform calendar', () => {
    fc.assert(
      fc.property(coveredDay, fc.integer({ min: -5_000, max: 5_000 }), (day, months) => {
        const plain = new Temporal.PlainDate(1970, 1, 1).add({ days: day });
        const { year, month, day: dayOfMonth } = plain;
        expect(dateOf(day)).toEqual({ year, month, day: dayOfMonth });
        expect(weekDateOf(day)).toEqual({
          weekYear: plain.yearOfWeek,
          week: plain.weekOfYear,
          weekDay: plain.dayOfWeek,
        });
        expect(dateOf(monthsLater(day, months))).toMatchObject({ year: plain.add({ months }).year });
        expect(dateOf(monthsLater(day, months)).day).toBe(plain.add({ months }).day);
      }),
    );
  });
});

describe('a temporal text', () => {
  it('reads as the value that wrote it', () => {
    fc.assert(
      fc.property(epochDay, nanoOfDay, fc.integer({ min: -64_800, max: 64_800 }), (day, nano, offset) => {
        const value = new DateTimeValue(day, nano, offset);
        expect(parseInstant('datetime', value.toString())).toEqual(value);
      }),
    );
  });

  it('names one moment also where the clocks go back', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 11n), max: 10n ** 11n }), zone, (second, name) => {
        const value = atInstant(second, 0, { name });
        expect(value.epochSecond).toBe(second);
        expect(parseInstant('datetime', value.toString())).toEqual(value);
      }),
    );
  });

  it('reads as the duration that wrote it', () => {
    fc.assert(
      fc.property(long, long, long, (months, days, nanos) => {
        const value = newDuration(months, days, nanos);
        expect(parseDuration(value.toString())).toEqual(value);
        expect(DURATION_COMPONENTS['nanoseconds']?.(value)).toBe(nanos);
      }),
    );
  });
});

describe('the time between two moments', () => {
  it('leads from one to the other', () => {
    fc.assert(
      fc.property(local, local, (from, to) => {
        for (const unit of ['all', 'seconds'] as const)
          expect(later(from, between(unit, from, to))).toEqual(to);
      }),
    );
  });

  it('does so across the changes of clocks', () => {
    const second = fc.bigInt({ min: 0n, max: 2_000_000_000n });
    fc.assert(
      fc.property(second, second, zone, (a, b, name) => {
        const [from, to] = [atInstant(a, 0, { name }), atInstant(b, 0, { name })];
        expect(later(from, between('seconds', from, to))).toEqual(to);
      }),
    );
  });
});
