import type { GraphReader } from '#graph/execution';
import { DomainError } from '#platform/foundation';
import type { BoundAggregate } from '../../binder/bound-query.ts';
import type { Cell } from '../../result/query-result.ts';
import { cellKey, compareCells } from '../row/cell-reader.ts';

/** One aggregate of one group. Null and missing values are ignored by all aggregates except COUNT(*). */
export interface Accumulator {
  /** `weight`: the number of rows with the value. */
  add(cell: Cell, weight: number): void;
  /** The result; without values, COUNT and SUM are 0, and AVG, MIN and MAX are null. */
  readonly result: Cell;
}

export function accumulatorOf(
  reader: GraphReader,
  { function: name, distinct, argument }: BoundAggregate,
): Accumulator {
  if (argument === '*') return new Count(true);
  const inner = ACCUMULATORS[name](reader);
  return distinct ? new Distinct(inner) : inner;
}

const ACCUMULATORS: Readonly<Record<BoundAggregate['function'], (reader: GraphReader) => Accumulator>> = {
  count: () => new Count(false),
  sum: () => new Sum(),
  avg: () => new Average(),
  min: (reader) => new Extreme(reader, -1),
  max: (reader) => new Extreme(reader, 1),
  first: () => new First(),
};

class Count implements Accumulator {
  readonly #countsNull: boolean;
  #count = 0;

  constructor(countsNull: boolean) {
    this.#countsNull = countsNull;
  }

  add(cell: Cell, weight: number): void {
    if (this.#countsNull || (cell !== null && cell !== undefined)) this.#count += weight;
  }

  get result(): number {
    return this.#count;
  }
}

/** A compensated sum (Neumaier): the order of the values does not affect its last digits. */
class CompensatedSum {
  #sum = 0;
  #compensation = 0;

  add(value: number): void {
    const sum = this.#sum + value;
    this.#compensation +=
      Math.abs(this.#sum) >= Math.abs(value) ? this.#sum - sum + value : value - sum + this.#sum;
    this.#sum = sum;
  }

  get total(): number {
    return this.#sum + this.#compensation;
  }
}

/** Numbers from here on are summed apart, scaled down: with at most 2^53 rows, neither sum can overflow. */
const LARGE = 2 ** 900;
const SCALE = 2 ** 128;

/** The sum of numbers, which may be beyond the largest number. */
class WideSum {
  count = 0;
  readonly #small = new CompensatedSum();
  #large: CompensatedSum | undefined;

  add(cell: Cell, weight: number): void {
    if (typeof cell !== 'number') return;
    this.count += weight;
    if (Math.abs(cell) < LARGE) this.#small.add(cell * weight);
    else (this.#large ??= new CompensatedSum()).add((cell / SCALE) * weight);
  }

  /** The sum divided by `divisor`; infinite beyond the largest number. */
  dividedBy(divisor: number): number {
    const small = this.#small.total;
    const large = this.#large?.total ?? 0;
    return large === 0 ? small / divisor : ((large + small / SCALE) / divisor) * SCALE;
  }
}

/** SUM of the numbers only. */
class Sum implements Accumulator {
  readonly #sum = new WideSum();

  add(cell: Cell, weight: number): void {
    this.#sum.add(cell, weight);
  }

  get result(): number {
    const sum = this.#sum.dividedBy(1);
    if (Number.isFinite(sum)) return sum;
    throw new DomainError(
      'QUERY_TOO_LARGE',
      'the result of SUM is beyond ±1.8e308: narrow the query, or use AVG',
      { details: { limit: Number.MAX_VALUE } },
    );
  }
}

/** AVG of the numbers only. */
class Average implements Accumulator {
  readonly #sum = new WideSum();

  add(cell: Cell, weight: number): void {
    this.#sum.add(cell, weight);
  }

  /** An average is never beyond the largest number, except by rounding. */
  get result(): number | null {
    const { count } = this.#sum;
    if (count === 0) return null;
    return Math.max(-Number.MAX_VALUE, Math.min(this.#sum.dividedBy(count), Number.MAX_VALUE));
  }
}

/** The least (−1) or greatest (1) value, in the order of all values. */
class Extreme implements Accumulator {
  readonly #reader: GraphReader;
  readonly #sign: 1 | -1;
  #best: Cell = null;

  constructor(reader: GraphReader, sign: 1 | -1) {
    this.#reader = reader;
    this.#sign = sign;
  }

  add(cell: Cell): void {
    if (cell === null || cell === undefined) return;
    if (this.#best === null || compareCells(this.#reader, cell, this.#best) * this.#sign > 0)
      this.#best = cell;
  }

  get result(): Cell {
    return this.#best;
  }
}

class First implements Accumulator {
  #cell: Cell = undefined;
  #isSet = false;

  add(cell: Cell): void {
    if (!this.#isSet) this.#cell = cell;
    this.#isSet = true;
  }

  get result(): Cell {
    return this.#cell;
  }
}

class Distinct implements Accumulator {
  readonly #inner: Accumulator;
  readonly #seen = new Set<unknown>();

  constructor(inner: Accumulator) {
    this.#inner = inner;
  }

  add(cell: Cell): void {
    const key = cellKey(cell);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#inner.add(cell, 1);
  }

  get result(): Cell {
    return this.#inner.result;
  }
}
