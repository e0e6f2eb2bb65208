/** Fields that a row's stamp tells: a test runs once for each stamp that is met. *Hot path*. */
import type { FieldValue, ValueTest } from '#model';
import type { UnsignedArray } from '../array/buffer-bag.ts';
import { newBits, RowBits, type RowSet } from '../rows/row-set.ts';
import { stampField, type StampTable } from '../stamp/stamp-table.ts';
import type { Bounds, Field, KindCounts } from './field.ts';

const UNKNOWN = 0;
const NO = 1;
const YES = 2;

export class StampField implements Field {
  readonly #name: string;
  readonly #stampNumbers: UnsignedArray;
  readonly #stamps: StampTable;

  constructor(name: string, stampNumbers: UnsignedArray, stamps: StampTable) {
    this.#name = name;
    this.#stampNumbers = stampNumbers;
    this.#stamps = stamps;
  }

  get kinds(): KindCounts {
    return { string: this.#stampNumbers.length };
  }

  value(row: number): FieldValue {
    return stampField(this.#stamps.get(this.#stampNumbers[row]!), this.#name);
  }

  rows(test: ValueTest): RowSet {
    const size = this.#stampNumbers.length;
    const passes = this.tester(test);
    const bits = newBits(size);
    for (let row = 0; row < size; row++) if (passes(row)) bits[row >>> 5]! |= 1 << (row & 31);
    return new RowBits(bits, size);
  }

  tester(test: ValueTest): (row: number) => boolean {
    const known = new Uint8Array(this.#stamps.length);
    const numbers = this.#stampNumbers;
    return (row) => {
      const number = numbers[row]!;
      if (known[number] === UNKNOWN) known[number] = test.matches(this.value(row)) ? YES : NO;
      return known[number] === YES;
    };
  }

  bounds(): Bounds {
    return { atLeast: 0, atMost: this.#stampNumbers.length };
  }

  grouping(): undefined {
    return undefined;
  }
}
