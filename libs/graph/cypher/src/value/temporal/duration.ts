/** Durations: from text, from parts with fractions, and their arithmetic. */
import { runtimeFault } from '../../syntax/fault.ts';
import { decimalOf, type Fraction, fractionOf, plus, times, ZERO } from '../fraction.ts';
import { SECONDS_PER_MONTH } from './order.ts';
import { temporalFault } from './temporal-fault.ts';
import { DurationValue, NANOS_PER_SECOND } from './temporal.ts';

const SECOND = BigInt(NANOS_PER_SECOND);
const DAY = 86_400n;
const LONG_MAX = 2n ** 63n - 1n;

export interface DurationParts {
  readonly months?: Fraction;
  readonly days?: Fraction;
  readonly seconds?: Fraction;
}

/** Parts of a month and of a day become days and seconds, by their average length. */
export function durationOf({ months = ZERO, days = ZERO, seconds = ZERO }: DurationParts): DurationValue {
  const wholeMonths = months.over / months.under;
  const monthRest = { over: (months.over % months.under) * SECONDS_PER_MONTH, under: months.under * DAY };
  const allDays = plus(days, monthRest);
  const wholeDays = allDays.over / allDays.under;
  const dayRest = { over: (allDays.over % allDays.under) * DAY, under: allDays.under };
  const { over, under } = plus(seconds, dayRest);
  return newDuration(wholeMonths, wholeDays, (over * SECOND) / under);
}

/** Refuses what 64 bits do not hold. */
export function newDuration(months: bigint, days: bigint, nanos: bigint): DurationValue {
  const rest = ((nanos % SECOND) + SECOND) % SECOND;
  const seconds = (nanos - rest) / SECOND;
  for (const part of [months, days, seconds]) if (part > LONG_MAX || part < -LONG_MAX) throw overflow();
  return new DurationValue(months, days, seconds, Number(rest));
}

function overflow(): Error {
  const message = 'a duration is beyond 64 bits';
  return runtimeFault('NumberOutOfRange', 'Neo.ClientError.Statement.ArithmeticError', message);
}

export function nanosOfDuration({ seconds, nanoseconds }: DurationValue): bigint {
  return seconds * SECOND + BigInt(nanoseconds);
}

export function addDurations(a: DurationValue, b: DurationValue, sign: 1n | -1n): DurationValue {
  const nanos = nanosOfDuration(a) + sign * nanosOfDuration(b);
  return newDuration(a.months + sign * b.months, a.days + sign * b.days, nanos);
}

export function negated({ months, days, seconds, nanoseconds }: DurationValue): DurationValue {
  return newDuration(-months, -days, -(seconds * SECOND + BigInt(nanoseconds)));
}

export function scaled(duration: DurationValue, factor: number | bigint, isDivided: boolean): DurationValue {
  const { over, under } = fractionOf(factor);
  const by = isDivided ? { over: under, under: over } : { over, under };
  if (by.under === 0n) {
    throw runtimeFault('NumberOutOfRange', 'Neo.ClientError.Statement.ArithmeticError', 'division by zero');
  }
  const part = (value: bigint, unit = 1n): Fraction => ({ over: value * by.over, under: by.under * unit });
  return durationOf({
    months: part(duration.months),
    days: part(duration.days),
    seconds: part(nanosOfDuration(duration), SECOND),
  });
}

const NUMBER = '([-+]?\\d{1,20}(?:[.,]\\d{1,20})?)';
const UNITS = new RegExp(
  `^([-+]?)P(?:${NUMBER}Y)?(?:${NUMBER}M)?(?:${NUMBER}W)?(?:${NUMBER}D)?(T(?:${NUMBER}H)?(?:${NUMBER}M)?(?:${NUMBER}S)?)?$`,
  'i',
);
const DATED = /^([-+]?)P(\d{4})-?(\d{2})-?(\d{2})(?:T(\d{2}):?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?)?$/i;

/** ISO 8601: `P1Y2M3W4DT5H6M7.5S`, `P2012-02-02T14:37:21.545`. */
export function parseDuration(text: string): DurationValue {
  const units = UNITS.exec(text);
  if (units !== null && !/[PT]$/i.test(text)) return ofUnits(units);
  const dated = DATED.exec(text);
  if (dated !== null) return ofDate(dated);
  throw temporalFault(`expected a duration such as P1Y2M3DT4H5M6.7S, got '${text.slice(0, 60)}'`);
}

function ofUnits([
  ,
  sign,
  years,
  months,
  weeks,
  days,
  ,
  hours,
  minutes,
  seconds,
]: RegExpExecArray): DurationValue {
  const part = (text: string | undefined, factor: bigint): Fraction =>
    text === undefined ? ZERO : times(decimalOf(text), factor);
  const found = durationOf({
    months: plus(part(years, 12n), part(months, 1n)),
    days: plus(part(weeks, 7n), part(days, 1n)),
    seconds: plus(part(hours, 3_600n), plus(part(minutes, 60n), part(seconds, 1n))),
  });
  return sign === '-' ? negated(found) : found;
}

function ofDate([, sign, ...found]: RegExpExecArray): DurationValue {
  const parts: readonly (string | undefined)[] = found;
  const [years = 0n, months = 0n, days = 0n, ...clock] = parts.slice(0, 6).map((part) => BigInt(part ?? 0));
  const seconds = clock.reduce((sum, part) => sum * 60n + part, 0n);
  const nanos = BigInt((parts[6] ?? '').padEnd(9, '0'));
  const duration = newDuration(years * 12n + months, days, seconds * SECOND + nanos);
  return sign === '-' ? negated(duration) : duration;
}

/** Of one duration in whole units, and of the rest below the next larger one. */
export const DURATION_COMPONENTS: Readonly<Record<string, (value: DurationValue) => bigint>> = {
  years: ({ months }) => months / 12n,
  quarters: ({ months }) => months / 3n,
  months: ({ months }) => months,
  weeks: ({ days }) => days / 7n,
  days: ({ days }) => days,
  hours: ({ seconds }) => seconds / 3_600n,
  minutes: ({ seconds }) => seconds / 60n,
  seconds: ({ seconds }) => seconds,
  milliseconds: (value) => nanosOfDuration(value) / 1_000_000n,
  microseconds: (value) => nanosOfDuration(value) / 1_000n,
  nanoseconds: (value) => nanosOfDuration(value),
  quartersOfYear: ({ months }) => (months / 3n) % 4n,
  monthsOfQuarter: ({ months }) => months % 3n,
  monthsOfYear: ({ months }) => months % 12n,
  daysOfWeek: ({ days }) => days % 7n,
  minutesOfHour: ({ seconds }) => (seconds / 60n) % 60n,
  secondsOfMinute: ({ seconds }) => seconds % 60n,
  millisecondsOfSecond: ({ nanoseconds }) => BigInt(Math.floor(nanoseconds / 1_000_000)),
  microsecondsOfSecond: ({ nanoseconds }) => BigInt(Math.floor(nanoseconds / 1_000)),
  nanosecondsOfSecond: ({ nanoseconds }) => BigInt(nanoseconds),
};
