/** Builds the gram index of a new base, node by node. *Hot path* of sealing. */
import type { BufferBag } from '../array/buffer-bag.ts';
import { Uint32List } from '../array/number-list.ts';
import { eachNameAt, nameBetween } from './entity-names.ts';
import {
  bitmapBytes,
  bucketBits,
  bucketOf,
  END_BYTE,
  type GramSectionMeta,
  SECTION_NODES,
  START_BYTE,
  varintBytes,
  writeVarint,
} from './gram-index.ts';

const ASCII_MAX = 0x7f;
const BACKSLASH = 0x5c;
const UPPER_A = 0x41;
const UPPER_Z = 0x5a;
const TO_LOWER = 0x20;
/** A plain name up to this length is read without decoding it. */
const PLAIN_BYTES_MAX = 4_096;

export class GramBuilder {
  readonly #bag: BufferBag;
  readonly #nodes: number;
  readonly #sections: GramSectionMeta[] = [];
  readonly #scratch = Buffer.alloc(PLAIN_BYTES_MAX);
  /** Of the section that is being built: kept, since it grows to some megabytes. */
  readonly #entries = new Uint32List();
  #section: SectionBuilder;
  /** Number of nodes so far. */
  #count = 0;

  /** `nodes` is the number of nodes that will be added. */
  constructor(bag: BufferBag, nodes: number) {
    this.#bag = bag;
    this.#nodes = nodes;
    this.#section = new SectionBuilder(nodes, this.#entries);
  }

  /** Adds the next node. */
  add(bytes: Buffer, start: number): void {
    if (this.#count % SECTION_NODES === 0 && this.#count > 0) {
      this.#sections.push(this.#section.finish(this.#bag));
      this.#section = new SectionBuilder(this.#nodes - this.#count, this.#entries);
    }
    this.#section.startNode(this.#count % SECTION_NODES);
    eachNameAt(bytes, start, this.#addName);
    this.#count++;
  }

  finish(): GramSectionMeta[] {
    if (this.#count > 0) this.#sections.push(this.#section.finish(this.#bag));
    return this.#sections;
  }

  readonly #addName = (bytes: Buffer, start: number, end: number): void => {
    if (!this.#addPlain(bytes, start, end)) this.#addFolded(nameBetween(bytes, start, end));
  };

  /** Adds a name of ASCII alone; false if it is none. */
  #addPlain(bytes: Buffer, start: number, end: number): boolean {
    const scratch = this.#scratch;
    if (end - start > PLAIN_BYTES_MAX) return false;
    for (let at = start; at < end; at++) {
      const byte = bytes[at]!;
      if (byte > ASCII_MAX || byte === BACKSLASH) return false;
      scratch[at - start] = byte >= UPPER_A && byte <= UPPER_Z ? byte + TO_LOWER : byte;
    }
    this.#section.addName(scratch, end - start);
    return true;
  }

  #addFolded(name: string | undefined): void {
    if (name === undefined) return;
    const bytes = Buffer.from(name, 'utf8');
    this.#section.addName(bytes, bytes.length);
  }
}

class SectionBuilder {
  readonly #rows: number;
  readonly #bits: number;
  /** Bucket × 65,536 + row, in order of the rows. */
  readonly #entries: Uint32List;
  /** The last row of each bucket; −1: none. */
  readonly #last: Int32Array;
  /** Bytes of each bucket's postings as varints. */
  readonly #bytes: Uint32Array;
  #row = 0;

  /** `nodes` is the number of nodes from the section's first one on; `entries` is overwritten. */
  constructor(nodes: number, entries: Uint32List) {
    this.#entries = entries;
    this.#entries.length = 0;
    this.#rows = Math.min(nodes, SECTION_NODES);
    this.#bits = bucketBits(Math.max(1, this.#rows));
    this.#last = new Int32Array(2 ** this.#bits).fill(-1);
    this.#bytes = new Uint32Array(2 ** this.#bits);
  }

  startNode(row: number): void {
    this.#row = row;
  }

  addName(bytes: Uint8Array, length: number): void {
    let gram = (START_BYTE << 8) | START_BYTE;
    for (let at = 0; at <= length; at++) {
      gram = ((gram << 8) | (at < length ? bytes[at]! : END_BYTE)) & 0xff_ff_ff;
      this.#add(bucketOf(gram, this.#bits));
    }
  }

  finish(bag: BufferBag): GramSectionMeta {
    const buckets = this.#bytes.length;
    const bitmap = bitmapBytes(this.#rows);
    const offsets = bag.uint32(buckets + 1);
    const offsetsPart = bag.last;
    for (let bucket = 0; bucket < buckets; bucket++)
      offsets[bucket + 1] = offsets[bucket]! + Math.min(this.#bytes[bucket]!, bitmap);
    const postings = bag.uint8(offsets[buckets]!);
    const next = offsets.slice(0, buckets);
    this.#last.fill(-1);
    for (let at = 0; at < this.#entries.length; at++) {
      const entry = this.#entries.data[at]!;
      const bucket = Math.floor(entry / SECTION_NODES);
      const row = entry % SECTION_NODES;
      if (this.#bytes[bucket]! >= bitmap) {
        postings[next[bucket]! + (row >>> 3)]! |= 1 << (row & 7);
        continue;
      }
      next[bucket] = writeVarint(postings, next[bucket]!, row - this.#last[bucket]!);
      this.#last[bucket] = row;
    }
    return { bits: this.#bits, offsets: offsetsPart, postings: bag.last };
  }

  #add(bucket: number): void {
    const gap = this.#row - this.#last[bucket]!;
    if (gap === 0) return;
    this.#last[bucket] = this.#row;
    this.#bytes[bucket]! += varintBytes(gap);
    this.#entries.push(bucket * SECTION_NODES + this.#row);
  }
}
