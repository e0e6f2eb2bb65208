/** Temporal values from ISO 8601 text, in its basic and extended forms. */
import { dayOfCalendar, dayOfOrdinal, dayOfQuarterDate, dayOfWeekDate } from './checked-date.ts';
import { temporalFault } from './temporal-fault.ts';
import {
  DateTimeValue,
  DateValue,
  type InstantValue,
  LocalDateTimeValue,
  LocalTimeValue,
  NANOS_PER_SECOND,
  TimeValue,
} from './temporal.ts';
import { atLocal, parseOffset, parseZone, UTC, type Zone } from './zone.ts';

export type InstantKind = 'date' | 'localtime' | 'time' | 'localdatetime' | 'datetime';

const EXAMPLES: Readonly<Record<InstantKind, string>> = {
  date: '2015-07-21',
  localtime: '21:40:32.142',
  time: '21:40:32.142+01:00',
  localdatetime: '2015-07-21T21:40:32.142',
  datetime: '2015-07-21T21:40:32.142+02:00[Europe/Stockholm]',
};

export function hasDate(kind: InstantKind): boolean {
  return kind === 'date' || kind.endsWith('datetime');
}

export function isZoned(kind: InstantKind): boolean {
  return kind === 'time' || kind === 'datetime';
}

/** The value of the kind, in UTC where the text names no zone. */
export function parseInstant(kind: InstantKind, text: string): InstantValue {
  const [datePart, timePart] = hasDate(kind) ? splitAt(text) : [undefined, text];
  const epochDay = datePart === undefined ? 0 : parseDate(datePart);
  const clock = timePart === undefined ? MIDNIGHT : parseTime(timePart);
  const isTooMuch = kind === 'date' ? timePart !== undefined : !isZoned(kind) && clock?.zone !== undefined;
  if (epochDay === undefined || clock === undefined || isTooMuch) {
    throw temporalFault(`expected a ${kind} such as ${EXAMPLES[kind]}, got '${text.slice(0, 60)}'`);
  }
  return build(kind, epochDay, clock.nanoOfDay, clock.zone ?? UTC);
}

function splitAt(text: string): readonly [string, string | undefined] {
  const at = text.search(/t/i);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** A value of the kind from parts of which it takes what it has. */
export function build(kind: InstantKind, epochDay: number, nanoOfDay: number, zone: Zone): InstantValue {
  switch (kind) {
    case 'date':
      return new DateValue(epochDay);
    case 'localtime':
      return new LocalTimeValue(nanoOfDay);
    case 'time':
      return new TimeValue(nanoOfDay, offsetFor(epochDay, nanoOfDay, zone));
    case 'localdatetime':
      return new LocalDateTimeValue(epochDay, nanoOfDay);
    case 'datetime':
      return atLocal(epochDay, nanoOfDay, zone);
  }
}

/** A named zone has an offset only at a time. */
function offsetFor(epochDay: number, nanoOfDay: number, zone: Zone): number {
  return zone.name === undefined
    ? (zone.offsetSeconds ?? 0)
    : atLocal(epochDay, nanoOfDay, zone).offsetSeconds;
}

const YEAR = '(\\d{4}|[+-]\\d{1,9})';
const DATES: readonly (readonly [RegExp, (numbers: readonly number[]) => number])[] = [
  [new RegExp(`^${YEAR}(?:-(\\d{2})(?:-(\\d{2}))?)?$`), calendar],
  [/^(\d{4})(\d{2})(\d{2})?$/, calendar],
  [
    new RegExp(`^${YEAR}-?W(\\d{2})(?:-?(\\d))?$`, 'i'),
    ([year = 0, week = 1, day = 1]) => dayOfWeekDate(year, week, day),
  ],
  [
    new RegExp(`^${YEAR}-?Q(\\d)(?:-?(\\d{2}))?$`, 'i'),
    ([year = 0, quarter = 1, day = 1]) => dayOfQuarterDate(year, quarter, day),
  ],
  [new RegExp(`^${YEAR}-(\\d{3})$`), ([year = 0, day = 1]) => dayOfOrdinal(year, day)],
  [/^(\d{4})(\d{3})$/, ([year = 0, day = 1]) => dayOfOrdinal(year, day)],
];

function calendar([year = 0, month = 1, day = 1]: readonly number[]): number {
  return dayOfCalendar(year, month, day);
}

/** The day; undefined for what is no date. */
function parseDate(text: string): number | undefined {
  for (const [pattern, read] of DATES) {
    const [, ...parts] = pattern.exec(text) ?? [];
    if (parts.length > 0)
      return read(
        (parts as readonly (string | undefined)[]).flatMap((part) =>
          part === undefined ? [] : [Number(part)],
        ),
      );
  }
  return undefined;
}

interface ClockTime {
  readonly nanoOfDay: number;
  /** Undefined where the text names none. */
  readonly zone: Zone | undefined;
}

const MIDNIGHT: ClockTime = { nanoOfDay: 0, zone: undefined };
const TIME =
  /^(\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?)?(z|[+-]\d{2}(?::?\d{2}(?::?\d{2})?)?)?(?:\[([^\]]*)\])?$/i;

function parseTime(text: string): ClockTime | undefined {
  const [, hour, minute = '0', second = '0', fraction = '', offset, name] = TIME.exec(text) ?? [];
  if (hour === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const seconds = Number(hour) * 3_600 + Number(minute) * 60 + Number(second);
  const nanoOfDay = seconds * NANOS_PER_SECOND + Number(fraction.padEnd(9, '0'));
  return { nanoOfDay, zone: zoneOf(offset, name) };
}

function zoneOf(offset: string | undefined, name: string | undefined): Zone | undefined {
  const offsetSeconds = offset === undefined ? undefined : parseOffset(offset);
  if (name !== undefined) return { ...parseZone(name), ...(offset !== undefined && { offsetSeconds }) };
  return offset === undefined ? undefined : { offsetSeconds };
}

/** The zone of a value that has one. */
export function zoneOfValue(value: InstantValue): Zone | undefined {
  if (value instanceof TimeValue) return { offsetSeconds: value.offsetSeconds };
  if (!(value instanceof DateTimeValue)) return undefined;
  const { zone: name, offsetSeconds } = value;
  return name === undefined ? { offsetSeconds } : { name, preferredOffset: offsetSeconds };
}
