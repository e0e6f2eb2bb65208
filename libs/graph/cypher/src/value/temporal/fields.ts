/** The parts of a date and of a time of day that a map names, over those of a value that it begins with. */
import { nearestName } from '#platform/foundation';
import type { CypherMap } from '../value.ts';
import { dateOf, daysOfMonth, epochDayOf, quarterOf, weekDateOf, weeksOf } from './calendar.ts';
import { dayOfCalendar, dayOfOrdinal, dayOfQuarterDate, dayOfWeekDate, inRange } from './checked-date.ts';
import { dayOfQuarterOf, inCaseOf } from './components.ts';
import { temporalFault } from './temporal-fault.ts';
import { NANOS_PER_DAY, NANOS_PER_SECOND } from './temporal.ts';

export const DATE_FIELDS = [
  'year',
  'month',
  'day',
  'week',
  'dayOfWeek',
  'quarter',
  'dayOfQuarter',
  'ordinalDay',
] as const;
export const TIME_FIELDS = ['hour', 'minute', 'second', 'millisecond', 'microsecond', 'nanosecond'] as const;

/** A map of which each field is asked for by name. */
export class Fields {
  readonly #map: CypherMap;

  /** Names are read in any case of letters. Refuses one that the kind does not know, with the nearest. */
  constructor(map: CypherMap, known: readonly string[]) {
    this.#map = new Map([...map].map(([name, value]) => [inCaseOf(known, name), value]));
    for (const name of this.#map.keys()) {
      if (known.includes(name)) continue;
      const nearest = nearestName(name, known);
      const hint = nearest === undefined ? `expected ${known.join(', ')}` : `did you mean ${nearest}?`;
      throw temporalFault(`there is no field ${name} here: ${hint}`);
    }
  }

