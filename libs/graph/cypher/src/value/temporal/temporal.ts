/**
 * Values of time. Each has its ISO 8601 text as `toString()`. Years have up to nine digits, times have
 * nanoseconds; a number is exact wherever one stands.
 */
import { dateOf } from './calendar.ts';

export const NANOS_PER_SECOND = 1_000_000_000;
export const SECONDS_PER_DAY = 86_400;
export const NANOS_PER_DAY = SECONDS_PER_DAY * NANOS_PER_SECOND;

/** A calendar date. */
export class DateValue {
  /** Days since 1970-01-01. */
  readonly epochDay: number;

  constructor(epochDay: number) {
    this.epochDay = epochDay;
  }

  toString(): string {
    return dateText(this.epochDay);
  }
}

/** A time of day. */
export class LocalTimeValue {
  /** Nanoseconds since midnight. */
  readonly nanoOfDay: number;

  constructor(nanoOfDay: number) {
    this.nanoOfDay = nanoOfDay;
  }

  toString(): string {
    return timeText(this.nanoOfDay);
  }
}

/** A time of day at an offset from UTC. */
export class TimeValue {
  /** Nanoseconds since midnight, on the local clock. */
  readonly nanoOfDay: number;
  readonly offsetSeconds: number;

  constructor(nanoOfDay: number, offsetSeconds: number) {
    this.nanoOfDay = nanoOfDay;
    this.offsetSeconds = offsetSeconds;
  }

  toString(): string {
    return timeText(this.nanoOfDay) + offsetText(this.offsetSeconds);
  }
}

/** A date and a time of day, without an offset. */
export class LocalDateTimeValue {
  readonly epochDay: number;
  readonly nanoOfDay: number;

  constructor(epochDay: number, nanoOfDay: number) {
    this.epochDay = epochDay;
    this.nanoOfDay = nanoOfDay;
  }

  toString(): string {
    return `${dateText(this.epochDay)}T${timeText(this.nanoOfDay)}`;
  }
}

/** A date and a time of day in a time zone, or at an offset from UTC. */
export class DateTimeValue {
  /** Days since 1970-01-01 in the local calendar. */
  readonly epochDay: number;
  /** Nanoseconds since midnight on the local clock. */
  readonly nanoOfDay: number;
  /** The one in force. */
  readonly offsetSeconds: number;
  /** Name of the time zone; undefined where there is an offset only. */
  readonly zone: string | undefined;

  constructor(epochDay: number, nanoOfDay: number, offsetSeconds: number, zone?: string) {
    this.epochDay = epochDay;
    this.nanoOfDay = nanoOfDay;
    this.offsetSeconds = offsetSeconds;
    this.zone = zone;
  }

  /** Seconds since 1970-01-01T00:00:00Z. */
  get epochSecond(): bigint {
    return epochSecondOf(this.epochDay, this.nanoOfDay) - BigInt(this.offsetSeconds);
  }

  /** Nanoseconds after `epochSecond`. */
  get nanoOfSecond(): number {
    return this.nanoOfDay % NANOS_PER_SECOND;
  }

  toString(): string {
    const zone = this.zone === undefined ? '' : `[${this.zone}]`;
    return `${dateText(this.epochDay)}T${timeText(this.nanoOfDay)}${offsetText(this.offsetSeconds)}${zone}`;
  }
}

/** Months, days and seconds, which have no fixed length in each other. */
export class DurationValue {
  readonly months: bigint;
  readonly days: bigint;
  readonly seconds: bigint;
  /** From 0 to 999,999,999, also after negative seconds. */
  readonly nanoseconds: number;

  constructor(months: bigint, days: bigint, seconds: bigint, nanoseconds: number) {
    this.months = months;
    this.days = days;
    this.seconds = seconds;
    this.nanoseconds = nanoseconds;
  }

  toString(): string {
    return durationText(this);
  }
}

