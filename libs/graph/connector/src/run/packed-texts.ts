/** *Hot path* of large runs: each record is put once. */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { digestOf, NameIndex } from './name-index.ts';

/** Characters that are packed together: the more, the smaller they become, and the slower is one text. */
const BLOCK_CHARACTERS = 65_536;
/** Of V8, in bytes, for a text apart from its characters. */
const TEXT_BYTES = 40;

/**
 * Texts of one line each, by name, in the order in which they were put. They are compressed in blocks,
 * outside of V8's heap: records of one source resemble each other, and take a tenth of their length or less.
 */
export class PackedTexts implements Iterable<string> {
  readonly #index = new NameIndex();
  readonly #blocks: Uint8Array[] = [];
  /** The place of the first text of each block. */
  readonly #firsts: number[] = [];
  /** Those that are not packed yet. */
  #open: string[] = [];
  #openCharacters = 0;
  #packedBytes = 0;
  /** The last block that was read out of order: repeated names are often near each other. */
  #read: { readonly block: number; readonly texts: readonly string[] } | undefined;

  get size(): number {
    return this.#index.size;
  }

  /** The memory that they take, estimated. */
  get bytes(): number {
    const open = this.#openCharacters + TEXT_BYTES * this.#open.length;
    return open + this.#packedBytes + this.#index.bytes;
  }

  has(name: string): boolean {
    return this.#index.find(digestOf(name)) !== undefined;
  }

  /** `known` if the name has this very text already, `other` if it has another one, which it keeps. */
  put(name: string, text: string): 'new' | 'known' | 'other' {
    const [nameDigest, textDigest] = [digestOf(name), digestOf(text)];
    const known = this.#index.find(nameDigest);
    if (known !== undefined) return this.#index.isOf(known, textDigest) ? 'known' : 'other';
    this.#index.add(nameDigest, textDigest);
    this.#open.push(text);
    this.#openCharacters += text.length;
    if (this.#openCharacters >= BLOCK_CHARACTERS) this.#pack();
    return 'new';
  }

  /** The text of a name; undefined if there is none. */
  get(name: string): string | undefined {
    const known = this.#index.find(digestOf(name));
    if (known === undefined) return undefined;
    const place = this.#index.placeOf(known);
    const block = this.#blockOf(place);
    if (block === this.#blocks.length) return this.#open[place - this.#openFirst];
    if (this.#read?.block !== block) this.#read = { block, texts: this.#unpacked(block) };
    return this.#read.texts[place - this.#firsts[block]!];
  }

  /** Those that are put meanwhile are among them. */
  *[Symbol.iterator](): Iterator<string> {
    for (let place = 0; place < this.size;) {
      const block = this.#blockOf(place);
      const isOpen = block === this.#blocks.length;
      const texts = isOpen ? this.#open.slice(place - this.#openFirst) : this.#unpacked(block);
      const rest = isOpen ? texts : texts.slice(place - this.#firsts[block]!);
      yield* rest;
      place += rest.length;
    }
  }

  /** The place of the first text that is not packed. */
  get #openFirst(): number {
    return this.size - this.#open.length;
  }

  /** The block of a place; the number of blocks if it is not packed. */
  #blockOf(place: number): number {
    if (place >= this.#openFirst) return this.#blocks.length;
    let [low, high] = [0, this.#blocks.length];
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.#firsts[middle]! <= place) low = middle;
      else high = middle;
    }
    return low;
  }

  #pack(): void {
    // A copy: the result may be a part of a larger buffer.
    const packed = new Uint8Array(zstdCompressSync(Buffer.from(this.#open.join('\n'))));
    this.#firsts.push(this.#openFirst);
    this.#blocks.push(packed);
    this.#packedBytes += packed.length;
    this.#open = [];
    this.#openCharacters = 0;
  }

  #unpacked(block: number): readonly string[] {
    return zstdDecompressSync(this.#blocks[block]!).toString().split('\n');
  }
}
