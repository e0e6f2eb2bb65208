/** Brings the stamps that are still used, of base and delta, into one new table. *Hot path* of sealing. */
import { StampTable } from '../stamp/stamp-table.ts';

export class StampMerger {
  readonly table = new StampTable();
  readonly #base: StampTable;
  readonly #delta: StampTable;
  /** New number + 1. */
  readonly #ofBase: Uint32Array;
  readonly #ofDelta: Uint32Array;

  constructor(base: StampTable, delta: StampTable) {
    this.#base = base;
    this.#delta = delta;
    this.#ofBase = new Uint32Array(base.length);
    this.#ofDelta = new Uint32Array(delta.length);
  }

  ofBase(number: number): number {
    if (this.#ofBase[number] === 0) this.#ofBase[number] = this.table.intern(this.#base.get(number)) + 1;
    return this.#ofBase[number]! - 1;
  }

  ofDelta(number: number): number {
    if (this.#ofDelta[number] === 0) this.#ofDelta[number] = this.table.intern(this.#delta.get(number)) + 1;
    return this.#ofDelta[number]! - 1;
  }
}