/** A point of time, or a part of one. */
export type InstantValue = DateValue | LocalTimeValue | TimeValue | LocalDateTimeValue | DateTimeValue;

export type TemporalValue = InstantValue | DurationValue;

const INSTANTS = [DateValue, LocalTimeValue, TimeValue, LocalDateTimeValue, DateTimeValue];

export function isInstant(value: unknown): value is InstantValue {
  return INSTANTS.some((each) => value instanceof each);
}

export function isTemporal(value: unknown): value is TemporalValue {
  return value instanceof DurationValue || isInstant(value);
}

/** Seconds of a local date and time since 1970-01-01T00:00. */
export function epochSecondOf(epochDay: number, nanoOfDay: number): bigint {
  return BigInt(epochDay) * BigInt(SECONDS_PER_DAY) + BigInt(Math.floor(nanoOfDay / NANOS_PER_SECOND));
}

function dateText(epochDay: number): string {
  const { year, month, day } = dateOf(epochDay);
  return `${yearText(year)}-${digits(month, 2)}-${digits(day, 2)}`;
}

function yearText(year: number): string {
  const sign = year < 0 ? '-' : year > 9_999 ? '+' : '';
  return sign + digits(Math.abs(year), 4);
}

/** Seconds stand only where they are not zero. */
function timeText(nanoOfDay: number): string {
  const seconds = Math.floor(nanoOfDay / NANOS_PER_SECOND);
  const nanos = nanoOfDay % NANOS_PER_SECOND;
  const minute = `${digits(Math.floor(seconds / 3_600), 2)}:${digits(Math.floor(seconds / 60) % 60, 2)}`;
  if (seconds % 60 === 0 && nanos === 0) return minute;
  return `${minute}:${digits(seconds % 60, 2)}${fractionText(nanos)}`;
}

/** `Z`, `+01:00`, or with seconds where there are some. */
export function offsetText(offsetSeconds: number): string {
  if (offsetSeconds === 0) return 'Z';
  const size = Math.abs(offsetSeconds);
  const parts = [Math.floor(size / 3_600), Math.floor(size / 60) % 60, size % 60];
  const shown = parts.slice(0, size % 60 === 0 ? 2 : 3).map((part) => digits(part, 2));
  return `${offsetSeconds < 0 ? '-' : '+'}${shown.join(':')}`;
}

function durationText({ months, days, seconds, nanoseconds }: DurationValue): string {
  const dates = [
    [months / 12n, 'Y'],
    [months % 12n, 'M'],
    [days, 'D'],
  ] as const;
  const date = dates.map(([value, unit]) => (value === 0n ? '' : `${String(value)}${unit}`)).join('');
  const time = durationTimeText(seconds * BigInt(NANOS_PER_SECOND) + BigInt(nanoseconds));
  if (date === '' && time === '') return 'PT0S';
  return `P${date}${time === '' ? '' : `T${time}`}`;
}

/** Each part has the sign of the whole. */
function durationTimeText(total: bigint): string {
  const sign = total < 0n ? '-' : '';
  const size = total < 0n ? -total : total;
  const nanos = Number(size % BigInt(NANOS_PER_SECOND));
  const seconds = size / BigInt(NANOS_PER_SECOND);
  const parts = [
    [seconds / 3_600n, 'H'],
    [(seconds / 60n) % 60n, 'M'],
  ] as const;
  const larger = parts.map(([value, unit]) => (value === 0n ? '' : `${sign}${String(value)}${unit}`));
  const second = seconds % 60n;
  const isWhole = second === 0n && nanos === 0;
  return larger.join('') + (isWhole ? '' : `${sign}${String(second)}${fractionText(nanos)}S`);
}

/** Writes a fraction of a second, such as `.5`; nothing for 0. */
function fractionText(nanos: number): string {
  return nanos === 0 ? '' : `.${digits(nanos, 9).replace(/0+$/, '')}`;
}

function digits(value: number, length: number): string {
  return String(value).padStart(length, '0');
}
