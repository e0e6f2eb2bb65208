/** Arithmetic of temporal values, against the platform's: `Temporal`, and `Intl` for the zones. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import type { Value } from '../src/value/value.ts';
import { LAW_RUNS } from './law-runs.ts';
import { emptyGraph } from './statement/empty-graph.ts';
import { rowsOf } from './statement/run-statement.ts';

const graph = emptyGraph();

/** The text of the expression's value, with `$a`, `$b` and `$c`. */
function textOf(expression: string, ...values: readonly Value[]): string {
  const parameters = new Map(values.map((value, at) => ['abc'.charAt(at), value]));
  const rows = rowsOf(`RETURN ${expression} AS value`, graph, parameters);
  return typeof rows === 'string' ? rows : (rows[0] ?? 'no row');
}

/** As the product writes it. */
function quoted(text: string): string {
  return `'${text.replace(/(T\d\d:\d\d):00(?![.\d])/, '$1').replace(/\+00:00(?=$|\[)/, 'Z')}'`;
}

const ZONES = [
  'Europe/Stockholm',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'America/St_Johns',
  'Africa/Casablanca',
  'Pacific/Apia',
  'America/Sao_Paulo',
  'UTC',
];

const zone = fc.constantFrom(...ZONES);
/** Years 1000 to 2999: beyond four digits both write years differently. */
const day = fc.integer({ min: -354_285, max: 376_199 });
const nano = fc.bigInt({ min: 0n, max: 86_399_999_999_999n });
const plainDate = day.map((days) => new Temporal.PlainDate(1970, 1, 1).add({ days }));
const plainDateTime = fc
  .tuple(plainDate, nano)
  .map(([date, nanoseconds]) => date.toPlainDateTime().add({ nanoseconds: Number(nanoseconds) }));
/** Often near a change of the clocks: seconds of the years 1990 to 2030. */
const second = fc.integer({ min: 631_152_000, max: 1_893_456_000 });
const changing = fc.tuple(second, zone, fc.integer({ min: -10_800, max: 10_800 })).map(([at, name, off]) => {
  const moment = Temporal.Instant.fromEpochMilliseconds(at * 1_000).toZonedDateTimeISO(name);
  const change = moment.getTimeZoneTransition('next') ?? moment;
  return change.add({ seconds: off });
});
const zoned = fc.oneof(
  changing,
  fc.tuple(second, nano, zone).map(([at, nanos, name]) =>
    Temporal.Instant.fromEpochMilliseconds(at * 1_000)
      .add({ nanoseconds: Number(nanos % 1_000_000_000n) })
      .toZonedDateTimeISO(name),
  ),
);

interface Parts {
  readonly months: number;
  readonly days: number;
  readonly seconds: number;
  readonly nanoseconds: number;
}

const parts: fc.Arbitrary<Parts> = fc.record({
  months: fc.oneof(fc.constant(0), fc.integer({ min: -200, max: 200 })),
  days: fc.oneof(fc.constant(0), fc.integer({ min: -400, max: 400 })),
  seconds: fc.oneof(fc.constant(0), fc.integer({ min: -200_000, max: 200_000 })),
  nanoseconds: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 999_999_999 })),
});

function mapOf(record: Readonly<Record<string, number>>): Value {
  return new Map(Object.entries(record).map(([key, value]) => [key, BigInt(value)]));
}

/** The local time in the zone: of two moments the one whose offset the value has had, else the earlier. */
function resolved(local: Temporal.PlainDateTime, like: Temporal.ZonedDateTime): Temporal.ZonedDateTime {
  const later = local.toZonedDateTime(like.timeZoneId, { disambiguation: 'later' });
  const found = local.toZonedDateTime(like.timeZoneId);
  const isTwice = later.toPlainDateTime().equals(found.toPlainDateTime());
  return isTwice && later.offset === like.offset ? later : found;
}

/** At one moment the west comes first, and of one offset the name of the zone decides. */
function placeOf(a: Temporal.ZonedDateTime, b: Temporal.ZonedDateTime): number {
  const byMoment = Temporal.ZonedDateTime.compare(a, b);
  if (byMoment !== 0) return byMoment;
  const byOffset = a.offsetNanoseconds - b.offsetNanoseconds;
  return byOffset !== 0 ? byOffset : a.timeZoneId < b.timeZoneId ? -1 : a.timeZoneId > b.timeZoneId ? 1 : 0;
}

