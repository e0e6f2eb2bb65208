import { join } from 'node:path';
import type { Disk, DiskFile } from '#platform/disk';
import { crc32c } from '../encoding/crc32c.ts';
import { getU32 } from '../encoding/integers.ts';
import { decompress } from '../encoding/zstd.ts';
import { TRANSFER_BYTES } from '../store/limits.ts';
import { isWithin, type KeyRange, type RecordSource, type VersionedRecord } from '../store/records.ts';
import { corruptStore } from '../store/store-error.ts';
import {
  BLOCK_HEADER_BYTES,
  decodeFooter,
  decodeRecords,
  findRecord,
  FOOTER_BYTES,
  type SegmentFooter,
} from './segment-format.ts';
import { SparseIndex } from './sparse-index.ts';

/** An open segment. Its file stays open, and its bytes readable, until the last user releases it. */
export class SegmentReader {
  readonly name: string;
  readonly footer: SegmentFooter;
  readonly bytes: number;
  readonly index: SparseIndex;
  readonly #file: DiskFile;
  #users = 1;

  private constructor(name: string, file: DiskFile, footer: SegmentFooter, index: SparseIndex) {
    this.name = name;
    this.#file = file;
    this.footer = footer;
    this.bytes = footer.indexOffset + footer.indexBytes + FOOTER_BYTES;
    this.index = index;
  }

  /** Reads and checks footer and index. */
  static async open(disk: Disk, directory: string, name: string): Promise<SegmentReader> {
    const file = await disk.open(join(directory, name), 'read');
    try {
      const footerAt = Math.max(0, (await file.size()) - FOOTER_BYTES);
      const footer = decodeFooter(await readAt(file, footerAt, FOOTER_BYTES), name, footerAt);
      const stored = await readAt(file, footer.indexOffset, footer.indexBytes);
      if (crc32c(stored) !== footer.indexChecksum) {
        throw corruptStore(name, footer.indexOffset, 'broken segment index');
      }
      const raw = decompress(stored, footer.indexRawBytes);
      return new SegmentReader(name, file, footer, new SparseIndex(raw, footer.blocks, footer.indexOffset));
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async get(key: Uint8Array): Promise<VersionedRecord | undefined> {
    const block = this.index.blockOf(key);
    if (block === -1) return undefined;
    const start = this.index.startOf(block);
    const stored = await this.read(start, this.index.endOf(block));
    return findRecord(this.decode(stored, start), key);
  }

  /** Records of the range, from blocks with a record later than `sinceSeq`. */
  source(range: KeyRange, sinceSeq: number): RecordSource {
    this.#users++;
    return new SegmentSource(this, this.index.blocksOf(range, sinceSeq), range);
  }

  retain(): void {
    this.#users++;
  }

  async release(): Promise<void> {
    if (--this.#users === 0) await this.#file.close();
  }

  read(start: number, end: number): Promise<Uint8Array> {
    return readAt(this.#file, start, end - start);
  }

  /** The raw records of the stored block at `offset` of the file. */
  decode(block: Uint8Array, offset: number): Uint8Array {
    return decompress(this.check(block, offset), getU32(block, 4));
  }

  /** The verified bytes of a stored block after its header. Throws STORE_CORRUPT. */
  check(block: Uint8Array, offset: number): Uint8Array {
    const stored = block.subarray(BLOCK_HEADER_BYTES);
    const isIntact =
      block.length >= BLOCK_HEADER_BYTES &&
      getU32(block, 0) === stored.length &&
      crc32c(block.subarray(0, 8), stored) === getU32(block, 8);
    if (!isIntact) throw corruptStore(this.name, offset, 'broken segment block');
    return stored;
  }
}

/** Reads runs of neighbouring blocks at once, and decodes one block at a time. */
class SegmentSource implements RecordSource {
  readonly #segment: SegmentReader;
  readonly #blocks: readonly number[];
  readonly #range: KeyRange;
  #at = 0;
  #run: Uint8Array = new Uint8Array(0);
  #runStart = 0;

  constructor(segment: SegmentReader, blocks: readonly number[], range: KeyRange) {
    this.#segment = segment;
    this.#blocks = blocks;
    this.#range = range;
  }

  async next(): Promise<readonly VersionedRecord[] | undefined> {
    for (let block = this.#blocks[this.#at]; block !== undefined; block = this.#blocks[this.#at]) {
      const records = decodeRecords(await this.#raw(block));
      const isFirst = this.#at++ === 0;
      const mayEndHere = this.#at === this.#blocks.length;
      const matching =
        isFirst || mayEndHere ? records.filter(({ key }) => isWithin(key, this.#range)) : records;
      if (matching.length > 0) return matching;
    }
    return undefined;
  }

  close(): Promise<void> {
    return this.#segment.release();
  }

  async #raw(block: number): Promise<Uint8Array> {
    const { index } = this.#segment;
    const start = index.startOf(block);
    const end = index.endOf(block);
    if (end > this.#runStart + this.#run.length || start < this.#runStart) {
      this.#run = await this.#segment.read(start, this.#runEnd(start));
      this.#runStart = start;
    }
    return this.#segment.decode(this.#run.subarray(start - this.#runStart, end - this.#runStart), start);
  }

  /** The end of the neighbouring blocks that fit in one read. */
  #runEnd(start: number): number {
    const { index } = this.#segment;
    let end = start;
    for (let i = this.#at; i < this.#blocks.length; i++) {
      const block = this.#blocks[i];
      if (block === undefined || index.startOf(block) !== end) break;
      if (end > start && index.endOf(block) - start > TRANSFER_BYTES) break;
      end = index.endOf(block);
    }
    return end;
  }
}

async function readAt(file: DiskFile, position: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  return bytes.subarray(0, await file.read(bytes, position));
}
