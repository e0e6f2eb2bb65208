/**
 * Chunks of an arena kept compressed, page by page (ADR 0225): a page is unpacked when one of its strings is
 * first read, and stays. What is never read costs a sixth of its size. All of it lies in shared memory, so
 * that threads unpack for each other. On the *hot path* of every read.
 *
 *   page    16 KiB of a chunk, by its place; a string stands within one, or starts one and is all there is in
 *           it and in the pages after it that it covers, which are empty
 *   packed  the pages one after another, each as a frame of Zstandard
 *   ends    u32 a page: one past its frame within `packed`; an empty page ends where the one before it does
 */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { assert } from '#platform/foundation';
import { uninterrupted } from '#platform/threads';

/** A reference, shifted so far, is the number of its page: 2 ** 12 words of 4 bytes. */
export const PAGE_SHIFT = 12;
export const PAGE_WORDS = 2 ** PAGE_SHIFT;
const PAGE_BYTES = PAGE_WORDS * 4;
/** A chunk has 2 ** 24 words at most. */
const PAGES_PER_CHUNK = 2 ** (24 - PAGE_SHIFT);
const LEVEL = 1;

export interface PackedChunk {
  readonly packed: Uint8Array;
  readonly ends: Uint32Array;
  /** Of the chunk, unpacked. */
  readonly byteLength: number;
}

/** What is unpacked so far: shared by all threads that read the same chunks. */
export interface UnpackedPages {
  /** One a chunk, zeros where a page is not unpacked. */
  readonly chunks: readonly Uint8Array[];
  /** 1 for each page, by the number that a reference gives, that is unpacked. */
  readonly isUnpacked: Uint8Array;
}

/** Nothing is unpacked yet: no memory is taken but that of the flags. */
export function nothingUnpacked(byteLengths: readonly number[]): UnpackedPages {
  return {
    chunks: byteLengths.map((bytes) => new Uint8Array(new SharedArrayBuffer(bytes))),
    isUnpacked: new Uint8Array(new SharedArrayBuffer(byteLengths.length * PAGES_PER_CHUNK)),
  };
}

export class PackedPages {
  /**
   * 1 for each page that this thread knows to be unpacked: the flags that threads share are to be read in
   * order with the bytes, which is slow.
   */
  readonly isHere: Uint8Array;
  readonly unpacked: UnpackedPages;
  readonly #chunks: readonly PackedChunk[];

  constructor(chunks: readonly PackedChunk[], unpacked: UnpackedPages) {
    this.#chunks = chunks;
    this.unpacked = unpacked;
    this.isHere = new Uint8Array(unpacked.isUnpacked.length);
  }

  /** Two threads that unpack the same page write the same bytes. */
  unpack(page: number): void {
    const { chunks, isUnpacked } = this.unpacked;
    if (Atomics.load(isUnpacked, page) === 0) {
      const number = Math.floor(page / PAGES_PER_CHUNK);
      const at = page % PAGES_PER_CHUNK;
      const chunk = this.#chunks[number];
      const into = chunks[number];
      assert(chunk !== undefined && into !== undefined, 'a reference names a chunk of its arena');
      const frame = chunk.packed.subarray(at === 0 ? 0 : chunk.ends[at - 1], chunk.ends[at]);
      const bytes = uninterrupted(() => zstdDecompressSync(frame, { chunkSize: PAGE_BYTES }));
      into.set(bytes, at * PAGE_BYTES);
      Atomics.store(isUnpacked, page, 1);
    }
    this.isHere[page] = 1;
  }
}

/** `starts` are the pages, ascending, that are not empty. */
export function packChunk(bytes: Uint8Array, starts: readonly number[]): PackedChunk {
  const ends = new Uint32Array(new SharedArrayBuffer(Math.ceil(bytes.length / PAGE_BYTES) * 4));
  const frames: Uint8Array[] = [];
  let end = 0;
  starts.forEach((page, index) => {
    const next = starts[index + 1] ?? ends.length;
    const frame = packPage(bytes.subarray(page * PAGE_BYTES, next * PAGE_BYTES));
    frames.push(frame);
    end += frame.length;
    ends.fill(end, page, next);
  });
  const packed = new Uint8Array(new SharedArrayBuffer(end));
  let at = 0;
  for (const frame of frames) {
    packed.set(frame, at);
    at += frame.length;
  }
  return { packed, ends, byteLength: bytes.length };
}

function packPage(bytes: Uint8Array): Uint8Array {
  const params = { [constants.ZSTD_c_compressionLevel]: LEVEL };
  return uninterrupted(() => zstdCompressSync(bytes, { params }));
}
