/** Temporal values beyond what the conformance kit asks. */
import { describe, expect, it } from '@jest/globals';
import { valueOf } from './statement/run-statement.ts';

describe('temporal values from maps', () => {
  it.each([
    ['date({year: 1984, month: 10, day: 11})', `'1984-10-11'`],
    ['date({year: 1984})', `'1984-01-01'`],
    ['date({year: 1816, week: 52})', `'1816-12-23'`],
    ['date({year: 1817, week: 1})', `'1816-12-30'`],
    ['date({year: 1984, week: 10, dayOfWeek: 3})', `'1984-03-07'`],
    ['date({year: 1984, ordinalDay: 202})', `'1984-07-20'`],
    ['date({year: 1984, quarter: 3, dayOfQuarter: 45})', `'1984-08-14'`],
    [
      'localtime({hour: 12, minute: 31, second: 14, millisecond: 645, microsecond: 876, nanosecond: 123})',
      `'12:31:14.645876123'`,
    ],
    ['localtime({hour: 12, minute: 31, second: 14, microsecond: 645876})', `'12:31:14.645876'`],
    [`time({hour: 12, minute: 34, second: 56, timezone: '+02:05:59'})`, `'12:34:56+02:05:59'`],
    [
      `datetime({year: 1984, week: 10, dayOfWeek: 3, hour: 12, timezone: 'europe/stockholm'})`,
      `'1984-03-07T12:00+01:00[Europe/Stockholm]'`,
    ],
    ['localdatetime({year: 1984})', `'1984-01-01T00:00'`],
    ['datetime({epochSeconds: 416779, nanosecond: 999999999})', `'1970-01-05T19:46:19.999999999Z'`],
    [`datetime({epochMillis: -1, timezone: '+01:00'})`, `'1970-01-01T00:59:59.999+01:00'`],
    ['datetime.fromepoch(416779, 999999999)', `'1970-01-05T19:46:19.999999999Z'`],
    ['datetime.fromepochmillis(237821673987)', `'1977-07-15T13:34:33.987Z'`],
    ['duration({days: 14, seconds: 70, milliseconds: 1})', `'P14DT1M10.001S'`],
    [
      'duration({years: 12.5, months: 5.5, days: 14.5, hours: 16.5, minutes: 12.5, seconds: 70.5, nanoseconds: 3})',
      `'P12Y11M29DT33H58M13.500000003S'`,
    ],
    ['duration({months: 0.75})', `'P22DT19H51M49.5S'`],
    ['duration({seconds: 0.1})', `'PT0.1S'`],
    ['datetime({EPOCHSECONDS: 3, Nanosecond: 1}).epochseconds', '3'],
    ['date({date: date("1984-01-31"), month: 2})', `'1984-02-29'`],
  ])('%s is %s', (expression, expected) => {
    expect(valueOf(expression)).toBe(expected);
  });
});

describe('a date time in an hour that the clocks repeat', () => {
  const later = `datetime('2024-10-27T02:30+01:00[Europe/Stockholm]')`;

  it.each([
    [`${later} + duration('PT0S')`, `'2024-10-27T02:30+01:00[Europe/Stockholm]'`],
    [`${later} + duration('PT1S')`, `'2024-10-27T02:30:01+01:00[Europe/Stockholm]'`],
    [`${later} - duration('P1D')`, `'2024-10-26T02:30+02:00[Europe/Stockholm]'`],
    [`datetime.truncate('hour', ${later})`, `'2024-10-27T02:00+01:00[Europe/Stockholm]'`],
    [`datetime(${later})`, `'2024-10-27T02:30+01:00[Europe/Stockholm]'`],
    [`datetime({datetime: ${later}, timezone: 'UTC'})`, `'2024-10-27T01:30Z[UTC]'`],
    [`duration.inSeconds(datetime('2024-10-27T02:30+02:00[Europe/Stockholm]'), ${later})`, `'PT1H'`],
  ])('keeps its offset in %s', (expression, expected) => {
    expect(valueOf(expression)).toBe(expected);
  });
});

