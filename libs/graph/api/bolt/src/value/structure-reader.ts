/** Values of time and place, read from the fields of their structures. */
import {
  atInstant,
  atLocal,
  checkedDay,
  COORDINATE_SYSTEMS,
  DateTimeValue,
  DateValue,
  LocalDateTimeValue,
  LocalTimeValue,
  newDuration,
  parseZone,
  PointValue,
  TimeValue,
  type Value,
} from '#graph/cypher';
import { DomainError } from '#platform/foundation';
import type { Unpacked } from '../packstream/unpacker.ts';
import { NANOS_PER_SECOND, SECONDS_PER_DAY, TAG } from './structure-tag.ts';

/**
 * A structure that cannot be used as a value: read, so that what stands around it can be, and refused where
 * it would be used.
 */
export class UnusableValue {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

export type WireValue = Unpacked<Value | UnusableValue>;

type Fields = readonly WireValue[];

const ELEMENTS: ReadonlyMap<number, string> = new Map([
  [TAG.node, 'a node'],
  [TAG.relationship, 'a relationship'],
  [TAG.unboundRelationship, 'a relationship'],
  [TAG.path, 'a path'],
]);

const READERS: ReadonlyMap<number, (fields: Fields) => Value> = new Map<number, (fields: Fields) => Value>([
  [TAG.date, ([days]) => new DateValue(checkedDay(whole('days', days)))],
  [TAG.localTime, ([nanos]) => new LocalTimeValue(nanoOfDay(nanos))],
  [TAG.time, ([nanos, offset]) => new TimeValue(nanoOfDay(nanos), offsetOf(offset))],
  [
    TAG.localDateTime,
    ([seconds, nanos]) => {
      const { epochDay, nanoOfDay: time } = localOf(seconds, nanos);
      return new LocalDateTimeValue(epochDay, time);
    },
  ],
  [
    TAG.dateTime,
    ([seconds, nanos, offset]) => instantOf(seconds, nanos, { offsetSeconds: offsetOf(offset) }),
  ],
  [TAG.zonedDateTime, ([seconds, nanos, zone]) => instantOf(seconds, nanos, parseZone(text('zone', zone)))],
  [
    TAG.legacyDateTime,
    ([seconds, nanos, offset]) => {
      const { epochDay, nanoOfDay: time } = localOf(seconds, nanos);
      return new DateTimeValue(epochDay, time, offsetOf(offset));
    },
  ],
  [
    TAG.legacyZonedDateTime,
    ([seconds, nanos, zone]) => {
      const { epochDay, nanoOfDay: time } = localOf(seconds, nanos);
      return atLocal(epochDay, time, parseZone(text('zone', zone)));
    },
  ],
  [TAG.duration, durationOf],
  [TAG.point2d, pointOf],
  [TAG.point3d, pointOf],
]);

/** Reads a structure inside a message. */
export function readStructure(tag: number, fields: Fields): Value | UnusableValue {
  const element = ELEMENTS.get(tag);
  if (element !== undefined) return new UnusableValue(`${element} cannot be a parameter`);
  const reader = READERS.get(tag);
  if (reader === undefined)
    return new UnusableValue(`a structure with the tag 0x${tag.toString(16)} is no value`);
  try {
    return reader(fields);
  } catch (error) {
    if (error instanceof DomainError) return new UnusableValue(error.message);
    throw error;
  }
}

function durationOf([months, days, seconds, nanos]: Fields): Value {
  const time = integer('seconds', seconds) * BigInt(NANOS_PER_SECOND) + integer('nanoseconds', nanos);
  return newDuration(integer('months', months), integer('days', days), time);
}

function pointOf([srid, ...coordinates]: Fields): Value {
  const system = COORDINATE_SYSTEMS.find((each) => BigInt(each.srid) === srid);
  if (system?.dimensions !== coordinates.length) {
    throw fault(
      `expected a point in one of the systems ${COORDINATE_SYSTEMS.map((each) => each.srid).join(', ')}`,
    );
  }
  return new PointValue(
    system,
    coordinates.map((each) => coordinate(each)),
  );
}

function coordinate(value: WireValue): number {
  if (typeof value === 'number') return value;
  throw fault('expected the coordinates of a point to be floats');
}

function instantOf(
  seconds: WireValue | undefined,
  nanos: WireValue | undefined,
  zone: ReturnType<typeof parseZone>,
): Value {
  const nanoOfSecond = ranged('nanoseconds', nanos, 0, NANOS_PER_SECOND - 1);
  const value = atInstant(BigInt(whole('seconds', seconds)), nanoOfSecond, zone);
  checkedDay(value.epochDay);
  return value;
}

function localOf(
  seconds: WireValue | undefined,
  nanos: WireValue | undefined,
): { readonly epochDay: number; readonly nanoOfDay: number } {
  const total = whole('seconds', seconds);
  const epochDay = checkedDay(Math.floor(total / SECONDS_PER_DAY));
  const second = total - epochDay * SECONDS_PER_DAY;
  return {
    epochDay,
    nanoOfDay: second * NANOS_PER_SECOND + ranged('nanoseconds', nanos, 0, NANOS_PER_SECOND - 1),
  };
}

function nanoOfDay(value: WireValue | undefined): number {
  return ranged('nanoseconds', value, 0, SECONDS_PER_DAY * NANOS_PER_SECOND - 1);
}

const OFFSET_MAX = 18 * 3_600;

function offsetOf(value: WireValue | undefined): number {
  return ranged('offset', value, -OFFSET_MAX, OFFSET_MAX);
}

/** Any number of seconds that a date with years of nine digits may have is exact. */
function whole(name: string, value: WireValue | undefined): number {
  return ranged(name, value, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
}

function ranged(name: string, value: WireValue | undefined, min: number, max: number): number {
  const number = Number(integer(name, value));
  if (number >= min && number <= max) return number;
  throw fault(`expected ${name} from ${min} to ${max}, got ${number}`);
}

function integer(name: string, value: WireValue | undefined): bigint {
  if (typeof value === 'bigint') return value;
  throw fault(`expected ${name} to be an integer`);
}

function text(name: string, value: WireValue | undefined): string {
  if (typeof value === 'string') return value;
  throw fault(`expected ${name} to be a text`);
}

function fault(message: string): DomainError {
  return new DomainError('INVALID_REQUEST', message);
}
