/** The order of temporal values: zoned ones by their instant, durations by their average length. */
import {
  DateTimeValue,
  DateValue,
  DurationValue,
  epochSecondOf,
  LocalDateTimeValue,
  LocalTimeValue,
  NANOS_PER_SECOND,
  type TemporalValue,
  TimeValue,
} from './temporal.ts';

/** 365.2425 days in twelve parts. */
export const SECONDS_PER_MONTH = 2_629_746n;

const KINDS = [DateTimeValue, LocalDateTimeValue, DateValue, TimeValue, LocalTimeValue, DurationValue];

/** The place of a value's kind among the others: from 0. */
export function temporalRank(value: TemporalValue): number {
  return KINDS.findIndex((kind) => value instanceof kind);
}

/** Whether `<` knows an order of the two: durations have none, since months differ in length. */
export function isComparable(left: TemporalValue, right: TemporalValue): boolean {
  return !(left instanceof DurationValue) && temporalRank(left) === temporalRank(right);
}

/** Compares two values of one kind. */
export function compareTemporal(left: TemporalValue, right: TemporalValue): number {
  const a = positionOf(left);
  const b = positionOf(right);
  for (const [index, part] of a.entries()) {
    const other = b[index] ?? 0n;
    if (part !== other) return part < other ? -1 : 1;
  }
  const [own, others] = [zoneOf(left), zoneOf(right)];
  return own < others ? -1 : own > others ? 1 : 0;
}

function zoneOf(value: TemporalValue): string {
  return value instanceof DateTimeValue ? (value.zone ?? '') : '';
}

/** What is compared, in turn; at one instant, the offset decides. */
function positionOf(value: TemporalValue): readonly (bigint | number)[] {
  if (value instanceof DateTimeValue) return [value.epochSecond, value.nanoOfSecond, value.offsetSeconds];
  if (value instanceof LocalDateTimeValue) return [value.epochDay, value.nanoOfDay];
  if (value instanceof DateValue) return [value.epochDay];
  if (value instanceof LocalTimeValue) return [value.nanoOfDay];
  if (value instanceof TimeValue) {
    return [value.nanoOfDay - value.offsetSeconds * NANOS_PER_SECOND, value.offsetSeconds];
  }
  const { months, days, seconds, nanoseconds } = value;
  return [months * SECONDS_PER_MONTH + days * 86_400n + seconds, nanoseconds, months, days];
}

/** Seconds and nanoseconds of a local date and time on one line, as a number of nanoseconds. */
export function nanosOf(epochDay: number, nanoOfDay: number): bigint {
  return epochSecondOf(epochDay, nanoOfDay) * BigInt(NANOS_PER_SECOND) + BigInt(nanoOfDay % NANOS_PER_SECOND);
}