describe('temporal values that do not exist', () => {
  it.each([
    ['date({year: 1985, month: 2, day: 29})', 'expected day from 1 to 28, got 29'],
    ['date({year: 2021, week: 53})', 'expected week from 1 to 52, got 53'],
    ['date({year: 1984, day: 3})', 'expected the field month beside day'],
    ['date({month: 3})', 'expected the field year'],
    ['date({year: 1984, month: 3, week: 3})', 'a date has a week or a calendar form, not both'],
    ['date({yaer: 1984})', 'there is no field yaer here: did you mean year?'],
    [`date({year: '1984'})`, 'expected an integer as year'],
    ['localtime({minute: 3})', 'localtime(): expected the field hour'],
    ['localtime({hour: 24})', 'expected hour from 0 to 23, got 24'],
    [
      'localtime({hour: 1, minute: 2, second: 3, millisecond: 4, microsecond: 1000})',
      'expected microsecond from 0 to 999, got 1000',
    ],
    [`date('1984-13-01')`, 'expected month from 1 to 12, got 13'],
    [`date('1984-10-11T12:00')`, `expected a date such as 2015-07-21, got '1984-10-11T12:00'`],
    [`localtime('12:00Z')`, `expected a localtime such as 21:40:32.142, got '12:00Z'`],
    [
      `datetime('2015-07-21T21:40+05:00[Europe/Stockholm]')`,
      'Europe/Stockholm does not have the offset +05:00 at that time',
    ],
    [
      `datetime({year: 2000, timezone: 'Europe/Stokholm'})`,
      `expected an offset or the name of a time zone, got 'Europe/Stokholm'`,
    ],
    [`time({hour: 1, timezone: '+19:00'})`, 'expected an offset from -18:00 to +18:00, got +19:00'],
    [`date('999999999-01-01')`, `expected a date such as 2015-07-21, got '999999999-01-01'`],
    [
      `date('+999999999-12-31') + duration('P1D')`,
      'the date is beyond the years from -999999999 to 999999999',
    ],
    [
      `date('2000-01-01') + duration({months: 9223372036854775807})`,
      'the date is beyond the years from -999999999 to 999999999',
    ],
    ['duration({years: 9223372036854775807})', 'a duration is beyond 64 bits'],
    [`duration('P')`, `expected a duration such as P1Y2M3DT4H5M6.7S, got 'P'`],
    [`date('2000-01-01').yeer`, 'a Date has no component yeer: did you mean year?'],
    [`date.truncate('weeek', date())`, `there is no unit 'weeek': did you mean week?`],
    [`duration('P1D') / 0`, 'division by zero'],
    [`date('2000-01-01') + 1`, '+ does not apply to Date and Integer'],
  ])('%s is refused', (expression, message) => {
    expect(valueOf(expression)).toBe(message);
  });
});

describe('temporal values at the edges of a time zone', () => {
  it.each([
    [
      'a local time that the clocks skip is as much later',
      `datetime('2017-03-26T02:30[Europe/Stockholm]')`,
      `'2017-03-26T03:30+02:00[Europe/Stockholm]'`,
    ],
    [
      'of two moments it is the earlier one',
      `datetime('2017-10-29T02:30[Europe/Stockholm]')`,
      `'2017-10-29T02:30+02:00[Europe/Stockholm]'`,
    ],
    [
      'unless the offset says which',
      `datetime('2017-10-29T02:30+01:00[Europe/Stockholm]')`,
      `'2017-10-29T02:30+01:00[Europe/Stockholm]'`,
    ],
    [
      'a day later is the same time of day',
      `datetime('2017-10-28T12:00[Europe/Stockholm]') + duration('P1D')`,
      `'2017-10-29T12:00+01:00[Europe/Stockholm]'`,
    ],
    [
      '24 hours later is not',
      `datetime('2017-10-28T12:00[Europe/Stockholm]') + duration('PT24H')`,
      `'2017-10-29T11:00+01:00[Europe/Stockholm]'`,
    ],
    [
      'rules hold for years that no clock has',
      `datetime({year: 999999999, month: 7, day: 1, timezone: 'Europe/Stockholm'})`,
      `'+999999999-07-01T00:00+02:00[Europe/Stockholm]'`,
    ],
    [
      'and for those before any',
      `datetime({year: -999999999, month: 7, day: 1, timezone: 'Europe/Stockholm'}).offset`,
      `'+00:53:28'`,
    ],
  ])('%s', (_, expression, expected) => {
    expect(valueOf(expression)).toBe(expected);
  });
});

