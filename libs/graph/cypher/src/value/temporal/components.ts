/** `value.year`, `value.hour` and so on. */
import { nearestName } from '#platform/foundation';
import type { Value } from '../value.ts';
import { dateOf, epochDayOf, quarterOf, weekDateOf } from './calendar.ts';
import { DURATION_COMPONENTS } from './duration.ts';
import { temporalFault } from './temporal-fault.ts';
import {
  DateTimeValue,
  DurationValue,
  type InstantValue,
  LocalDateTimeValue,
  LocalTimeValue,
  NANOS_PER_SECOND,
  offsetText,
  type TemporalValue,
  TimeValue,
} from './temporal.ts';

type Component<T> = (value: T) => number;

const DATE_COMPONENTS: Readonly<Record<string, Component<number>>> = {
  year: (day) => dateOf(day).year,
  quarter: (day) => quarterOf(dateOf(day).month),
  month: (day) => dateOf(day).month,
  week: (day) => weekDateOf(day).week,
  weekYear: (day) => weekDateOf(day).weekYear,
  day: (day) => dateOf(day).day,
  ordinalDay: (day) => day - epochDayOf({ ...dateOf(day), month: 1, day: 1 }) + 1,
  dayOfQuarter: (day) => dayOfQuarterOf(day),
  weekDay: (day) => weekDateOf(day).weekDay,
  dayOfWeek: (day) => weekDateOf(day).weekDay,
};

export function dayOfQuarterOf(epochDay: number): number {
  const { year, month } = dateOf(epochDay);
  return epochDay - epochDayOf({ year, month: quarterOf(month) * 3 - 2, day: 1 }) + 1;
}

const TIME_COMPONENTS: Readonly<Record<string, Component<number>>> = {
  hour: (nano) => Math.floor(nano / (3_600 * NANOS_PER_SECOND)),
  minute: (nano) => Math.floor(nano / (60 * NANOS_PER_SECOND)) % 60,
  second: (nano) => Math.floor(nano / NANOS_PER_SECOND) % 60,
  millisecond: (nano) => Math.floor(nano / 1_000_000) % 1_000,
  microsecond: (nano) => Math.floor(nano / 1_000) % 1_000_000,
  nanosecond: (nano) => nano % NANOS_PER_SECOND,
};

const ZONE_COMPONENTS: Readonly<Record<string, (value: TimeValue | DateTimeValue) => Value>> = {
  timezone: (value) =>
    (value instanceof DateTimeValue ? value.zone : undefined) ?? offsetText(value.offsetSeconds),
  offset: ({ offsetSeconds }) => offsetText(offsetSeconds),
  offsetMinutes: ({ offsetSeconds }) => BigInt(Math.trunc(offsetSeconds / 60)),
  offsetSeconds: ({ offsetSeconds }) => BigInt(offsetSeconds),
};

const INSTANT_COMPONENTS: Readonly<Record<string, (value: DateTimeValue) => bigint>> = {
  epochSeconds: ({ epochSecond }) => epochSecond,
  epochMillis: ({ epochSecond, nanoOfSecond }) =>
    epochSecond * 1_000n + BigInt(Math.floor(nanoOfSecond / 1_000_000)),
};

/** In any case of letters. Throws for a name that the value's kind does not have, with the nearest one. */
export function componentOf(value: TemporalValue, name: string): Value {
  const table = tableOf(value);
  const found = table.get(name) ?? table.get(inCaseOf(table.keys(), name));
  if (found !== undefined) return found();
  const nearest = nearestName(name, [...table.keys()]);
  const hint = nearest === undefined ? '' : `: did you mean ${nearest}?`;
  throw temporalFault(`a ${value.constructor.name.replace('Value', '')} has no component ${name}${hint}`);
}

/** The name that differs in the case of letters at most; the name itself for none. */
export function inCaseOf(known: Iterable<string>, name: string): string {
  const lower = name.toLowerCase();
  return [...known].find((each) => each.toLowerCase() === lower) ?? name;
}

function tableOf(value: TemporalValue): ReadonlyMap<string, () => Value> {
  const table = new Map<string, () => Value>();
  if (value instanceof DurationValue) {
    for (const [name, read] of Object.entries(DURATION_COMPONENTS)) table.set(name, () => read(value));
    return table;
  }
  const { epochDay, nanoOfDay } = partsOf(value);
  for (const [name, read] of Object.entries(DATE_COMPONENTS)) {
    if (epochDay !== undefined) table.set(name, () => BigInt(read(epochDay)));
  }
  for (const [name, read] of Object.entries(TIME_COMPONENTS)) {
    if (nanoOfDay !== undefined) table.set(name, () => BigInt(read(nanoOfDay)));
  }
  if (!(value instanceof TimeValue) && !(value instanceof DateTimeValue)) return table;
  for (const [name, read] of Object.entries(ZONE_COMPONENTS)) table.set(name, () => read(value));
  if (!(value instanceof DateTimeValue)) return table;
  for (const [name, read] of Object.entries(INSTANT_COMPONENTS)) table.set(name, () => read(value));
  return table;
}

/** The date and the time of day, where the value has them. */
export function partsOf(value: InstantValue): {
  readonly epochDay: number | undefined;
  readonly nanoOfDay: number | undefined;
} {
  const hasDate = !(value instanceof LocalTimeValue || value instanceof TimeValue);
  return {
    epochDay: hasDate ? value.epochDay : undefined,
    nanoOfDay: 'nanoOfDay' in value ? value.nanoOfDay : undefined,
  };
}

/** What a `LocalDateTimeValue` has of a value, with what it lacks taken from elsewhere. */
export function localOf(
  value: InstantValue,
  fallback: { readonly epochDay: number; readonly nanoOfDay: number },
): LocalDateTimeValue {
  const { epochDay, nanoOfDay } = partsOf(value);
  return new LocalDateTimeValue(epochDay ?? fallback.epochDay, nanoOfDay ?? fallback.nanoOfDay);
}
