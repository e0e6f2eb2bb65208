/**
 * The proleptic Gregorian calendar over days since 1970-01-01, for years that no library covers: those of
 * Cypher have nine digits. All numbers here are exact.
 */

export interface CalendarDate {
  readonly year: number;
  /** Number of the month, from 1. */
  readonly month: number;
  readonly day: number;
}

/** A date of the ISO 8601 calendar of weeks; Monday is 1. */
export interface WeekDate {
  readonly weekYear: number;
  readonly week: number;
  readonly weekDay: number;
}

export const YEAR_MAX = 999_999_999;

/** 400 years repeat exactly. */
const CYCLE_YEARS = 400;
const CYCLE_DAYS = 146_097;
/** A day of 1970 that begins a cycle of months from March on: 0000-03-01. */
const CYCLE_START = -719_468;

export function epochDayOf({ year, month, day }: CalendarDate): number {
  const shifted = month <= 2 ? year - 1 : year;
  const cycle = Math.floor(shifted / CYCLE_YEARS);
  const yearOfCycle = shifted - cycle * CYCLE_YEARS;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const leapDays = Math.floor(yearOfCycle / 4) - Math.floor(yearOfCycle / 100);
  return cycle * CYCLE_DAYS + yearOfCycle * 365 + leapDays + dayOfYear + CYCLE_START;
}

export function dateOf(epochDay: number): CalendarDate {
  const shifted = epochDay - CYCLE_START;
  const cycle = Math.floor(shifted / CYCLE_DAYS);
  const dayOfCycle = shifted - cycle * CYCLE_DAYS;
  const yearOfCycle = Math.floor(
    (dayOfCycle -
      Math.floor(dayOfCycle / 1_460) +
      Math.floor(dayOfCycle / 36_524) -
      Math.floor(dayOfCycle / 146_096)) /
      365,
  );
  const dayOfYear =
    dayOfCycle - (365 * yearOfCycle + Math.floor(yearOfCycle / 4) - Math.floor(yearOfCycle / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const year = yearOfCycle + cycle * CYCLE_YEARS + (month <= 2 ? 1 : 0);
  return { year, month, day: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1 };
}

export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

export function daysOfMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

export function weekDayOf(epochDay: number): number {
  return ((((epochDay + 3) % 7) + 7) % 7) + 1;
}

/** The Monday of the first week, which holds January 4. */
export function firstDayOfWeekYear(weekYear: number): number {
  const fourth = epochDayOf({ year: weekYear, month: 1, day: 4 });
  return fourth - weekDayOf(fourth) + 1;
}

export function weekDateOf(epochDay: number): WeekDate {
  const weekDay = weekDayOf(epochDay);
  // The Thursday of a week lies in the year that the week belongs to.
  const { year: weekYear } = dateOf(epochDay - weekDay + 4);
  const week = Math.floor((epochDay - firstDayOfWeekYear(weekYear)) / 7) + 1;
  return { weekYear, week, weekDay };
}

export function weeksOf(weekYear: number): number {
  return (firstDayOfWeekYear(weekYear + 1) - firstDayOfWeekYear(weekYear)) / 7;
}

export function quarterOf(month: number): number {
  return Math.ceil(month / 3);
}

/** The date so many months later, with the last day of its month at most. */
export function monthsLater(epochDay: number, months: number): number {
  const { year, month, day } = dateOf(epochDay);
  const total = year * 12 + (month - 1) + months;
  const next = { year: Math.floor(total / 12), month: (((total % 12) + 12) % 12) + 1 };
  return epochDayOf({ ...next, day: Math.min(day, daysOfMonth(next.year, next.month)) });
}
