/**
 * Sets of rows of one segment, each in the cheapest form: complete posting lists are counts, small sets are
 * lists, others are bitmaps. On the *hot path* of counting and selecting.
 */
export interface RowSet extends Membership {
  readonly count: number;
  /** The test by the column, if there is one. */
  readonly membership?: Membership | undefined;
  /** Ascending. May be a view of an index: read-only. */
  list(): Uint32Array;
  /** Sets the bits of the rows. */
  mark(bits: Uint32Array): void;
  complement(): RowSet;
}

/** A test of a row by its column, faster than by the set. */
export interface Membership {
  has(row: number): boolean;
  /** The number of rows, out of ascending ones, that it contains. */
  countAmong(rows: Uint32Array): number;
  /** The number of rows that both contain, where the columns know it without reading rows. */
  countShared?(other: Membership): number | undefined;
}

/** The number of rows that both contain, where known without reading rows. */
export function knownShared(a: RowSet, b: RowSet): number | undefined {
  return b.membership && a.membership?.countShared?.(b.membership);
}

const NO_ROWS = new Uint32Array(0);

export class RowRange implements RowSet {
  readonly count: number;
  readonly #size: number;

  /** All of `size` rows, or the empty set. */
  constructor(size: number, isAll: boolean) {
    this.#size = size;
    this.count = isAll ? size : 0;
  }

  has(): boolean {
    return this.count > 0;
  }

  countAmong(rows: Uint32Array): number {
    return this.count > 0 ? rows.length : 0;
  }

  list(): Uint32Array {
    if (this.count === 0) return NO_ROWS;
    const rows = new Uint32Array(this.count);
    for (let row = 0; row < rows.length; row++) rows[row] = row;
    return rows;
  }

  mark(bits: Uint32Array): void {
    if (this.count === 0) return;
    bits.fill(0xffff_ffff);
    clearTail(bits, this.#size);
  }

  complement(): RowSet {
    return new RowRange(this.#size, this.count === 0);
  }
}

export class RowNumbers implements RowSet {
  readonly count: number;
  readonly membership: Membership | undefined;
  readonly #rows: Uint32Array;
  readonly #size: number;

  /** `rows` must be ascending and distinct. */
  constructor(rows: Uint32Array, size: number, membership?: Membership) {
    this.#rows = rows;
    this.#size = size;
    this.membership = membership;
    this.count = rows.length;
  }

  has(row: number): boolean {
    if (this.membership !== undefined) return this.membership.has(row);
    const rows = this.#rows;
    let low = 0;
    let high = rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (rows[middle]! < row) low = middle + 1;
      else high = middle;
    }
    return rows[low] === row;
  }

  countAmong(rows: Uint32Array): number {
    if (this.membership !== undefined) return this.membership.countAmong(rows);
    const own = this.#rows;
    let count = 0;
    let at = 0;
    for (let other = 0; other < rows.length && at < own.length; other++) {
      const row = rows[other]!;
      while (own[at]! < row) at++;
      if (own[at] === row) count++;
    }
    return count;
  }

  list(): Uint32Array {
    return this.#rows;
  }

  mark(bits: Uint32Array): void {
    const rows = this.#rows;
    for (let at = 0; at < rows.length; at++) bits[rows[at]! >>> 5]! |= 1 << (rows[at]! & 31);
  }

  complement(): RowSet {
    const bits = newBits(this.#size);
    this.mark(bits);
    return new RowBits(bits, this.#size).complement();
  }
}

export class RowBits implements RowSet {
  readonly bits: Uint32Array;
  readonly #size: number;
  #count = -1;

  constructor(bits: Uint32Array, size: number) {
    this.bits = bits;
    this.#size = size;
  }

  get count(): number {
    if (this.#count < 0) this.#count = countBits(this.bits);
    return this.#count;
  }

  has(row: number): boolean {
    return (this.bits[row >>> 5]! & (1 << (row & 31))) !== 0;
  }

  countAmong(rows: Uint32Array): number {
    const bits = this.bits;
    let count = 0;
    for (let at = 0; at < rows.length; at++) count += (bits[rows[at]! >>> 5]! >>> (rows[at]! & 31)) & 1;
    return count;
  }

  list(): Uint32Array {
    const rows = new Uint32Array(this.count);
    const bits = this.bits;
    let at = 0;
    for (let index = 0; index < bits.length; index++) {
      let word = bits[index]!;
      while (word !== 0) {
        const low = word & -word;
        rows[at++] = (index << 5) + 31 - Math.clz32(low);
        word ^= low;
      }
    }
    return rows;
  }

  mark(bits: Uint32Array): void {
    const own = this.bits;
    for (let index = 0; index < own.length; index++) bits[index]! |= own[index]!;
  }

  complement(): RowSet {
    const bits = new Uint32Array(this.bits.length);
    for (let index = 0; index < bits.length; index++) bits[index] = ~this.bits[index]!;
    clearTail(bits, this.#size);
    return new RowBits(bits, this.#size);
  }
}

export interface LazyFacts {
  readonly count: number | (() => number);
  readonly size: number;
  readonly membership?: Membership;
  readonly complement?: () => RowSet;
}

/** Rows represented by their count, or a function of it; materialized on demand. */
export class LazyRows implements RowSet {
  readonly #facts: LazyFacts;
  readonly #mark: (bits: Uint32Array) => void;
  #count: number | undefined;
  #bits: RowBits | undefined;

  constructor(facts: LazyFacts, mark: (bits: Uint32Array) => void) {
    this.#facts = facts;
    this.#mark = mark;
  }

  get count(): number {
    const { count } = this.#facts;
    return (this.#count ??= typeof count === 'number' ? count : count());
  }

  has(row: number): boolean {
    return (this.#facts.membership ?? this.#asBits()).has(row);
  }

  countAmong(rows: Uint32Array): number {
    return (this.#facts.membership ?? this.#asBits()).countAmong(rows);
  }

  list(): Uint32Array {
    return this.#asBits().list();
  }

  mark(bits: Uint32Array): void {
    this.#mark(bits);
  }

  complement(): RowSet {
    const { complement, size } = this.#facts;
    if (complement !== undefined) return complement();
    const facts = { count: () => size - this.count, size, complement: () => this };
    return new LazyRows(facts, (bits) => {
      this.#asBits().complement().mark(bits);
    });
  }

  #asBits(): RowBits {
    if (this.#bits === undefined) {
      const bits = newBits(this.#facts.size);
      this.#mark(bits);
      this.#bits = new RowBits(bits, this.#facts.size);
    }
    return this.#bits;
  }
}

export function newBits(size: number): Uint32Array {
  return new Uint32Array((size + 31) >>> 5);
}

function clearTail(bits: Uint32Array, size: number): void {
  if ((size & 31) !== 0) bits[bits.length - 1]! &= (1 << (size & 31)) - 1;
}

function countBits(bits: Uint32Array): number {
  let count = 0;
  for (let index = 0; index < bits.length; index++) {
    let word = bits[index]!;
    word -= (word >>> 1) & 0x5555_5555;
    word = (word & 0x3333_3333) + ((word >>> 2) & 0x3333_3333);
    count += Math.imul((word + (word >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
  }
  return count;
}
