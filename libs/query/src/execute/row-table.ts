/** Rows of slots in one growing array. *Hot path*: no object for a row. */

/** In a slot: no element there. */
export const NO_ELEMENT = 0xffff_ffff;

const FIRST_ROWS = 16;

export class RowTable {
  readonly width: number;
  #slots: Uint32Array;
  /** Places of distinct rows, plus one, by their hash; at most half full. */
  #places = new Uint32Array(0);
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

  /** Copies the row unless it is there already; for tables that are filled by this alone. */
  pushDistinct(slots: Uint32Array): void {
    if (this.#rows * 2 >= this.#places.length) this.#rehash();
    const mask = this.#places.length - 1;
    let at = this.#hash(slots, 0) & mask;
    for (; this.#places[at] !== 0; at = (at + 1) & mask) {
      if (this.#equals(this.#places[at]! - 1, slots)) return;
    }
    this.push(slots);
    this.#places[at] = this.#rows;
  }

  #rehash(): void {
    this.#places = new Uint32Array(Math.max(FIRST_ROWS * 2, this.#places.length * 2));
    const mask = this.#places.length - 1;
    for (let row = 0; row < this.#rows; row++) {
      let at = this.#hash(this.#slots, row * this.width) & mask;
      while (this.#places[at] !== 0) at = (at + 1) & mask;
      this.#places[at] = row + 1;
    }
  }

  #hash(slots: Uint32Array, start: number): number {
    let hash = 0;
    for (let at = 0; at < this.width; at++) {
      hash = Math.imul(hash ^ slots[start + at]!, 0x9e37_79b1);
      hash ^= hash >>> 15;
    }
    return hash >>> 0;
  }

  #equals(row: number, slots: Uint32Array): boolean {
    const start = row * this.width;
    for (let at = 0; at < this.width; at++) if (this.#slots[start + at] !== slots[at]) return false;
    return true;
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
