/** `date()`, `time()`, `duration()` and what belongs to them: `.truncate`, `.realtime`, `.between`. */
import { isMap, typeName, type Value } from '../value/value.ts';
import { between, type BetweenUnit } from '../value/temporal/arithmetic.ts';
import { constructInstant, ofEpochNanos } from '../value/temporal/construct.ts';
import { fractionOf, plus, times, ZERO } from '../value/fraction.ts';
import { durationOf, parseDuration } from '../value/temporal/duration.ts';
import { Fields } from '../value/temporal/fields.ts';
import type { InstantKind } from '../value/temporal/parse-temporal.ts';
import { truncateInstant } from '../value/temporal/truncate.ts';
import { type DateTimeValue, DurationValue, isInstant } from '../value/temporal/temporal.ts';
import { parseZone, UTC, type Zone } from '../value/temporal/zone.ts';
import type { Run } from '../graph/run.ts';
import { asText, type CypherFunction, type FunctionTable, unary, wrongType } from './function.ts';

const KINDS: readonly InstantKind[] = ['date', 'localtime', 'time', 'localdatetime', 'datetime'];

/** Clocks: the statement's and the transaction's stand still. */
const CLOCKS: Readonly<Record<string, (run: Run) => number>> = {
  '': ({ nowMs }) => nowMs,
  '.statement': ({ nowMs }) => nowMs,
  '.transaction': ({ nowMs, transactionMs }) => transactionMs ?? nowMs,
  '.realtime': (run) => run.realtimeMs(),
};

function nowIn(ms: number): (zone: Zone) => DateTimeValue {
  return (zone) => ofEpochNanos(BigInt(Math.floor(ms * 1_000)) * 1_000n, zone);
}

function constructors(kind: InstantKind): FunctionTable {
  return Object.fromEntries(
    Object.entries(CLOCKS).map(([suffix, clock]): [string, CypherFunction] => [
      `${kind}${suffix}`,
      {
        min: 0,
        max: 1,
        apply: ([value], run) => {
          const now = nowIn(clock(run));
          if (value === null) return null;
          if (value === undefined) return constructInstant(kind, now(UTC), now);
          // A clock takes the name of a zone; the function itself takes a text that is the value.
          const isZone = suffix !== '' && typeof value === 'string';
          return constructInstant(kind, isZone ? now(parseZone(value)) : value, now);
        },
      },
    ]),
  );
}

function truncation(kind: InstantKind): CypherFunction {
  const name = `${kind}.truncate`;
  return {
    min: 1,
    max: 3,
    takesNull: true,
    apply: ([unit, value, fields], run) => {
      const from = value === undefined ? nowIn(run.nowMs)(UTC) : value;
      if (!isInstant(from)) throw wrongType(name, 'a temporal value', from);
      const map = fields ?? new Map<string, Value>();
      if (!isMap(map)) throw wrongType(name, 'a Map', map);
      return truncateInstant(kind, asText(name, unit), from, map);
    },
  };
}

function betweenFunction(name: string, unit: BetweenUnit): CypherFunction {
  return {
    min: 2,
    max: 2,
    apply: ([from = null, to = null]) => {
      for (const value of [from, to]) {
        if (!isInstant(value)) throw wrongType(name, 'a temporal value that is no Duration', value);
      }
      return isInstant(from) && isInstant(to) ? between(unit, from, to) : null;
    },
  };
}

/** Months, days or nanoseconds in each unit. */
const DURATION_FIELDS: Readonly<Record<string, readonly ['months' | 'days' | 'nanos', bigint]>> = {
  years: ['months', 12n],
  quarters: ['months', 3n],
  months: ['months', 1n],
  weeks: ['days', 7n],
  days: ['days', 1n],
  hours: ['nanos', 3_600_000_000_000n],
  minutes: ['nanos', 60_000_000_000n],
  seconds: ['nanos', 1_000_000_000n],
  milliseconds: ['nanos', 1_000_000n],
  microseconds: ['nanos', 1_000n],
  nanoseconds: ['nanos', 1n],
};

function durationFromMap(map: ReadonlyMap<string, Value>): DurationValue {
  const fields = new Fields(map, Object.keys(DURATION_FIELDS));
  const sums = { months: ZERO, days: ZERO, nanos: ZERO };
  for (const [name, [part, factor]] of Object.entries(DURATION_FIELDS)) {
    const value = fields.get(name) ?? null;
    if (value === null) continue;
    if (typeof value !== 'bigint' && typeof value !== 'number')
      throw wrongType('duration', `a number as ${name}`, value);
    sums[part] = plus(sums[part], times(fractionOf(value), factor));
  }
  const { months, days, nanos } = sums;
  return durationOf({ months, days, seconds: { over: nanos.over, under: nanos.under * 1_000_000_000n } });
}

function epoch(name: string, unit: bigint): CypherFunction {
  return {
    min: unit === 1_000_000n ? 1 : 2,
    max: unit === 1_000_000n ? 1 : 2,
    takesNull: true,
    apply: (args) => {
      const [count = 0n, nanos = 0n] = args.map((value) => {
        if (typeof value === 'bigint') return value;
        throw wrongType(name, 'an Integer', value);
      });
      return ofEpochNanos(count * unit + nanos, UTC);
    },
  };
}

export const TEMPORAL_FUNCTIONS: FunctionTable = {
  ...Object.fromEntries(KINDS.flatMap((kind) => Object.entries(constructors(kind)))),
  ...Object.fromEntries(KINDS.map((kind) => [`${kind}.truncate`, truncation(kind)])),
  'datetime.fromEpoch': epoch('datetime.fromEpoch', 1_000_000_000n),
  'datetime.fromEpochMillis': epoch('datetime.fromEpochMillis', 1_000_000n),
  duration: unary((value) => {
    if (typeof value === 'string') return parseDuration(value);
    if (value instanceof DurationValue) return value;
    if (isMap(value)) return durationFromMap(value);
    throw wrongType('duration', `a String, a Map or a Duration (not ${typeName(value)})`, value);
  }),
  'duration.between': betweenFunction('duration.between', 'all'),
  'duration.inMonths': betweenFunction('duration.inMonths', 'months'),
  'duration.inDays': betweenFunction('duration.inDays', 'days'),
  'duration.inSeconds': betweenFunction('duration.inSeconds', 'seconds'),
};
