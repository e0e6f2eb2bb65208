/** Moments and durations: later, earlier, and the time between. */
import { dateOf, monthsLater } from './calendar.ts';
import { checkedDay } from './checked-date.ts';
import { localOf, partsOf } from './components.ts';
import { nanosOfDuration, newDuration } from './duration.ts';
import { nanosOf } from './order.ts';
import { ofEpochNanos } from './construct.ts';
import { zoneOfValue } from './parse-temporal.ts';
import {
  DateTimeValue,
  DateValue,
  type DurationValue,
  type InstantValue,
  LocalDateTimeValue,
  LocalTimeValue,
  NANOS_PER_DAY,
  NANOS_PER_SECOND,
  TimeValue,
} from './temporal.ts';
import { atLocal, UTC, type Zone } from './zone.ts';

const DAY_NANOS = BigInt(NANOS_PER_DAY);
const DAY_SECONDS = 86_400n;

/** Months first, then days, then the rest; of a date whole days only, of a time of day nothing else. */
export function later(value: InstantValue, duration: DurationValue): InstantValue {
  if (value instanceof DateValue) {
    return new DateValue(daysLater(value.epochDay, duration, duration.seconds / DAY_SECONDS));
  }
  const nanos = nanosOfDuration(duration);
  if (value instanceof LocalTimeValue) return new LocalTimeValue(wrapped(value.nanoOfDay, nanos));
  if (value instanceof TimeValue) return new TimeValue(wrapped(value.nanoOfDay, nanos), value.offsetSeconds);
  if (value instanceof LocalDateTimeValue) {
    return localLater(daysLater(value.epochDay, duration, 0n), value.nanoOfDay, nanos);
  }
  const there = zonedDaysLater(zonedMonthsLater(value, duration.months), duration.days);
  if (nanos === 0n) return there;
  const found = ofEpochNanos(instantNanos(there) + nanos, zoneOfValue(there) ?? UTC);
  checkedDay(found.epochDay);
  return found;
}

/** A local time that the clocks skip is moved before days are added. */
function zonedMonthsLater(value: DateTimeValue, months: bigint): DateTimeValue {
  if (months === 0n) return value;
  const epochDay = checkedDay(monthsLater(value.epochDay, boundedMonths(months)));
  return atLocal(epochDay, value.nanoOfDay, zoneOfValue(value) ?? UTC);
}

function zonedDaysLater(value: DateTimeValue, days: bigint): DateTimeValue {
  if (days === 0n) return value;
  const epochDay = checkedDay(Number(BigInt(value.epochDay) + days));
  return atLocal(epochDay, value.nanoOfDay, zoneOfValue(value) ?? UTC);
}

function daysLater(epochDay: number, { months, days }: DurationValue, further: bigint): number {
  const moved = months === 0n ? epochDay : monthsLater(epochDay, boundedMonths(months));
  return checkedDay(Number(BigInt(checkedDay(moved)) + days + further));
}

/** So many months leave the known years from anywhere. */
const MONTHS_MAX = 30_000_000_000n;

function boundedMonths(months: bigint): number {
  return Number(months > MONTHS_MAX ? MONTHS_MAX : months < -MONTHS_MAX ? -MONTHS_MAX : months);
}

function wrapped(nanoOfDay: number, nanos: bigint): number {
  return Number((((BigInt(nanoOfDay) + nanos) % DAY_NANOS) + DAY_NANOS) % DAY_NANOS);
}

function localLater(epochDay: number, nanoOfDay: number, nanos: bigint): LocalDateTimeValue {
  const nanoThere = wrapped(nanoOfDay, nanos);
  const days = (BigInt(nanoOfDay) + nanos - BigInt(nanoThere)) / DAY_NANOS;
  return new LocalDateTimeValue(checkedDay(Number(BigInt(epochDay) + days)), nanoThere);
}

function instantNanos(value: DateTimeValue): bigint {
  return value.epochSecond * BigInt(NANOS_PER_SECOND) + BigInt(value.nanoOfSecond);
}

export type BetweenUnit = 'all' | 'months' | 'days' | 'seconds';

/** From one moment to another; a part that only one of them has counts for both. */
export function between(unit: BetweenUnit, from: InstantValue, to: InstantValue): DurationValue {
  const zone = zoneOfValue(from) ?? zoneOfValue(to);
  const start = completed(from, to);
  const end = inZone(completed(to, from), { own: zoneOfValue(to), wanted: zone });
  if (unit === 'seconds') return newDuration(0n, 0n, positionOf(end, zone) - positionOf(start, zone));
  if (unit === 'days') return newDuration(0n, BigInt(wholeDays(start, end)), 0n);
  const hasDates = partsOf(from).epochDay !== undefined && partsOf(to).epochDay !== undefined;
  const months = hasDates ? wholeMonths(start, end) : 0;
  if (unit === 'months') return newDuration(BigInt(months), 0n, 0n);
  const afterMonths = new LocalDateTimeValue(monthsLater(start.epochDay, months), start.nanoOfDay);
  const days = hasDates ? wholeDays(afterMonths, end) : 0;
  const afterDays = new LocalDateTimeValue(afterMonths.epochDay + days, start.nanoOfDay);
  return newDuration(BigInt(months), BigInt(days), positionOf(end, zone) - positionOf(afterDays, zone));
}

/** With the other's date where it has none, and midnight where it has no time. */
function completed(value: InstantValue, other: InstantValue): LocalDateTimeValue {
  return localOf(value, { epochDay: partsOf(other).epochDay ?? 0, nanoOfDay: 0 });
}

/** A date and a time of day, with the moment where the value has a zone. */
type Position = LocalDateTimeValue | DateTimeValue;

/** The same moment in the zone of the first value. */
function inZone(
  local: LocalDateTimeValue,
  { own, wanted }: { readonly own: Zone | undefined; readonly wanted: Zone | undefined },
): Position {
  if (own === undefined || wanted === undefined) return local;
  return ofEpochNanos(instantNanos(atLocal(local.epochDay, local.nanoOfDay, own)), wanted);
}

function positionOf(position: Position, zone: Zone | undefined): bigint {
  if (position instanceof DateTimeValue) return instantNanos(position);
  const { epochDay, nanoOfDay } = position;
  return zone === undefined ? nanosOf(epochDay, nanoOfDay) : instantNanos(atLocal(epochDay, nanoOfDay, zone));
}

/** The day of the end, less one that is not over. */
function endDay(start: LocalDateTimeValue, end: Position): number {
  if (end.epochDay > start.epochDay && end.nanoOfDay < start.nanoOfDay) return end.epochDay - 1;
  if (end.epochDay < start.epochDay && end.nanoOfDay > start.nanoOfDay) return end.epochDay + 1;
  return end.epochDay;
}

function wholeDays(start: LocalDateTimeValue, end: Position): number {
  return endDay(start, end) - start.epochDay;
}

function wholeMonths(start: LocalDateTimeValue, end: Position): number {
  const day = endDay(start, end);
  const packed = (epochDay: number): number => {
    const { year, month, day: dayOfMonth } = dateOf(epochDay);
    return (year * 12 + month) * 32 + dayOfMonth;
  };
  // A number of months is not 0 with a sign.
  return Math.trunc((packed(day) - packed(start.epochDay)) / 32) + 0;
}
