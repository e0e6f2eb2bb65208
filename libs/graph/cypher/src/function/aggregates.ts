/** Aggregating functions. Null is ignored by all of them; `count(*)` counts rows. */
import { calculate, typeFault } from '../value/arithmetic.ts';
import { keyOf } from '../value/equality.ts';
import { compareAll } from '../value/order.ts';
import { runtimeFault } from '../syntax/fault.ts';
import { DurationValue } from '../value/temporal/temporal.ts';
import { isNumber, NodeValue, typeName, type Value } from '../value/value.ts';

export interface Accumulator {
  /** Whether its memory grows with the values. */
  readonly keepsValues?: true;
  /**
   * `count`: how many rows have the value; more than one only where the aggregate is made for it.
   * `extra`: the further arguments, such as the percentile.
   */
  add(value: Value, count: number, extra: readonly Value[]): void;
  result(): Value;
}

const AGGREGATES: Readonly<Record<string, { readonly args: number; create(): Accumulator }>> = {
  count: { args: 1, create: () => new Count() },
  collect: { args: 1, create: () => new Collect() },
  sum: { args: 1, create: () => new Sum() },
  avg: { args: 1, create: () => new Average() },
  min: { args: 1, create: () => new Extreme(-1) },
  max: { args: 1, create: () => new Extreme(1) },
  stdev: { args: 1, create: () => new Deviation(1) },
  stdevp: { args: 1, create: () => new Deviation(0) },
  percentilecont: { args: 2, create: () => new Percentile(true) },
  percentiledisc: { args: 2, create: () => new Percentile(false) },
};

export const AGGREGATE_NAMES: readonly string[] = [
  'count',
  'collect',
  'sum',
  'avg',
  'min',
  'max',
  'stDev',
  'stDevP',
  'percentileCont',
  'percentileDisc',
];

/** Undefined for a function that aggregates nothing. */
export function findAggregate(name: string): { readonly args: number; create(): Accumulator } | undefined {
  const key = name.toLowerCase();
  return Object.hasOwn(AGGREGATES, key) ? AGGREGATES[key] : undefined;
}

/** Counts rows: `count(*)`. */
export class CountRows implements Accumulator {
  #count = 0;

  add(_value: Value, count: number): void {
    this.#count += count;
  }

  result(): Value {
    return BigInt(this.#count);
  }
}

/** In place of so many nodes, all of them different, of which only their number is asked. */
export class SeveralNodes extends NodeValue {
  readonly count: number;

  constructor(count: number) {
    super(-1);
    this.count = count;
  }
}

/** Each distinct value once. */
export class Distinct implements Accumulator {
  readonly keepsValues = true;
  readonly #inner: Accumulator;
  readonly #seen = new Set<string | number>();

  constructor(inner: Accumulator) {
    this.#inner = inner;
  }

  add(value: Value, _count: number, extra: readonly Value[]): void {
    // A node's number is no text, and so no key of another value.
    const key = value instanceof NodeValue ? value.node : keyOf(value);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#inner.add(value, value instanceof SeveralNodes ? value.count : 1, extra);
  }

  result(): Value {
    return this.#inner.result();
  }
}

class Count implements Accumulator {
  #count = 0;

  add(value: Value, count: number): void {
    if (value !== null) this.#count += count;
  }

  result(): Value {
    return BigInt(this.#count);
  }
}

class Collect implements Accumulator {
  readonly keepsValues = true;
  readonly #values: Value[] = [];

  add(value: Value): void {
    if (value !== null) this.#values.push(value);
  }

  result(): Value {
    return this.#values;
  }
}

class Sum implements Accumulator {
  #sum: Value = 0n;

  add(value: Value, count: number): void {
    if (value === null) return;
    const one = value instanceof DurationValue ? value : numberOf('sum', value);
    const addend = count === 1 ? one : calculate('*', one, BigInt(count));
    // The sum of durations begins with the first of them.
    const isFirst = addend instanceof DurationValue && this.#sum === 0n;
    this.#sum = isFirst ? addend : calculate('+', this.#sum, addend);
  }

  result(): Value {
    return this.#sum;
  }
}

/** Integers are summed exactly, in any order; floats have a mean that grows with them, and so no overflow. */
class Average implements Accumulator {
  readonly #durations = new Sum();
  #integers = 0n;
  #floatMean = 0;
  #floats = 0;
  #count = 0;
  #hasDurations = false;

