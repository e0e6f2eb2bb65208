/**
 * The distinct rows of a result, in order. A *tuple* is what enumeration gave: the row's slots and, beside
 * them, elements that only had to exist. Tuples that differ in the latter alone are one row.
 */
import type { SlotRows } from './cell-reader.ts';

export class RowList implements SlotRows {
  readonly tuples: SlotRows;
  /** Places of tuples, row by row; undefined when each tuple is a row, in order. */
  readonly #places: Uint32Array | undefined;
  /** Where the places of each row start, and where the last one ends. */
  readonly #starts: Uint32Array | undefined;

  private constructor(tuples: SlotRows, places?: Uint32Array, starts?: Uint32Array) {
    this.tuples = tuples;
    this.#places = places;
    this.#starts = starts;
  }

  /** Each tuple is a row. */
  static of(tuples: SlotRows): RowList {
    return new RowList(tuples);
  }

  /** One row for each list of places. */
  static grouped(tuples: SlotRows, rows: readonly (readonly number[])[]): RowList {
    const starts = new Uint32Array(rows.length + 1);
    rows.forEach((places, row) => (starts[row + 1] = (starts[row] ?? 0) + places.length));
    return new RowList(tuples, Uint32Array.from(rows.flat()), starts);
  }

  get rows(): number {
    return this.#starts === undefined ? this.tuples.rows : this.#starts.length - 1;
  }

  get bytes(): number {
    const places = (this.#places?.byteLength ?? 0) + (this.#starts?.byteLength ?? 0);
    return this.tuples.bytes + places;
  }

  slot(row: number, slot: number): number {
    return this.tuples.slot(this.#place(this.#starts?.[row] ?? row), slot);
  }

  /** The places of a row's tuples. */
  *tuplesOf(row: number): Generator<number> {
    const end = this.#starts?.[row + 1] ?? row + 1;
    for (let at = this.#starts?.[row] ?? row; at < end; at++) yield this.#place(at);
  }

  /** The rows at these places, in turn. */
  pick(rows: Uint32Array): RowList {
    if (this.#starts === undefined) {
      return new RowList(
        this.tuples,
        rows,
        Uint32Array.from({ length: rows.length + 1 }, (_, row) => row),
      );
    }
    return RowList.grouped(
      this.tuples,
      Array.from(rows, (row) => [...this.tuplesOf(row)]),
    );
  }

  #place(at: number): number {
    return this.#places?.[at] ?? at;
  }
}

/** Each node is a row of one slot. */
export class NodeRows implements SlotRows {
  readonly nodes: Uint32Array;

  constructor(nodes: Uint32Array) {
    this.nodes = nodes;
  }

  get rows(): number {
    return this.nodes.length;
  }

  get bytes(): number {
    return this.nodes.buffer.byteLength;
  }

  slot(row: number): number {
    return this.nodes[row] ?? 0;
  }
}
