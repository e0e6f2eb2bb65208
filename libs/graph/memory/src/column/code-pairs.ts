/**
 * Numbers of rows for each pair of values of two columns of few values, so that a count of two conditions
 * reads no rows. *Hot path*.
 */
import type { UnsignedArray } from '../array/buffer-bag.ts';

/** Maximum number of pairs of one table: 16 KiB. */
const PAIRS_MAX = 4_096;

export class CodePairs {
  readonly #codes: UnsignedArray;
  readonly #otherCodes: UnsignedArray;
  readonly #otherValues: number;
  readonly #pairs: number;
  #rowsRead = 0;
  #counts: Uint32Array | undefined;

  /** `values` and `otherValues`: the numbers of distinct codes. */
  constructor(codes: UnsignedArray, values: number, otherCodes: UnsignedArray, otherValues: number) {
    this.#codes = codes;
    this.#otherCodes = otherCodes;
    this.#otherValues = otherValues;
    this.#pairs = values * otherValues;
  }

  /**
   * The number of rows with both codes. Undefined where the `rows` rows of one of them must be read instead:
   * if there are too many pairs, and until as many rows were read as building the table reads.
   */
  count(code: number, otherCode: number, rows: number): number | undefined {
    if (this.#counts === undefined) {
      if (this.#pairs > PAIRS_MAX) return undefined;
      this.#rowsRead += rows;
      if (this.#rowsRead <= this.#codes.length) return undefined;
      this.#counts = this.#build();
    }
    return this.#counts[code * this.#otherValues + otherCode];
  }

  #build(): Uint32Array {
    const [codes, otherCodes, width] = [this.#codes, this.#otherCodes, this.#otherValues];
    const counts = new Uint32Array(this.#pairs);
    for (let row = 0; row < codes.length; row++) counts[codes[row]! * width + otherCodes[row]!]!++;
    return counts;
  }
}
