/**
 * Where three bytes in a row occur among the names of a base's live nodes, for the search by name. It holds
 * no text: a candidate's names are read from its head.
 *
 *   section    65,536 nodes in a row, from node number × 65,536; the last one has the rest
 *   block      16 nodes of a section in a row, by their number in the section
 *   bucket     a hash of three bytes of a folded name in UTF-8, with two bytes FF before and one FE after
 *   offsets    u32 for each bucket, and the end: the place of its postings
 *   postings   the blocks of each bucket, ascending: varints of the distance to the one before (−1 at first)
 *
 * *Hot path* of the search.
 */
import type { BufferBag } from '../array/buffer-bag.ts';

export const SECTION_NODES = 65_536;
export const BLOCK_NODES = 16;
export const SECTION_BLOCKS = SECTION_NODES / BLOCK_NODES;
export const START_BYTE = 0xff;
export const END_BYTE = 0xfe;
export const VARINT_BYTE_MAX = 127;

const BUCKET_BITS_MAX = 16;
const BUCKET_BITS_MIN = 6;
/** Buckets for each node of a small section, as a power of two. */
const BUCKETS_PER_NODE_BITS = 3;
const GOLDEN_RATIO = 0x9e3779b1;
/** So many of the rarest buckets of a text tell its blocks well enough. */
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

export class GramIndex {
  readonly #sections: readonly GramSection[];

  constructor(sections: readonly GramSectionMeta[], bag: BufferBag) {
    this.#sections = sections.map(({ bits, offsets, postings }) => ({
      bits,
      offsets: bag.asUint32(offsets),
      postings: bag.asUint8(postings),
    }));
  }

  get sections(): number {
    return this.#sections.length;
  }

  /** The blocks of a section, ascending, that may have a name with all the grams. */
  blocks(section: number, grams: readonly number[]): Uint16Array {
    const { bits, offsets, postings } = this.#sections[section]!;
    const buckets = [...new Set(grams.map((gram) => bucketOf(gram, bits)))];
    const lists = buckets.map((bucket) => postings.subarray(offsets[bucket], offsets[bucket + 1]));
    lists.sort((a, b) => a.length - b.length);
    const [first, ...others] = lists.slice(0, LISTS_MAX);
    if (first === undefined) return new Uint16Array(0);
    let blocks = blocksIn(first);
    for (const list of others) {
      if (blocks.length === 0) break;
      blocks = common(blocks, list);
    }
    return blocks;
  }
}

function blocksIn(list: Uint8Array): Uint16Array {
  const blocks = new Uint16Array(list.length);
  let count = 0;
  let block = -1;
  for (let at = 0; at < list.length; at++) {
    const byte = list[at]!;
    block += byte > VARINT_BYTE_MAX ? (byte & VARINT_BYTE_MAX) | (list[++at]! << 7) : byte;
    blocks[count++] = block;
  }
  return blocks.subarray(0, count);
}

/** The blocks, in place, that the list has as well. */
function common(blocks: Uint16Array, list: Uint8Array): Uint16Array {
  let count = 0;
  let next = 0;
  let block = -1;
  for (let at = 0; at < list.length && next < blocks.length; at++) {
    const byte = list[at]!;
    block += byte > VARINT_BYTE_MAX ? (byte & VARINT_BYTE_MAX) | (list[++at]! << 7) : byte;
    while (next < blocks.length && blocks[next]! < block) next++;
    if (next < blocks.length && blocks[next] === block) blocks[count++] = blocks[next++]!;
  }
  return blocks.subarray(0, count);
}
