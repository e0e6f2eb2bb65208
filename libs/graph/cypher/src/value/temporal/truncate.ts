/** `date.truncate(unit, value, fields)` and its siblings. */
import { nearestName } from '#platform/foundation';
import type { CypherMap } from '../value.ts';
import { dateOf, firstDayOfWeekYear, quarterOf, weekDateOf } from './calendar.ts';
import { checkedDay } from './checked-date.ts';
import { partsOf } from './components.ts';
import { hasTime, namedZone } from './construct.ts';
import { DATE_FIELDS, dateFromFields, Fields, firstDayOf, TIME_FIELDS, timeFromFields } from './fields.ts';
import { build, hasDate, type InstantKind, isZoned, zoneOfValue } from './parse-temporal.ts';
import { temporalFault } from './temporal-fault.ts';
import { type InstantValue, NANOS_PER_SECOND } from './temporal.ts';
import { UTC } from './zone.ts';

const DATE_UNITS: Readonly<Record<string, (epochDay: number) => number>> = {
  millennium: (day) => firstDayOf(floorTo(dateOf(day).year, 1_000), 1),
  century: (day) => firstDayOf(floorTo(dateOf(day).year, 100), 1),
  decade: (day) => firstDayOf(floorTo(dateOf(day).year, 10), 1),
  year: (day) => firstDayOf(dateOf(day).year, 1),
  weekyear: (day) => firstDayOfWeekYear(weekDateOf(day).weekYear),
  quarter: (day) => firstDayOf(dateOf(day).year, quarterOf(dateOf(day).month) * 3 - 2),
  month: (day) => firstDayOf(dateOf(day).year, dateOf(day).month),
  week: (day) => day - weekDateOf(day).weekDay + 1,
  day: (day) => day,
};

const TIME_UNITS: Readonly<Record<string, number>> = {
  hour: 3_600 * NANOS_PER_SECOND,
  minute: 60 * NANOS_PER_SECOND,
  second: NANOS_PER_SECOND,
  millisecond: 1_000_000,
  microsecond: 1_000,
};

function floorTo(value: number, step: number): number {
  return Math.floor(value / step) * step;
}

export function truncateInstant(
  kind: InstantKind,
  unit: string,
  value: InstantValue,
  map: CypherMap,
): InstantValue {
  const known = [
    ...(hasDate(kind) ? DATE_FIELDS : []),
    ...(hasTime(kind) ? TIME_FIELDS : []),
    ...(isZoned(kind) ? ['timezone'] : []),
  ];
  const fields = new Fields(map, known);
  const { epochDay, nanoOfDay } = truncated(unit, value);
  if (hasDate(kind) && epochDay === undefined)
    throw temporalFault(`${kind}.truncate(): expected a value with a date`);
  const day = hasDate(kind) ? dateFromFields(fields, epochDay) : (epochDay ?? 0);
  const time = hasTime(kind) ? timeFromFields(fields, nanoOfDay, true) : 0;
  return build(kind, day, time, namedZone(fields) ?? zoneOfValue(value) ?? UTC);
}

/** Both parts, of which a unit of a day or more leaves midnight. */
function truncated(unit: string, value: InstantValue): { epochDay: number | undefined; nanoOfDay: number } {
  const name = unit.toLowerCase();
  const { epochDay, nanoOfDay } = partsOf(value);
  const ofDate = Object.hasOwn(DATE_UNITS, name) ? DATE_UNITS[name] : undefined;
  if (ofDate !== undefined) {
    if (epochDay === undefined && name !== 'day')
      throw temporalFault(`a value without a date has no ${unit}`);
    return { epochDay: epochDay === undefined ? undefined : checkedDay(ofDate(epochDay)), nanoOfDay: 0 };
  }
  const step = Object.hasOwn(TIME_UNITS, name) ? TIME_UNITS[name] : undefined;
  if (step === undefined) throw unknownUnit(unit);
  if (nanoOfDay === undefined) throw temporalFault(`a value without a time of day has no ${unit}`);
  return { epochDay, nanoOfDay: floorTo(nanoOfDay, step) };
}

function unknownUnit(unit: string): Error {
  const units = [...Object.keys(DATE_UNITS), ...Object.keys(TIME_UNITS)];
  const nearest = nearestName(unit.toLowerCase(), units);
  const hint = nearest === undefined ? units.join(', ') : `did you mean ${nearest}?`;
  return temporalFault(`there is no unit '${unit.slice(0, 40)}': ${hint}`);
}