describe('the clock of a statement', () => {
  it.each([
    ['datetime()', `'2026-03-04T05:06:07.089Z'`],
    ['datetime.realtime()', `'2026-03-04T05:06:07.09Z'`],
    [`datetime.transaction('America/New_York')`, `'2026-03-04T00:06:07.089-05:00[America/New_York]'`],
    [`date({timezone: 'Pacific/Honolulu'})`, `'2026-03-03'`],
    [`localtime.statement('+01:00')`, `'06:06:07.089'`],
    [`time.truncate('hour')`, `'05:00Z'`],
    ['date() = date.statement()', 'true'],
  ])('%s is %s', (expression, expected) => {
    expect(valueOf(expression)).toBe(expected);
  });
});

describe('comparison of temporal values', () => {
  it.each([
    [`datetime('2000-01-01T12:00Z') = datetime('2000-01-01T13:00+01:00')`, 'false'],
    [`datetime('2000-01-01T12:00Z') < datetime('2000-01-01T13:00+01:00')`, 'true'],
    [`datetime('2000-01-01T12:00Z') < datetime('2000-01-01T12:30+01:00')`, 'false'],
    [`date('2000-01-01') < datetime('2000-01-02T12:30+01:00')`, 'null'],
    [`duration('P1M') < duration('P32D')`, 'null'],
    [`duration('P1D') = duration('PT24H')`, 'false'],
    [`date('2000-01-01') IN [date('2000-01-01')]`, 'true'],
  ])('%s is %s', (expression, expected) => {
    expect(valueOf(expression)).toBe(expected);
  });

  it('orders kinds by rank and durations by their average length', () => {
    const list = `[1, 'a', duration('P31D'), duration('P1M'), localtime('01:00'), time('01:00'), date('2000-01-01'), localdatetime('1999-01-01T00:00'), datetime('1998-01-01'), []]`;
    const expression = `COLLECT { UNWIND ${list} AS x RETURN toString(CASE WHEN x = [] THEN 'list' ELSE x END) ORDER BY x }`;

    expect(valueOf(expression)).toBe(
      `['list','1998-01-01T00:00:00Z','1999-01-01T00:00:00','2000-01-01','01:00:00Z','01:00:00','P1M','P31D','a','1']`,
    );
  });
});

describe('toString of a temporal value', () => {
  it.each([
    [`localdatetime('2023-01-19T12:15')`, '2023-01-19T12:15:00'],
    [`localdatetime('2023-01-19T12:15:00.5')`, '2023-01-19T12:15:00.5'],
    [`datetime('2023-01-19T12:15Z')`, '2023-01-19T12:15:00Z'],
    [
      `datetime({year: 2023, hour: 0, timezone: 'Europe/Stockholm'})`,
      '2023-01-01T00:00:00+01:00[Europe/Stockholm]',
    ],
    [`time('12:15+01:00')`, '12:15:00+01:00'],
    [`time('12:15:30+18:00')`, '12:15:30+18:00'],
    [`localtime('00:00')`, '00:00:00'],
    [`date('-0001-12-31')`, '-0001-12-31'],
    [`duration('PT12H')`, 'PT12H'],
  ])('has seconds, as with Neo4j: %s', (expression, expected) => {
    expect(valueOf(`toString(${expression})`)).toBe(`'${expected}'`);
    expect(valueOf(`toStringList([${expression}])`)).toBe(`['${expected}']`);
  });
});
