/** Days from the parts of a date, each of which is checked. */
import {
  daysOfMonth,
  epochDayOf,
  firstDayOfWeekYear,
  isLeapYear,
  monthsLater,
  weeksOf,
  YEAR_MAX,
} from './calendar.ts';
import { temporalFault } from './temporal-fault.ts';

/** The number, or a fault that names the part and its range. */
export function inRange(name: string, value: number, min: number, max: number): number {
  if (value >= min && value <= max) return value;
  throw temporalFault(`expected ${name} from ${min} to ${max}, got ${value}`);
}

export function dayOfCalendar(year: number, month: number, day: number): number {
  inRange('year', year, -YEAR_MAX, YEAR_MAX);
  inRange('month', month, 1, 12);
  inRange('day', day, 1, daysOfMonth(year, month));
  return epochDayOf({ year, month, day });
}

export function dayOfWeekDate(year: number, week: number, weekDay: number): number {
  inRange('year', year, -YEAR_MAX, YEAR_MAX);
  inRange('week', week, 1, weeksOf(year));
  inRange('dayOfWeek', weekDay, 1, 7);
  return firstDayOfWeekYear(year) + (week - 1) * 7 + weekDay - 1;
}

export function dayOfQuarterDate(year: number, quarter: number, dayOfQuarter: number): number {
  inRange('year', year, -YEAR_MAX, YEAR_MAX);
  inRange('quarter', quarter, 1, 4);
  const first = epochDayOf({ year, month: quarter * 3 - 2, day: 1 });
  return first + inRange('dayOfQuarter', dayOfQuarter, 1, monthsLater(first, 3) - first) - 1;
}

export function dayOfOrdinal(year: number, ordinalDay: number): number {
  inRange('year', year, -YEAR_MAX, YEAR_MAX);
  const day = inRange('ordinalDay', ordinalDay, 1, isLeapYear(year) ? 366 : 365);
  return epochDayOf({ year, month: 1, day: 1 }) + day - 1;
}

const FIRST_DAY = epochDayOf({ year: -YEAR_MAX, month: 1, day: 1 });
const LAST_DAY = epochDayOf({ year: YEAR_MAX, month: 12, day: 31 });

/** A computed day, or a fault beyond the years that exist. */
export function checkedDay(epochDay: number): number {
  if (epochDay >= FIRST_DAY && epochDay <= LAST_DAY) return epochDay;
  throw temporalFault(`the date is beyond the years from -${YEAR_MAX} to ${YEAR_MAX}`);
}
