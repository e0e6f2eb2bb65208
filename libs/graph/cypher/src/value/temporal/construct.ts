/** `date(…)`, `time(…)` and so on: from a text, a map or another value. */
import { isMap, type CypherMap, typeName, type Value } from '../value.ts';
import { partsOf } from './components.ts';
import { DATE_FIELDS, dateFromFields, Fields, TIME_FIELDS, timeFromFields } from './fields.ts';
import { build, hasDate, type InstantKind, isZoned, parseInstant, zoneOfValue } from './parse-temporal.ts';
import { temporalFault } from './temporal-fault.ts';
import { DateTimeValue, type InstantValue, isInstant, NANOS_PER_SECOND, TimeValue } from './temporal.ts';
import { atInstant, atLocal, parseZone, UTC, type Zone } from './zone.ts';

export function constructInstant(
  kind: InstantKind,
  from: Value,
  now: (zone: Zone) => DateTimeValue,
): InstantValue {
  if (typeof from === 'string') return parseInstant(kind, from);
  if (isInstant(from)) return converted(kind, from);
  if (isMap(from)) return fromMap(kind, from, now);
  throw temporalFault(`${kind}(): expected a text, a map or a temporal value, got ${typeName(from)}`);
}

export function hasTime(kind: InstantKind): boolean {
  return kind !== 'date';
}

/** The same moment as another kind. A part that the value lacks is refused, but midnight and UTC are not. */
function converted(kind: InstantKind, from: InstantValue): InstantValue {
  const { epochDay, nanoOfDay } = partsOf(from);
  if (hasDate(kind) && epochDay === undefined) throw lacking(kind, from, 'date');
  if (!hasDate(kind) && nanoOfDay === undefined) throw lacking(kind, from, 'time');
  if (kind === 'time' && from instanceof DateTimeValue)
    return new TimeValue(from.nanoOfDay, from.offsetSeconds);
  return build(kind, epochDay ?? 0, nanoOfDay ?? 0, zoneOfValue(from) ?? UTC);
}

function lacking(kind: string, from: Value, part: string): Error {
  return temporalFault(`${kind}(): expected a value with a ${part}, got ${typeName(from)}`);
}

function fieldsOf(kind: InstantKind): readonly string[] {
  const isWhole = hasDate(kind) && hasTime(kind);
  return [
    ...(hasDate(kind) ? [...DATE_FIELDS, 'date'] : []),
    ...(hasTime(kind) ? [...TIME_FIELDS, 'time'] : []),
    ...(isWhole ? ['datetime'] : []),
    ...(kind === 'datetime' ? ['epochSeconds', 'epochMillis'] : []),
    ...(isZoned(kind) ? ['timezone'] : []),
  ];
}

function fromMap(kind: InstantKind, map: CypherMap, now: (zone: Zone) => DateTimeValue): InstantValue {
  // A zone alone asks for the time now, of which every kind is a part.
  const fields = new Fields(map, map.size === 1 ? [...fieldsOf(kind), 'timezone'] : fieldsOf(kind));
  const zone = namedZone(fields);
  if (zone !== undefined && map.size === 1) return converted(kind, now(zone));
  if (fields.hasAny(['epochSeconds', 'epochMillis'])) return ofEpoch(fields, zone ?? UTC);
  const timePart = selected(fields, 'time', kind);
  const local = {
    epochDay: dayOf(kind, fields, timePart),
    nanoOfDay: hasTime(kind) ? timeOfDay(kind, fields, timePart) : 0,
  };
  const ownZone = timePart && zoneOfValue(timePart);
  if (zone !== undefined && ownZone !== undefined) return moved(kind, local, { from: ownZone, to: zone });
  return build(kind, local.epochDay, local.nanoOfDay, zone ?? ownZone ?? UTC);
}

export function namedZone(fields: Fields): Zone | undefined {
  const name = fields.text('timezone');
  return name === undefined ? undefined : parseZone(name);
}

/** Of a kind without a date, the day that the time was taken from: its zone may need it. */
function dayOf(kind: InstantKind, fields: Fields, timePart: InstantValue | undefined): number {
  if (!hasDate(kind)) return (timePart && partsOf(timePart).epochDay) ?? 0;
  const datePart = selected(fields, 'date', kind);
  return dateFromFields(fields, datePart && partsOf(datePart).epochDay);
}

/** The value that a field gives: of `datetime` both parts. */
function selected(fields: Fields, part: 'date' | 'time', kind: InstantKind): InstantValue | undefined {
  const value = (fields.has(part) ? fields.get(part) : fields.get('datetime')) ?? null;
  if (value === null) return undefined;
  if (!isInstant(value)) throw temporalFault(`expected a temporal value as ${part}, got ${typeName(value)}`);
  const { epochDay, nanoOfDay } = partsOf(value);
  if (part === 'date' && epochDay === undefined) throw lacking(kind, value, 'date');
  if (part === 'time' && nanoOfDay === undefined && fields.has(part)) throw lacking(kind, value, 'time');
  return value;
}

function timeOfDay(kind: InstantKind, fields: Fields, from: InstantValue | undefined): number {
  const base = from === undefined ? undefined : (partsOf(from).nanoOfDay ?? 0);
  const isAlone = !hasDate(kind) && base === undefined;
  if (isAlone && !fields.has('hour')) throw temporalFault(`${kind}(): expected the field hour`);
  return timeFromFields(fields, base);
}

/** A value with an offset of its own is the same moment in the zone that is asked for. */
function moved(
  kind: InstantKind,
  { epochDay, nanoOfDay }: { readonly epochDay: number; readonly nanoOfDay: number },
  { from, to }: { readonly from: Zone; readonly to: Zone },
): InstantValue {
  const there = atLocal(epochDay, nanoOfDay, from);
  return converted(kind, atInstant(there.epochSecond, there.nanoOfSecond, to));
}

function ofEpoch(fields: Fields, zone: Zone): DateTimeValue {
  const others = [...DATE_FIELDS, ...TIME_FIELDS.slice(0, 3), 'date', 'time', 'datetime'];
  const isBoth = fields.has('epochSeconds') && fields.has('epochMillis');
  if (isBoth || fields.hasAny(others))
    throw temporalFault('an epoch stands alone, beside nanosecond and timezone');
  const nanos = BigInt(fields.integer('nanosecond') ?? 0);
  const seconds = fields.integer('epochSeconds');
  const millis = fields.integer('epochMillis') ?? 0;
  const total = (seconds === undefined ? BigInt(millis) * 1_000_000n : BigInt(seconds) * SECOND) + nanos;
  return ofEpochNanos(total, zone);
}

const SECOND = BigInt(NANOS_PER_SECOND);

export function ofEpochNanos(total: bigint, zone: Zone): DateTimeValue {
  const nanos = ((total % SECOND) + SECOND) % SECOND;
  return atInstant((total - nanos) / SECOND, Number(nanos), zone);
}
