/**
 * Values of properties in the store: what JSON and PQL show, and beside it the kind where JSON does not tell
 * it. A value comes back equal.
 */
import type { FieldValue, PropertyKinds, PropertyValue, Scalar, StoredKind } from '#graph/model';
import { COORDINATE_SYSTEMS, PointValue } from '../value/point.ts';
import { parseDuration } from '../value/temporal/duration.ts';
import { type InstantKind, parseInstant } from '../value/temporal/parse-temporal.ts';
import {
  DateTimeValue,
  DateValue,
  DurationValue,
  LocalDateTimeValue,
  LocalTimeValue,
  TimeValue,
} from '../value/temporal/temporal.ts';
import type { CypherMap, Value } from '../value/value.ts';

export interface StoredScalar {
  readonly value: Exclude<Scalar, null>;
  /** Null where the JSON of the value tells it. */
  readonly kind: string | null;
}

/** Undefined for what no property can hold, null included. */
export function storedScalar(value: Value): StoredScalar | undefined {
  switch (typeof value) {
    case 'boolean':
    case 'string':
      return { value, kind: null };
    case 'bigint':
      if (Number.isSafeInteger(Number(value))) return { value: Number(value), kind: null };
      return { value: String(value), kind: 'integer' };
    case 'number':
      return storedFloat(value);
    default:
      return value instanceof PointValue ? storedPoint(value) : storedTemporal(value);
  }
}

function storedFloat(value: number): StoredScalar {
  if (!Number.isFinite(value)) return { value: String(value), kind: 'float' };
  if (Object.is(value, -0)) return { value: 0, kind: '-0' };
  return { value, kind: Number.isInteger(value) ? 'float' : null };
}

function storedPoint(point: PointValue): StoredScalar {
  // A number as text loses its sign at -0.
  const coordinates = point.coordinates.map((axis) => (Object.is(axis, -0) ? '-0' : String(axis)));
  return { value: String(point), kind: ['point', String(point.srid), ...coordinates].join(' ') };
}

/** A name of a zone stands in the kind, so that the text is an instant of RFC 3339. */
function storedTemporal(value: Value): StoredScalar | undefined {
  if (value instanceof DateTimeValue) {
    const { epochDay, nanoOfDay, offsetSeconds, zone } = value;
    const text = String(new DateTimeValue(epochDay, nanoOfDay, offsetSeconds));
    return { value: text, kind: zone === undefined ? 'datetime' : `datetime[${zone}]` };
  }
  if (value instanceof DateValue) return { value: value.toString(), kind: 'date' };
  if (value instanceof TimeValue) return { value: value.toString(), kind: 'time' };
  if (value instanceof LocalTimeValue) return { value: value.toString(), kind: 'localtime' };
  if (value instanceof LocalDateTimeValue) return { value: value.toString(), kind: 'localdatetime' };
  return value instanceof DurationValue ? { value: value.toString(), kind: 'duration' } : undefined;
}

export function valuesOf(
  properties: Readonly<Record<string, PropertyValue>>,
  kinds: PropertyKinds | undefined,
): CypherMap {
  const entries = Object.entries(properties).map(
    ([key, value]) => [key, valueOf(value, kinds?.[key])] as const,
  );
  return new Map(entries.filter(([, value]) => value !== null));
}

/** A whole number without a kind is an integer. */
export function valueOf(stored: FieldValue, kind: StoredKind | undefined): Value {
  if (stored === undefined || stored === null) return null;
  if (!Array.isArray(stored))
    return scalarOf(stored as Exclude<Scalar, null>, typeof kind === 'string' ? kind : null);
  const kinds = Array.isArray(kind) ? (kind as readonly (string | null)[]) : [];
  return stored.map((item: Exclude<Scalar, null>, at) => scalarOf(item, kinds[at] ?? null));
}

function scalarOf(stored: Exclude<Scalar, null>, kind: string | null): Value {
  if (kind === null) {
    if (typeof stored !== 'number') return stored;
    return Number.isInteger(stored) && !Object.is(stored, -0) ? BigInt(stored) : stored;
  }
  if (kind === 'float') return Number(stored);
  if (kind === '-0') return -0;
  return typeof stored === 'string' ? ofText(stored, kind) : scalarOf(stored, null);
}

const ZONE = /^datetime\[(.*)\]$/;

/** A kind that is not known here is that of text. */
function ofText(text: string, kind: string): Value {
  switch (kind) {
    case 'integer':
      return BigInt(text);
    case 'duration':
      return parseDuration(text);
    case 'date':
    case 'time':
    case 'localtime':
    case 'localdatetime':
    case 'datetime':
      return parseInstant(kind satisfies InstantKind, text);
    default:
      return ofZone(text, kind) ?? pointOf(kind) ?? text;
  }
}

function ofZone(text: string, kind: string): Value | undefined {
  const [, zone] = ZONE.exec(kind) ?? [];
  if (zone === undefined) return undefined;
  const { epochDay, nanoOfDay, offsetSeconds } = parseInstant('datetime', text) as DateTimeValue;
  return new DateTimeValue(epochDay, nanoOfDay, offsetSeconds, zone);
}

function pointOf(kind: string): Value | undefined {
  const [word, srid, ...coordinates] = kind.split(' ');
  const system = COORDINATE_SYSTEMS.find((each) => String(each.srid) === srid);
  return word === 'point' && system !== undefined
    ? new PointValue(system, coordinates.map(Number))
    : undefined;
}