  has(name: string): boolean {
    return (this.#map.get(name) ?? null) !== null;
  }

  /** Whether it is named, with null too. */
  hasKey(name: string): boolean {
    return this.#map.has(name);
  }

  hasAny(names: readonly string[]): boolean {
    return names.some((name) => this.has(name));
  }

  get(name: string): ReturnType<CypherMap['get']> {
    return this.#map.get(name);
  }

  /** Undefined without the field; refuses what is no integer. */
  integer(name: string): number | undefined {
    const value = this.#map.get(name) ?? null;
    if (value === null) return undefined;
    if (typeof value === 'bigint') return Number(value);
    throw temporalFault(`expected an integer as ${name}`);
  }

  text(name: string): string | undefined {
    const value = this.#map.get(name) ?? null;
    if (value === null) return undefined;
    if (typeof value === 'string') return value;
    throw temporalFault(`expected a text as ${name}`);
  }
}

/**
 * The day that the fields name; what they leave out comes from the base or, below the smallest named field,
 * is the first.
 */
export function dateFromFields(fields: Fields, base: number | undefined): number {
  const styles = [
    ['week', ['week', 'dayOfWeek']],
    ['quarter', ['quarter', 'dayOfQuarter']],
    ['ordinal', ['ordinalDay']],
    ['calendar', ['month', 'day']],
  ] as const;
  const used = styles.filter(([, names]) => fields.hasAny(names)).map(([style]) => style);
  if (used.length > 1)
    throw temporalFault(`a date has a ${used[0] ?? ''} or a ${used[1] ?? ''} form, not both`);
  return DATE_STYLES[used[0] ?? 'calendar'](fields, base);
}

const DATE_STYLES = { calendar, week, quarter, ordinal } as const;

function calendar(fields: Fields, base: number | undefined): number {
  const from = base === undefined ? undefined : dateOf(base);
  const year = required(fields, 'year', from?.year);
  if (from === undefined) requireLarger(fields, ['month', 'day']);
  const month = fields.integer('month') ?? from?.month ?? 1;
  const own = fields.integer('day');
  // A day that was not asked for gives way to the end of the month.
  const kept = Math.min(from?.day ?? 1, month >= 1 && month <= 12 ? daysOfMonth(year, month) : 31);
  return dayOfCalendar(year, month, own ?? kept);
}

function week(fields: Fields, base: number | undefined): number {
  const from = base === undefined ? undefined : weekDateOf(base);
  const year = required(fields, 'year', from?.weekYear);
  if (from === undefined) requireLarger(fields, ['week', 'dayOfWeek']);
  const kept = Math.min(from?.week ?? 1, weeksOf(year));
  return dayOfWeekDate(
    year,
    fields.integer('week') ?? kept,
    fields.integer('dayOfWeek') ?? from?.weekDay ?? 1,
  );
}

function quarter(fields: Fields, base: number | undefined): number {
  const from = base === undefined ? undefined : { ...dateOf(base), dayOfQuarter: dayOfQuarterOf(base) };
  const year = required(fields, 'year', from?.year);
  if (from === undefined) requireLarger(fields, ['quarter', 'dayOfQuarter']);
  const own = fields.integer('quarter') ?? quarterOf(from?.month ?? 1);
  return dayOfQuarterDate(year, own, fields.integer('dayOfQuarter') ?? from?.dayOfQuarter ?? 1);
}

function ordinal(fields: Fields, base: number | undefined): number {
  const year = required(fields, 'year', base === undefined ? undefined : dateOf(base).year);
  return dayOfOrdinal(year, fields.integer('ordinalDay') ?? 1);
}

function required(fields: Fields, name: string, fallback: number | undefined): number {
  const value = fields.integer(name) ?? fallback;
  if (value !== undefined) return value;
  throw temporalFault(`expected the field ${name}`);
}

/** Each named field needs the ones before it. */
function requireLarger(fields: Fields, names: readonly string[]): void {
  const missing = names.findIndex((name) => !fields.has(name));
  if (missing < 0) return;
  const smaller = names.slice(missing + 1).find((name) => fields.has(name));
  if (smaller !== undefined)
    throw temporalFault(`expected the field ${names[missing] ?? ''} beside ${smaller}`);
}

/**
 * The time of day that the fields name. `isAdded`: fractions of a second are added to the base, not set in
 * its place.
 */
export function timeFromFields(fields: Fields, base: number | undefined, isAdded = false): number {
  const from = base ?? 0;
  if (base === undefined) requireLarger(fields, ['hour', 'minute', 'second']);
  if (base === undefined && !fields.has('second') && fields.hasAny(TIME_FIELDS.slice(3))) {
    throw temporalFault('expected the field second beside a fraction of it');
  }
  const seconds = Math.floor(from / NANOS_PER_SECOND);
  const hour = inRange('hour', fields.integer('hour') ?? Math.floor(seconds / 3_600), 0, 23);
  const minute = inRange('minute', fields.integer('minute') ?? Math.floor(seconds / 60) % 60, 0, 59);
  const second = inRange('second', fields.integer('second') ?? seconds % 60, 0, 59);
  const own = nanosFromFields(fields);
  const kept = from % NANOS_PER_SECOND;
  const nanos = own === undefined ? kept : isAdded ? kept + own : own;
  const nanoOfDay = (hour * 3_600 + minute * 60 + second) * NANOS_PER_SECOND + nanos;
  return inRange('a time', nanoOfDay, 0, NANOS_PER_DAY - 1);
}

/** Each fraction holds what the larger one leaves; undefined without any. */
function nanosFromFields(fields: Fields): number | undefined {
  if (!fields.hasAny(['millisecond', 'microsecond', 'nanosecond'])) return undefined;
  let unit = NANOS_PER_SECOND;
  let total = 0;
  for (const [name, size] of [
    ['millisecond', 1_000_000],
    ['microsecond', 1_000],
    ['nanosecond', 1],
  ] as const) {
    const value = fields.integer(name);
    if (value === undefined) continue;
    total += inRange(name, value, 0, unit / size - 1) * size;
    unit = size;
  }
  return total;
}

export function firstDayOf(year: number, month: number): number {
  return epochDayOf({ year, month, day: 1 });
}
