/**
 * Keeps the first rows by a given order: a row that does not sort before the last kept row is skipped, and
 * the table is cut back from time to time. *Hot path*.
 */
import type { RowValue } from '../../binder/bound-query.ts';
import type { Cell } from '../../result/query-result.ts';
import { cellReader, type CellReader, type RowShape, type SlotRows } from './cell-reader.ts';
import {
  sortedPlaces,
  type ExecutionContext,
  compareLinks,
  type RowSink,
  NO_ELEMENT,
  RowTable,
} from '#graph/execution';
import { compareKeys } from './row-order.ts';

/** Surplus rows before the table is cut back. */
const SPARE_ROWS = 1_024;

export interface FirstRowsDemand {
  readonly shape: RowShape;
  readonly keys: readonly { readonly value: RowValue; readonly descending: boolean }[];
  readonly most: number;
}

export class FirstRowsSink implements RowSink {
  readonly #context: ExecutionContext;
  readonly #demand: FirstRowsDemand;
  readonly #keys: readonly { readonly read: CellReader; readonly isDescending: boolean }[];
  #table: RowTable;
  /** The last kept row: a row that does not sort before it is not among the first. */
  #last: KeptRow | undefined;
  #rest: Generator<void, void> | undefined;

  constructor(context: ExecutionContext, demand: FirstRowsDemand) {
    this.#context = context;
    this.#demand = demand;
    this.#keys = demand.keys.map(({ value, descending }) => ({
      read: cellReader(context.reader, demand.shape, value),
      isDescending: descending,
    }));
    this.#table = new RowTable(demand.shape.slots.length);
  }

  get table(): RowTable {
    return this.#table;
  }

  get rows(): number {
    return this.#table.rows;
  }

  add(row: Uint32Array): boolean {
    const { most } = this.#demand;
    if (most === 0) return true;
    if (this.#last !== undefined && this.#compare(new KeptRow(row, this.#keys), this.#last) >= 0)
      return false;
    this.#table.push(row);
    if (this.#table.rows >= 2 * most + SPARE_ROWS) this.#rest ??= this.#cut(most);
    this.#context.checkSlots(this.#table.rows * this.#table.width);
    return false;
  }

  rest(): Generator<void, void> | undefined {
    const rest = this.#rest;
    this.#rest = undefined;
    return rest;
  }

  *#cut(most: number): Generator<void, void> {
    const { pace } = this.#context;
    const { rows, width } = this.#table;
    const kept: KeptRow[] = [];
    for (let row = 0; row < rows; row++) {
      const slots = Uint32Array.from({ length: width }, (_, slot) => this.#table.slot(row, slot));
      kept.push(new KeptRow(slots, this.#keys));
      if (pace.isDue(width)) yield;
    }
    const places = yield* sortedPlaces(rows, (a, b) => this.#compare(kept[a]!, kept[b]!), pace);
    this.#table = new RowTable(width);
    for (const place of places.subarray(0, most)) this.#table.push(kept[place]!.slots);
    this.#last = kept[places[most - 1]!];
  }

  /** Compares rows by their keys, then by result order. */
  #compare(a: KeptRow, b: KeptRow): number {
    const { reader } = this.#context;
    for (let at = 0; at < this.#keys.length; at++) {
      const order = compareKeys(reader, a.cell(at), b.cell(at), this.#keys[at]!.isDescending);
      if (order !== 0) return order;
    }
    for (let slot = 0; slot < a.slots.length; slot++) {
      const order = this.#compareElements(slot, a.slots[slot]!, b.slots[slot]!);
      if (order !== 0) return order;
    }
    return 0;
  }

  #compareElements(slot: number, a: number, b: number): number {
    if (a === b) return 0;
    if (a === NO_ELEMENT || b === NO_ELEMENT) return a === NO_ELEMENT ? 1 : -1;
    const { reader } = this.#context;
    const isLink = this.#demand.shape.links.has(this.#demand.shape.slots[slot]!);
    return isLink ? compareLinks(reader, a, b) : reader.compare(a, b);
  }
}

/** A row whose keys are read on demand. */
class KeptRow implements SlotRows {
  readonly rows = 1;
  readonly slots: Uint32Array;
  readonly #keys: readonly { readonly read: CellReader }[];
  readonly #cells: Cell[] = [];

  constructor(slots: Uint32Array, keys: readonly { readonly read: CellReader }[]) {
    this.slots = slots;
    this.#keys = keys;
  }

  get bytes(): number {
    return this.slots.byteLength;
  }

  slot(_row: number, slot: number): number {
    return this.slots[slot]!;
  }

  cell(at: number): Cell {
    if (at >= this.#cells.length) this.#cells.push(this.#keys[at]!.read(this, 0));
    return this.#cells[at];
  }
}
