/** Rows of slots in one growing array. *Hot path*: no object for a row. */

/** In a slot: no element there. */
export const NO_ELEMENT = 0xffff_ffff;

const FIRST_ROWS = 16;

export class RowTable {
  readonly width: number;
  #slots: Uint32Array;
  #rows = 0;

  constructor(width: number) {
    this.width = width;
    this.#slots = new Uint32Array(width * FIRST_ROWS);
  }

  get rows(): number {
    return this.#rows;
  }

  get bytes(): number {
    return this.#slots.byteLength;
  }

  /** Copies the row out of `slots`. */
  push(slots: Uint32Array): void {
    const start = this.#rows * this.width;
    if (start === this.#slots.length) {
      const grown = new Uint32Array(start * 2);
      grown.set(this.#slots);
      this.#slots = grown;
    }
    for (let at = 0; at < this.width; at++) this.#slots[start + at] = slots[at]!;
    this.#rows++;
  }

  slot(row: number, slot: number): number {
    return this.#slots[row * this.width + slot]!;
  }

  /** The rows at these places, in turn. */
  pick(rows: ArrayLike<number>): RowTable {
    const picked = new RowTable(this.width);
    picked.#slots = new Uint32Array(Math.max(1, rows.length) * this.width);
    picked.#rows = rows.length;
    for (let at = 0; at < rows.length; at++) {
      const start = rows[at]! * this.width;
      for (let slot = 0; slot < this.width; slot++) {
        picked.#slots[at * this.width + slot] = this.#slots[start + slot]!;
      }
    }
    return picked;
  }

  /** Distinct nodes or links in one slot. */
  distinct(slot: number): Uint32Array {
    const found = new Set<number>();
    let last = NO_ELEMENT;
    for (let row = 0; row < this.#rows; row++) {
      const element = this.slot(row, slot);
      if (element === last) continue;
      found.add(element);
      last = element;
    }
    found.delete(NO_ELEMENT);
    return Uint32Array.from(found);
  }
}
