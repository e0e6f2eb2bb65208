/**
 * Byte strings, stored consecutively in chunks of shared memory, each identified by a 32-bit reference.
 * On the *hot path* of every read.
 *
 *   reference   chunk (8 bits) · word within the chunk (24 bits); 0 is none
 *   at the word u32 length, then the bytes, padded to a multiple of 4
 *
 * A string never spans chunks, so that replies are written from slices. A chunk has 64 MiB, or the size of a
 * single larger string; the first chunks are smaller, so that a small graph uses little memory.
 */

const CHUNK_BYTES_MAX = 2 ** 26;
const CHUNK_BYTES_FIRST = 2 ** 16;
const WORD_MASK = 0xff_ffff;
const CHUNKS_MAX = 256;

export class Arena {
  readonly chunks: Buffer[] = [];
  readonly #words: Uint32Array[] = [];
  readonly #views: DataView[] = [];
  /** Next free word of the last chunk. */
  #next = 1;

  /** Read-only chunks of another arena or of an image. */
  static of(chunks: readonly Uint8Array[]): Arena {
    const arena = new Arena();
    for (const chunk of chunks) arena.#attach(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    return arena;
  }

  add(bytes: Uint8Array): number {
    const reference = this.#reserve(bytes.length);
    this.chunks[reference >>> 24]!.set(bytes, this.start(reference));
    return reference;
  }

  addFrom(other: Arena, reference: number): number {
    return this.add(other.bytes(reference));
  }

  /** The chunk with the bytes of a string. */
  chunk(reference: number): Buffer {
    return this.chunks[reference >>> 24]!;
  }

  /** The same bytes as {@link chunk}. */
  view(reference: number): DataView {
    return this.#views[reference >>> 24]!;
  }

  start(reference: number): number {
    return ((reference & WORD_MASK) + 1) << 2;
  }

  end(reference: number): number {
    return this.start(reference) + this.#words[reference >>> 24]![reference & WORD_MASK]!;
  }

  /** The bytes of a text as a view. */
  bytes(reference: number): Buffer {
    return this.chunk(reference).subarray(this.start(reference), this.end(reference));
  }

  text(reference: number): string {
    return this.chunk(reference).toString('utf8', this.start(reference), this.end(reference));
  }

  get byteLength(): number {
    return this.chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);
  }

  /** The chunks without the unused end of the last one. */
  trimmed(): Uint8Array[] {
    return this.chunks.map((chunk, at) =>
      at === this.chunks.length - 1 ? chunk.subarray(0, this.#next << 2) : chunk,
    );
  }

  #reserve(bytes: number): number {
    const words = 1 + ((bytes + 3) >>> 2);
    const chunk = this.#words.at(-1);
    if (chunk === undefined || this.#next + words > chunk.length) this.#open(words);
    const at = this.#next;
    this.#words[this.#words.length - 1]![at] = bytes;
    this.#next += words;
    return (((this.chunks.length - 1) << 24) | at) >>> 0;
  }

  #open(words: number): void {
    if (this.chunks.length === CHUNKS_MAX) throw new RangeError('the arena is full');
    const usual = Math.min(CHUNK_BYTES_MAX, CHUNK_BYTES_FIRST * 2 ** (2 * this.chunks.length));
    const bytes = Math.max(usual, (words + 1) << 2);
    this.#attach(new SharedArrayBuffer(bytes), 0, bytes);
    this.#next = 1;
  }

  #attach(buffer: ArrayBufferLike, offset: number, length: number): void {
    this.chunks.push(Buffer.from(buffer as ArrayBuffer, offset, length));
    this.#words.push(new Uint32Array(buffer, offset, length >>> 2));
    this.#views.push(new DataView(buffer, offset, length));
  }
}
