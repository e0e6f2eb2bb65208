/** Fields that a row's stamp tells: a test runs once for each stamp that is met. *Hot path*. */
import type { FieldValue, ValueTest } from '#graph/model';
import type { Steps } from '#platform/foundation';
import type { UnsignedArray } from '../array/buffer-bag.ts';
import { stampField, type StampTable } from '../stamp/stamp-table.ts';
import { type Bounds, type Field, type KindCounts, passingRows } from './field.ts';
import type { RowSet } from './row-set.ts';

const IS_TRUE: ValueTest = { matches: (value) => value === true };
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

  rows(test: ValueTest): Steps<RowSet> {
    const isPassing = this.tester(test);
    return passingRows(this.#stampNumbers.length, IS_TRUE, isPassing);
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
