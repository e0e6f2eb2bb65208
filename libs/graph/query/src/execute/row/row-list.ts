/**
 * The distinct rows of a result, in order. A *tuple* is one enumerated match: the row's slots, plus elements
 * that are not part of the row. Tuples that differ only in the latter are one row. *Hot path*.
 */
import type { SlotRows } from './cell-reader.ts';
import { NodeList, type Pace } from '#graph/execution';

/**
 * Offsets of each row's tuples: those of row `n` are from `starts[n]` up to but excluding `starts[n + 1]`.
 */
export interface RowPlaces {
  /** Places of tuples, row by row. */
  readonly places: Uint32Array;
  /** Undefined if each row has one tuple. */
  readonly starts?: Uint32Array;
}

export class RowList implements SlotRows {
  readonly tuples: SlotRows;
  readonly #places: Uint32Array | undefined;
  readonly #starts: Uint32Array | undefined;

  /** If `places` is missing, each tuple is a row, in order. */
  constructor(tuples: SlotRows, { places, starts }: Partial<RowPlaces> = {}) {
    this.tuples = tuples;
    this.#places = places;
    this.#starts = starts;
  }

  get rows(): number {
    if (this.#starts !== undefined) return this.#starts.length - 1;
    return this.#places?.length ?? this.tuples.rows;
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

  /** Merges each run of rows into one, with all their tuples. */
  *merged({ places, starts }: Required<RowPlaces>, pace: Pace): Generator<void, RowList> {
    if (this.#starts === undefined) {
      for (let at = 0; at < places.length; at++) {
        places[at] = this.#place(places[at] ?? 0);
        if (pace.isDue(1)) yield;
      }
      return new RowList(this.tuples, { places, starts });
    }
    const tuples = new NodeList();
    const ends = new Uint32Array(starts.length);
    for (let row = 0; row + 1 < starts.length; row++) {
      for (let at = starts[row] ?? 0; at < (starts[row + 1] ?? 0); at++) {
        for (const tuple of this.tuplesOf(places[at] ?? 0)) tuples.push(tuple);
        if (pace.isDue(1)) yield;
      }
      ends[row + 1] = tuples.length;
    }
    return new RowList(this.tuples, { places: tuples.toArray(), starts: ends });
  }

  /** The rows at these indices, in that order. */
  *pick(rows: Uint32Array, pace: Pace): Generator<void, RowList> {
    const tuples = new NodeList();
    const starts = new Uint32Array(rows.length + 1);
    for (let at = 0; at < rows.length; at++) {
      for (const tuple of this.tuplesOf(rows[at] ?? 0)) {
        tuples.push(tuple);
        if (pace.isDue(1)) yield;
      }
      starts[at + 1] = tuples.length;
    }
    const isOneEach = this.#starts === undefined;
    return new RowList(this.tuples, { places: tuples.toArray(), ...(!isOneEach && { starts }) });
  }

  #place(at: number): number {
    return this.#places?.[at] ?? at;
  }
}

/** `rowOf` maps each tuple to its row; the tuples of a row keep their order. */
export function* groupedPlaces(
  rowOf: Uint32Array,
  rows: number,
  pace: Pace,
): Generator<void, Required<RowPlaces>> {
  const starts = new Uint32Array(rows + 1);
  for (const row of rowOf) {
    starts[row + 1]!++;
    if (pace.isDue(1)) yield;
  }
  for (let row = 0; row < rows; row++) {
    starts[row + 1]! += starts[row]!;
    if (pace.isDue(1)) yield;
  }
  const next = starts.slice(0, rows);
  const places = new Uint32Array(rowOf.length);
  for (let tuple = 0; tuple < rowOf.length; tuple++) {
    places[next[rowOf[tuple]!]!++] = tuple;
    if (pace.isDue(1)) yield;
  }
  return { places, starts };
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
    return this.nodes[row]!;
  }
}
