/**
 * Where three bytes in a row occur among the names of a base's live nodes, for the search by name. It holds
 * no text: a candidate's names are read from its head.
 *
 *   section    65,536 nodes in a row, from node number × 65,536; the last one has the rest
 *   row        a node's number in its section
 *   bucket     a hash of three bytes of a folded name in UTF-8, with two bytes FF before and one FE after
 *   offsets    u32 for each bucket, and the end: the place of its postings
 *   postings   the rows of each bucket: ascending, as varints of the distance to the one before, −1 at first;
 *              or a bit for each row of the section, lowest first, if varints take as many bytes or more
 *
 * *Hot path* of the search.
 */
import type { BufferBag } from '../array/buffer-bag.ts';

export const SECTION_NODES = 65_536;
export const START_BYTE = 0xff;
export const END_BYTE = 0xfe;
const VARINT_BYTE_MAX = 127;
const VARINT_BITS = 7;

const BUCKET_BITS_MAX = 16;
const BUCKET_BITS_MIN = 6;
/** Buckets for each node of a small section, as a power of two. */
const BUCKETS_PER_NODE_BITS = 3;
const GOLDEN_RATIO = 0x9e3779b1;
/** So many of the rarest buckets of a text tell its rows well enough. */
const LISTS_MAX = 8;

export interface GramSectionMeta {
  readonly bits: number;
  readonly offsets: number;
  readonly postings: number;
}

interface GramSection {
  readonly bits: number;
  readonly offsets: Uint32Array;
  readonly postings: Uint8Array;
  readonly rows: number;
}

/** The places at which names with a text are looked for, the best first. */
export interface TextGrams {
  readonly exact: readonly number[];
  readonly start: readonly number[];
  /** Empty for a text of fewer than three bytes. */
  readonly inside: readonly number[];
}

export function bucketBits(nodes: number): number {
  const wanted = Math.ceil(Math.log2(nodes)) + BUCKETS_PER_NODE_BITS;
  return Math.max(BUCKET_BITS_MIN, Math.min(BUCKET_BITS_MAX, wanted));
}

export function bucketOf(gram: number, bits: number): number {
  return Math.imul(gram, GOLDEN_RATIO) >>> (32 - bits);
}

export function gramsOfText(folded: string): TextGrams {
  const bytes = Uint8Array.of(START_BYTE, START_BYTE, ...Buffer.from(folded, 'utf8'), END_BYTE);
  const exact = Array.from(
    { length: bytes.length - 2 },
    (_, at) => (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!,
  );
  const start = exact.slice(0, -1);
  return { exact, start, inside: start.slice(2) };
}

/** The bytes of a bucket's rows as bits. A list of so many bytes has bits; one of varints has fewer. */
export function bitmapBytes(rows: number): number {
  return Math.ceil(rows / 8);
}

export function varintBytes(gap: number): number {
  let bytes = 1;
  while ((gap >>>= VARINT_BITS) > 0) bytes++;
  return bytes;
}

/** Returns the place after it. */
export function writeVarint(into: Uint8Array, at: number, gap: number): number {
  for (; gap > VARINT_BYTE_MAX; gap >>>= VARINT_BITS)
    into[at++] = (gap & VARINT_BYTE_MAX) | (VARINT_BYTE_MAX + 1);
  into[at++] = gap;
  return at;
}

export class GramIndex {
  readonly #sections: readonly GramSection[];

  /** `nodes` is the number of nodes in the index. */
  constructor(sections: readonly GramSectionMeta[], bag: BufferBag, nodes: number) {
    this.#sections = sections.map(({ bits, offsets, postings }, number) => ({
      bits,
      offsets: bag.asUint32(offsets),
      postings: bag.asUint8(postings),
      rows: Math.min(SECTION_NODES, nodes - number * SECTION_NODES),
    }));
  }

  get sections(): number {
    return this.#sections.length;
  }

  /** The rows of a section, ascending, that may have a name with all the grams. */
  rows(section: number, grams: readonly number[]): Uint16Array {
    const { bits, offsets, postings, rows: count } = this.#sections[section]!;
    const buckets = [...new Set(grams.map((gram) => bucketOf(gram, bits)))];
    const lists = buckets.map((bucket) => postings.subarray(offsets[bucket], offsets[bucket + 1]));
    lists.sort((a, b) => a.length - b.length);
    const [first, ...others] = lists.slice(0, LISTS_MAX);
    if (first === undefined) return new Uint16Array(0);
    const isBitmap = (list: Uint8Array): boolean => list.length === bitmapBytes(count);
    let rows = isBitmap(first) ? rowsOfBits(first) : rowsOfVarints(first);
    for (const list of others) {
      if (rows.length === 0) break;
      rows = isBitmap(list) ? commonWithBits(rows, list) : commonWithVarints(rows, list);
    }
    return rows;
  }
}

function rowsOfBits(list: Uint8Array): Uint16Array {
  const rows = new Uint16Array(list.length * 8);
  let count = 0;
  for (let at = 0; at < list.length; at++) {
    for (let byte = list[at]!; byte !== 0; byte &= byte - 1)
      rows[count++] = at * 8 + 31 - Math.clz32(byte & -byte);
  }
  return rows.subarray(0, count);
}

function rowsOfVarints(list: Uint8Array): Uint16Array {
  const rows = new Uint16Array(list.length);
  let count = 0;
  let row = -1;
  for (let at = 0; at < list.length; at++) {
    let byte = list[at]!;
    let gap = byte & VARINT_BYTE_MAX;
    for (let shift = VARINT_BITS; byte > VARINT_BYTE_MAX; shift += VARINT_BITS) {
      byte = list[++at]!;
      gap |= (byte & VARINT_BYTE_MAX) << shift;
    }
    row += gap;
    rows[count++] = row;
  }
  return rows.subarray(0, count);
}

/** The rows, in place, that the list has as well. */
function commonWithBits(rows: Uint16Array, list: Uint8Array): Uint16Array {
  let count = 0;
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]!;
    if (((list[row >>> 3]! >>> (row & 7)) & 1) === 1) rows[count++] = row;
  }
  return rows.subarray(0, count);
}

/** The rows, in place, that the list has as well. */
function commonWithVarints(rows: Uint16Array, list: Uint8Array): Uint16Array {
  const others = rowsOfVarints(list);
  let count = 0;
  let next = 0;
  for (let at = 0; at < others.length && next < rows.length; at++) {
    const row = others[at]!;
    while (next < rows.length && rows[next]! < row) next++;
    if (next < rows.length && rows[next] === row) rows[count++] = rows[next++]!;
  }
  return rows.subarray(0, count);
}
