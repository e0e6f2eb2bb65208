/**
 * Rows of slots in growing arrays: no object per row, and no array so large that copying it would block
 * noticeably. *Hot path*.
 */

/** The value of a slot without an element. */
export const NO_ELEMENT = 0xffff_ffff;

const FIRST_ROWS = 16;
const CHUNK_SHIFT = 12;
const CHUNK_ROWS = 1 << CHUNK_SHIFT;
/** Number of hash tables for distinct rows, selected by the first bits of the hash. */
const PARTS_SHIFT = 24;
const FIRST_PLACES = 8;

/** Indices of distinct rows, plus one, by their hash; at most half full. */
interface Part {
  places: Uint32Array;
  rows: number;
}

export class RowTable {
  readonly width: number;
  readonly #chunks: Uint32Array[] = [];
  readonly #parts: (Part | undefined)[] = [];
  #bytes = 0;
  #rows = 0;

  constructor(width: number) {
    this.width = width;
  }

  get rows(): number {
    return this.#rows;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Copies the row out of `slots`. */
  push(slots: Uint32Array): void {
    const start = (this.#rows & (CHUNK_ROWS - 1)) * this.width;
    const chunk = this.#chunkAt(start);
    for (let at = 0; at < this.width; at++) chunk[start + at] = slots[at]!;
    this.#rows++;
  }

  /** Copies the row unless the table has it already; for tables filled only by this method. */
  pushDistinct(slots: Uint32Array): void {
    const hash = this.#hash(slots, 0);
    const part = this.#partOf(hash);
    const mask = part.places.length - 1;
    let at = hash & mask;
    for (; part.places[at] !== 0; at = (at + 1) & mask) {
      if (this.#equals(part.places[at]! - 1, slots)) return;
    }
    this.push(slots);
    part.places[at] = this.#rows;
    part.rows++;
  }

  slot(row: number, slot: number): number {
    return this.#chunks[row >>> CHUNK_SHIFT]![(row & (CHUNK_ROWS - 1)) * this.width + slot]!;
  }

  /** The chunk of the next row, with room for it. */
  #chunkAt(start: number): Uint32Array {
    const last = this.#rows >>> CHUNK_SHIFT;
    const chunk = this.#chunks[last];
    if (chunk !== undefined && start + this.width <= chunk.length) return chunk;
    const rows = last > 0 ? CHUNK_ROWS : Math.max(FIRST_ROWS, this.#rows * 2);
    const grown = new Uint32Array(rows * this.width);
    if (chunk !== undefined) grown.set(chunk);
    this.#bytes += grown.byteLength - (chunk?.byteLength ?? 0);
    return (this.#chunks[last] = grown);
  }

  #partOf(hash: number): Part {
    const number = hash >>> PARTS_SHIFT;
    const part = (this.#parts[number] ??= { places: new Uint32Array(FIRST_PLACES), rows: 0 });
    if (part.rows * 2 >= part.places.length) this.#grow(part);
    return part;
  }

  #grow(part: Part): void {
    const places = new Uint32Array(part.places.length * 2);
    const mask = places.length - 1;
    for (const place of part.places) {
      if (place === 0) continue;
      const row = place - 1;
      const start = (row & (CHUNK_ROWS - 1)) * this.width;
      let at = this.#hash(this.#chunks[row >>> CHUNK_SHIFT]!, start) & mask;
      while (places[at] !== 0) at = (at + 1) & mask;
      places[at] = place;
    }
    this.#bytes += places.byteLength - part.places.byteLength;
    part.places = places;
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
    for (let at = 0; at < this.width; at++) if (this.slot(row, at) !== slots[at]) return false;
    return true;
  }
}