const MONTH = 2_629_746n;
const NANOS = 1_000_000_000n;

describe('a law of temporal values', () => {
  it('a date with a duration', () => {
    fc.assert(
      fc.property(plainDate, parts, fc.boolean(), (date, { months, days, seconds }, isAfter) => {
        const sign = isAfter ? 1 : -1;
        const whole = Math.trunc(seconds / 86_400);
        const expected = date.add({ months: sign * months }).add({ days: sign * (days + whole) });
        const found = textOf(
          `date($a) ${isAfter ? '+' : '-'} duration($b)`,
          date.toString(),
          mapOf({ months, days, seconds }),
        );
        expect(found).toBe(quoted(expected.toString()));
      }),
      LAW_RUNS,
    );
  });

  it('a local date time with a duration', () => {
    fc.assert(
      fc.property(plainDateTime, parts, fc.boolean(), (local, each, isAfter) => {
        const sign = isAfter ? 1 : -1;
        const { months, days, seconds, nanoseconds } = each;
        const expected = local
          .add({ months: sign * months })
          .add({ days: sign * days })
          .add({ seconds: sign * seconds })
          .add({ nanoseconds: sign * nanoseconds });
        const found = textOf(
          `localdatetime($a) ${isAfter ? '+' : '-'} duration($b)`,
          local.toString(),
          mapOf({ ...each }),
        );
        expect(found).toBe(quoted(expected.toString()));
      }),
      LAW_RUNS,
    );
  });

  it('a date time with a duration, where the clocks change', () => {
    fc.assert(
      fc.property(zoned, parts, (moment, each) => {
        const { months, days, seconds, nanoseconds } = each;
        const local = moment.toPlainDateTime();
        const afterMonths = months === 0 ? moment : resolved(local.add({ months }), moment);
        const afterDays =
          days === 0 ? afterMonths : resolved(afterMonths.toPlainDateTime().add({ days }), afterMonths);
        const expected = afterDays.add({ seconds }).add({ nanoseconds });
        const found = textOf('datetime($a) + duration($b)', moment.toString(), mapOf({ ...each }));
        expect(found).toBe(quoted(expected.toString()));
      }),
      LAW_RUNS,
    );
  });

  it('a truncated date time, where the clocks change', () => {
    const units = ['hour', 'minute', 'second', 'millisecond', 'microsecond', 'day'] as const;
    fc.assert(
      fc.property(zoned, fc.constantFrom(...units), (moment, unit) => {
        const local = moment.toPlainDateTime().round({ smallestUnit: unit, roundingMode: 'floor' });
        const found = textOf('datetime.truncate($a, datetime($b))', unit, moment.toString());
        expect(found).toBe(quoted(resolved(local, moment).toString()));
      }),
      LAW_RUNS,
    );
  });

  it('a truncated date', () => {
    const floor = (year: number, step: number) => Math.floor(year / step) * step;
    const UNITS: Readonly<Record<string, (date: Temporal.PlainDate) => Temporal.PlainDate>> = {
      millennium: ({ year }) => new Temporal.PlainDate(floor(year, 1_000), 1, 1),
      century: ({ year }) => new Temporal.PlainDate(floor(year, 100), 1, 1),
      decade: ({ year }) => new Temporal.PlainDate(floor(year, 10), 1, 1),
      year: (date) => date.with({ month: 1, day: 1 }),
      quarter: (date) => date.with({ month: Math.floor((date.month - 1) / 3) * 3 + 1, day: 1 }),
      month: (date) => date.with({ day: 1 }),
      week: (date) => date.subtract({ days: date.dayOfWeek - 1 }),
      weekYear: (date) =>
        date.subtract({ days: date.dayOfWeek - 1 }).subtract({ weeks: (date.weekOfYear ?? 1) - 1 }),
      day: (date) => date,
    };
    fc.assert(
      fc.property(plainDate, fc.constantFrom(...Object.keys(UNITS)), (date, unit) => {
        const expected = UNITS[unit]?.(date).toString() ?? '';
        expect(textOf('date.truncate($a, date($b))', unit, date.toString())).toBe(quoted(expected));
      }),
      LAW_RUNS,
    );
  });

  it('the time between local date times, and dates', () => {
    fc.assert(
      fc.property(plainDateTime, plainDateTime, (from, to) => {
        const both = [from.toString(), to.toString()];
        const of = (name: string) =>
          textOf(`duration.${name}(localdatetime($a), localdatetime($b))`, ...both);
        const { years, months, days } = from.until(to, { largestUnit: 'years' });
        const time = from.add({ years, months, days }).until(to, { largestUnit: 'hours' });
        const all = { months: 12 * years + months, days, ...nanosParts(time) };
        expect(of('between')).toBe(textOf('duration($a)', mapOf(all)));
        expect(of('inMonths')).toBe(textOf('duration($a)', mapOf({ months: all.months })));
        const wholeDays = from.until(to, { largestUnit: 'days' }).days;
        expect(of('inDays')).toBe(textOf('duration($a)', mapOf({ days: wholeDays })));
        const seconds = from.until(to, { largestUnit: 'seconds' });
        expect(of('inSeconds')).toBe(textOf('duration($a)', mapOf(nanosParts(seconds))));
      }),
      LAW_RUNS,
    );
  });

  it('the seconds between date times of two zones, and their order', () => {
    fc.assert(
      fc.property(zoned, zoned, fc.boolean(), (from, other, isSame) => {
        const to = isSame ? from.withTimeZone(other.timeZoneId) : other;
        const both = [from.toString(), to.toString()];
        const nanos = to.epochNanoseconds - from.epochNanoseconds;
        const expected = textOf('duration({nanoseconds: $a})', nanos);
        expect(textOf('duration.inSeconds(datetime($a), datetime($b))', ...both)).toBe(expected);
        const place = placeOf(from, to);
        const order = [place < 0, place <= 0, place > 0, place >= 0];
        const compared = 'WITH datetime($a) AS a, datetime($b) AS b RETURN a < b, a <= b, a > b, a >= b';
        const parameters = new Map<string, Value>([
          ['a', from.toString()],
          ['b', to.toString()],
        ]);
        expect(rowsOf(compared, graph, parameters)).toEqual([order.join(' | ')]);
        const isEqual = place === 0;
        expect(textOf('datetime($a) = datetime($b)', ...both)).toBe(String(isEqual));
      }),
      LAW_RUNS,
    );
  });

  it('a moment in a zone', () => {
    fc.assert(
      fc.property(zoned, zone, (moment, name) => {
        const there = moment.withTimeZone(name);
        const found = textOf('datetime({datetime: datetime($a), timezone: $b})', moment.toString(), name);
        expect(found).toBe(quoted(there.toString()));
        // The zone's rules, from another part of the platform.
        const format = new Intl.DateTimeFormat('en', { timeZone: name, timeZoneName: 'longOffset' });
        const offset = format
          .formatToParts(new Date(there.epochMilliseconds))
          .find(({ type }) => type === 'timeZoneName')?.value;
        expect(
          textOf('datetime({datetime: datetime($a), timezone: $b}).offset', moment.toString(), name),
        ).toBe(quoted(offset === 'GMT' ? 'Z' : (offset?.slice(3) ?? '')));
      }),
      LAW_RUNS,
    );
  });

  it('a local time in a zone, also one that the clocks skip or repeat', () => {
    fc.assert(
      fc.property(zoned, fc.integer({ min: -7_200, max: 7_200 }), (moment, seconds) => {
        const local = moment.toPlainDateTime().add({ seconds });
        const expected = local.toZonedDateTime(moment.timeZoneId);
        const found = textOf('datetime($a)', `${local.toString()}[${moment.timeZoneId}]`);
        expect(found).toBe(quoted(expected.toString()));
      }),
      LAW_RUNS,
    );
  });

  it('the fields of a date time', () => {
    const FIELDS: Readonly<Record<string, (at: Temporal.ZonedDateTime) => number>> = {
      year: ({ year }) => year,
      quarter: ({ month }) => Math.floor((month + 2) / 3),
      month: ({ month }) => month,
      week: ({ weekOfYear }) => weekOfYear ?? 0,
      weekYear: ({ yearOfWeek }) => yearOfWeek ?? 0,
      dayOfQuarter: (at) => {
        const date = at.toPlainDate();
        const first = date.with({ month: Math.floor((date.month - 1) / 3) * 3 + 1, day: 1 });
        return first.until(date, { largestUnit: 'days' }).days + 1;
      },
      ordinalDay: ({ dayOfYear }) => dayOfYear,
      dayOfWeek: ({ dayOfWeek }) => dayOfWeek,
      day: ({ day: dayOfMonth }) => dayOfMonth,
      hour: ({ hour }) => hour,
      minute: ({ minute }) => minute,
      second: ({ second: ofMinute }) => ofMinute,
      millisecond: ({ millisecond }) => millisecond,
      microsecond: ({ millisecond, microsecond }) => millisecond * 1_000 + microsecond,
      nanosecond: (at) => (at.millisecond * 1_000 + at.microsecond) * 1_000 + at.nanosecond,
      offsetSeconds: ({ offsetNanoseconds }) => offsetNanoseconds / 1e9,
      epochSeconds: ({ epochMilliseconds }) => Math.floor(epochMilliseconds / 1_000),
      epochMillis: ({ epochMilliseconds }) => epochMilliseconds,
    };
    const names = Object.keys(FIELDS);
    const text = `WITH datetime($a) AS t RETURN ${names.map((name) => `t.${name}`).join(', ')}`;
    fc.assert(
      fc.property(zoned, (moment) => {
        const values = names.map((name) => FIELDS[name]?.(moment));
        expect(rowsOf(text, graph, new Map([['a', moment.toString()]]))).toEqual([values.join(' | ')]);
      }),
      LAW_RUNS,
    );
  });

  it('sums, differences, multiples and parts of durations', () => {
    const exact = ({ months, days, seconds, nanoseconds }: Parts) => ({
      months: BigInt(months),
      days: BigInt(days),
      nanos: BigInt(seconds) * NANOS + BigInt(nanoseconds),
    });
    const written = (months: bigint, days: bigint, nanos: bigint): string =>
      textOf('duration({months: $a, days: $b, nanoseconds: $c})', months, days, nanos);
    fc.assert(
      fc.property(parts, parts, fc.integer({ min: -50, max: 50 }), (first, other, factor) => {
        const [a, b] = [exact(first), exact(other)];
        const both = [mapOf({ ...first }), mapOf({ ...other })];
        expect(textOf('duration($a) + duration($b)', ...both)).toBe(
          written(a.months + b.months, a.days + b.days, a.nanos + b.nanos),
        );
        expect(textOf('duration($a) - duration($b)', ...both)).toBe(
          written(a.months - b.months, a.days - b.days, a.nanos - b.nanos),
        );
        const times = BigInt(factor);
        expect(textOf('duration($a) * $b', mapOf({ ...first }), times)).toBe(
          written(a.months * times, a.days * times, a.nanos * times),
        );
        if (factor === 0) return;
        // What is left of a month becomes days, and what is left of a day seconds, by their average length.
        const months = a.months / times;
        const restSeconds = (a.months - months * times) * MONTH;
        const daysOver = a.days * 86_400n + restSeconds;
        const days = daysOver / (86_400n * times);
        const nanosOver = a.nanos + (daysOver - days * 86_400n * times) * NANOS;
        expect(textOf('duration($a) / $b', mapOf({ ...first }), times)).toBe(
          written(months, days, nanosOver / times),
        );
      }),
      LAW_RUNS,
    );
  });

  it('the text of a duration, in its own units', () => {
    const count = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 500 }));
    const fields = fc.record({
      years: count,
      months: count,
      weeks: count,
      days: count,
      hours: count,
      minutes: count,
      seconds: count,
      nanoseconds: fc.integer({ min: 0, max: 999_999_999 }),
    });
    fc.assert(
      fc.property(fields, fc.boolean(), (each, isNegative) => {
        const duration = Temporal.Duration.from(each);
        const signed = isNegative ? duration.negated() : duration;
        fc.pre(!duration.blank);
        const sign = isNegative ? -1 : 1;
        const map = Object.entries(each).map(([key, value]) => [key, BigInt(sign * value)] as const);
        expect(textOf('duration($a)', signed.toString())).toBe(textOf('duration($a)', new Map(map)));
      }),
      LAW_RUNS,
    );
  });
});

function nanosParts({ hours, minutes, seconds, milliseconds, microseconds, nanoseconds }: Temporal.Duration) {
  return { hours, minutes, seconds, milliseconds, microseconds, nanoseconds };
}