  add(value: Value, count: number): void {
    if (value === null) return;
    this.#count += count;
    if (value instanceof DurationValue) this.#hasDurations = true;
    if (this.#hasDurations) {
      this.#durations.add(value, count);
      return;
    }
    const number = numberOf('avg', value);
    if (typeof number === 'bigint') this.#integers += number * BigInt(count);
    else {
      this.#floats += count;
      const difference = number - this.#floatMean;
      // One value is not multiplied: it is rounded once. Several are divided first: no overflow.
      this.#floatMean += count === 1 ? difference / this.#floats : difference * (count / this.#floats);
    }
  }

  result(): Value {
    if (this.#hasDurations) return calculate('/', this.#durations.result(), BigInt(this.#count));
    if (this.#count === 0) return null;
    return Number(this.#integers) / this.#count + this.#floatMean * (this.#floats / this.#count);
  }
}

class Extreme implements Accumulator {
  readonly #sign: 1 | -1;
  #best: Value = null;

  constructor(sign: 1 | -1) {
    this.#sign = sign;
  }

  add(value: Value): void {
    if (value === null) return;
    if (this.#best === null || compareAll(value, this.#best) * this.#sign > 0) this.#best = value;
  }

  result(): Value {
    return this.#best;
  }
}

/** The standard deviation of a sample (1) or of a whole (0), by Welford. */
class Deviation implements Accumulator {
  readonly #freedom: 0 | 1;
  #count = 0;
  #mean = 0;
  #squares = 0;

  constructor(freedom: 0 | 1) {
    this.#freedom = freedom;
  }

  add(value: Value): void {
    if (value === null) return;
    const number = Number(numberOf('stDev', value));
    const difference = number - this.#mean;
    this.#mean += difference / ++this.#count;
    this.#squares += difference * (number - this.#mean);
  }

  result(): Value {
    const divisor = this.#count - this.#freedom;
    return divisor <= 0 ? 0 : Math.sqrt(this.#squares / divisor);
  }
}

class Percentile implements Accumulator {
  readonly keepsValues = true;
  readonly #isContinuous: boolean;
  readonly #values: (number | bigint)[] = [];
  #percentile = 0;

  constructor(isContinuous: boolean) {
    this.#isContinuous = isContinuous;
  }

  add(value: Value, _count: number, [percentile = null]: readonly Value[]): void {
    this.#percentile = Number(numberOf('percentile', percentile));
    if (!(this.#percentile >= 0 && this.#percentile <= 1)) throw outOfRange(this.#percentile);
    if (value !== null) this.#values.push(numberOf('percentile', value));
  }

  result(): Value {
    const { length } = this.#values;
    if (length === 0) return null;
    if (!this.#isContinuous)
      return selected(this.#values, Math.max(0, Math.ceil(this.#percentile * length) - 1));
    const at = this.#percentile * (length - 1);
    const low = Number(selected(this.#values, Math.floor(at)));
    const high = Number(selected(this.#values, Math.ceil(at)));
    return low + (high - low) * (at - Math.floor(at));
  }
}

/** The value at a place of the order, by quickselect: the values are moved, not sorted. */
function selected(values: (number | bigint)[], place: number): number | bigint {
  let [from, to] = [0, values.length - 1];
  while (from < to) {
    const { low, high } = partition(values, from, to);
    if (place <= high) to = high;
    else if (place >= low) from = low;
    else break;
  }
  return values[place] ?? 0;
}

/** Moves what is less than one of the values before what is greater; equal ones stand between. */
function partition(values: (number | bigint)[], from: number, to: number): { low: number; high: number } {
  const pivot = values[from + Math.floor(Math.random() * (to - from + 1))] ?? 0;
  let [low, high] = [from, to];
  while (low <= high) {
    while ((values[low] ?? 0) < pivot) low++;
    while ((values[high] ?? 0) > pivot) high--;
    if (low > high) break;
    [values[low], values[high]] = [values[high] ?? 0, values[low] ?? 0];
    low++;
    high--;
  }
  return { low, high };
}

function numberOf(name: string, value: Value): number | bigint {
  if (isNumber(value)) return value;
  throw typeFault(`${name}(): expected a number, got ${typeName(value)}`);
}

function outOfRange(percentile: number): Error {
  return runtimeFault(
    'NumberOutOfRange',
    'Neo.ClientError.Statement.ArgumentError',
    `expected a percentile from 0 to 1, got ${percentile}`,
  );
}
