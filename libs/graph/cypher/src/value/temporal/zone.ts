/**
 * Time zones: offsets such as `+01:00`, and names such as `Europe/Stockholm`, whose rules the platform knows.
 * Beyond the years that its library covers, the rules of an equal year count: the calendar repeats after 400
 * years.
 */
import { Temporal } from 'temporal-polyfill';
import { dateOf } from './calendar.ts';
import { temporalFault } from './temporal-fault.ts';
import { DateTimeValue, epochSecondOf, NANOS_PER_SECOND, offsetText, SECONDS_PER_DAY } from './temporal.ts';

/** An offset alone, or a name with it where that is known. */
export interface Zone {
  readonly offsetSeconds?: number | undefined;
  readonly name?: string | undefined;
  /** Of a name: the offset of the moment that has it, where the clocks show a local time twice. */
  readonly preferredOffset?: number | undefined;
}

export const UTC: Zone = { offsetSeconds: 0 };

const OFFSET = /^([+-])(\d{2})(?::?(\d{2}))?(?::?(\d{2}))?$/;
const OFFSET_MAX = 18 * 3_600;

/** `Z`, an offset, or the name of a zone in any case of letters. */
export function parseZone(text: string): Zone {
  return /^[+-]|^z$/i.test(text) ? { offsetSeconds: parseOffset(text) } : { name: zoneNamed(text) };
}

export function parseOffset(text: string): number {
  if (/^z$/i.test(text)) return 0;
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = OFFSET.exec(text) ?? [];
  const size = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
  const isValid = sign !== undefined && size <= OFFSET_MAX && Number(minutes) < 60 && Number(seconds) < 60;
  if (!isValid) throw temporalFault(`expected an offset from -18:00 to +18:00, got ${text}`);
  return sign === '-' ? 0 - size : size;
}

const NAMES_KEPT_MAX = 1_000;
const knownNames = new Map<string, string>();

function zoneNamed(name: string): string {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  const found = canonicalName(name);
  if (knownNames.size >= NAMES_KEPT_MAX) knownNames.clear();
  knownNames.set(name, found);
  return found;
}

function canonicalName(name: string): string {
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;
  } catch {
    throw temporalFault(`expected an offset or the name of a time zone, got '${name.slice(0, 60)}'`);
  }
}

/** The local time of an instant in a zone. */
export function atInstant(epochSecond: bigint, nanoOfSecond: number, zone: Zone): DateTimeValue {
  const { name } = zone;
  const offset = name === undefined ? (zone.offsetSeconds ?? 0) : offsetAt(epochSecond, name);
  const local = epochSecond + BigInt(offset);
  const second = Number(((local % DAY) + DAY) % DAY);
  const epochDay = Number((local - BigInt(second)) / DAY);
  return new DateTimeValue(epochDay, second * NANOS_PER_SECOND + nanoOfSecond, offset, name);
}

/**
 * A local date and time in a zone. Of two instants the earlier one, unless the zone's own or preferred offset
 * says which; of none, as much later as the clock was set forward.
 */
export function atLocal(epochDay: number, nanoOfDay: number, zone: Zone): DateTimeValue {
  const { name, offsetSeconds, preferredOffset } = zone;
  if (name === undefined) return new DateTimeValue(epochDay, nanoOfDay, offsetSeconds ?? 0);
  const local = epochSecondOf(epochDay, nanoOfDay);
  const nanos = nanoOfDay % NANOS_PER_SECOND;
  if (offsetSeconds === undefined && preferredOffset !== undefined) {
    const preferred = atInstant(local - BigInt(preferredOffset), nanos, zone);
    if (preferred.offsetSeconds === preferredOffset) return preferred;
  }
  if (offsetSeconds === undefined) {
    return atInstant(local - BigInt(offsetOfLocal(epochDay, nanoOfDay, name)), nanos, zone);
  }
  const found = atInstant(local - BigInt(offsetSeconds), nanos, { name });
  if (found.offsetSeconds === offsetSeconds) return found;
  throw temporalFault(`${name} does not have the offset ${offsetText(offsetSeconds)} at that time`);
}

const DAY = BigInt(SECONDS_PER_DAY);
const CYCLE_DAYS = 146_097;
/** Days from 1970 that the library covers, with room for any offset. */
const COVERED_DAYS = 99_999_900;

/** A day in the covered years whose rules count for it. */
function coveredDay(epochDay: number): number {
  if (Math.abs(epochDay) <= COVERED_DAYS) return epochDay;
  const cycles = Math.ceil((Math.abs(epochDay) - COVERED_DAYS) / CYCLE_DAYS);
  return epochDay - Math.sign(epochDay) * cycles * CYCLE_DAYS;
}

function offsetAt(epochSecond: bigint, name: string): number {
  const second = ((epochSecond % DAY) + DAY) % DAY;
  const day = coveredDay(Number((epochSecond - second) / DAY));
  const instant = Temporal.Instant.fromEpochMilliseconds((day * SECONDS_PER_DAY + Number(second)) * 1_000);
  return instant.toZonedDateTimeISO(name).offsetNanoseconds / NANOS_PER_SECOND;
}

/** The offset that makes an instant of the local time; before a gap, the one that ends there. */
function offsetOfLocal(epochDay: number, nanoOfDay: number, name: string): number {
  const day = coveredDay(epochDay);
  const { year, month, day: dayOfMonth } = dateOf(day);
  const second = Math.floor(nanoOfDay / NANOS_PER_SECOND);
  const [hour, minute] = [Math.floor(second / 3_600), Math.floor(second / 60) % 60];
  const local = new Temporal.PlainDateTime(year, month, dayOfMonth, hour, minute, second % 60);
  const instantMs = local.toZonedDateTime(name).epochMilliseconds;
  return day * SECONDS_PER_DAY + second - instantMs / 1_000;
}
