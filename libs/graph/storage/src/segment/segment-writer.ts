import type { Disk, DiskFile } from '#platform/disk';
import { crc32c } from '../encoding/crc32c.ts';
import { setU32 } from '../encoding/integers.ts';
import { compress } from '../encoding/zstd.ts';
import { BLOCK_BYTES, TRANSFER_BYTES } from '../store/limits.ts';
import type { VersionedRecord } from '../store/records.ts';
import {
  BLOCK_HEADER_BYTES,
  encodeFooter,
  encodeRecord,
  encodeSegmentHeader,
  recordBytes,
} from './segment-format.ts';
import { encodeIndex, type IndexEntry } from './sparse-index.ts';

export interface SegmentSummary {
  readonly bytes: number;
  readonly records: number;
  readonly minSeq: number;
  readonly maxSeq: number;
}

/**
 * Writes one segment sequentially. Records must be in key order; the file is durable after {@link finish}.
 */
export class SegmentWriter {
  readonly #file: DiskFile;
  readonly #level: number;
  readonly #index: IndexEntry[] = [];
  #raw = new Uint8Array(BLOCK_BYTES);
  #rawEnd = 0;
  #blockMaxSeq = 0;
  #firstKey: Uint8Array | undefined;
  #output = new Uint8Array(TRANSFER_BYTES);
  #outputEnd = 0;
  #flushed = 0;
  #records = 0;
  #minSeq = Number.MAX_SAFE_INTEGER;
  #maxSeq = 0;

  private constructor(file: DiskFile, level: number) {
    this.#file = file;
    this.#level = level;
  }

  static async create(disk: Disk, path: string, level: number): Promise<SegmentWriter> {
    const writer = new SegmentWriter(await disk.open(path, 'create'), level);
    await writer.#write(encodeSegmentHeader());
    return writer;
  }

  async addAll(records: readonly VersionedRecord[]): Promise<void> {
    for (const record of records) {
      const bytes = recordBytes(record);
      if (this.#rawEnd > 0 && this.#rawEnd + bytes > BLOCK_BYTES) await this.#endBlock();
      this.#add(record, bytes);
    }
  }

  /** Writes the last block, the index and the footer, and syncs. */
  async finish(): Promise<SegmentSummary> {
    if (this.#rawEnd > 0) await this.#endBlock();
    const raw = encodeIndex(this.#index);
    const index = compress(raw, this.#level);
    const indexOffset = this.#position;
    await this.#write(index);
    const counts = { records: this.#records, minSeq: this.#minSeq, maxSeq: this.#maxSeq };
    const footer = {
      ...counts,
      blocks: this.#index.length,
      indexOffset,
      indexBytes: index.length,
      indexRawBytes: raw.length,
      indexChecksum: crc32c(index),
    };
    await this.#write(encodeFooter(footer));
    await this.#drain();
    await this.#file.sync();
    return { bytes: this.#flushed, ...counts };
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  #add(record: VersionedRecord, bytes: number): void {
    if (bytes > this.#raw.length) this.#raw = new Uint8Array(bytes);
    this.#firstKey ??= record.key.slice();
    this.#rawEnd = encodeRecord(this.#raw, this.#rawEnd, record);
    this.#blockMaxSeq = Math.max(this.#blockMaxSeq, record.seq);
    this.#minSeq = Math.min(this.#minSeq, record.seq);
    this.#records++;
  }

  get #position(): number {
    return this.#flushed + this.#outputEnd;
  }

  async #endBlock(): Promise<void> {
    const raw = this.#raw.subarray(0, this.#rawEnd);
    const stored = compress(raw, this.#level);
    const header = new Uint8Array(BLOCK_HEADER_BYTES);
    setU32(header, 0, stored.length);
    setU32(header, 4, raw.length);
    setU32(header, 8, crc32c(header.subarray(0, 8), stored));
    const firstKey = this.#firstKey ?? new Uint8Array(0);
    this.#index.push({ offset: this.#position, maxSeq: this.#blockMaxSeq, firstKey });
    this.#maxSeq = Math.max(this.#maxSeq, this.#blockMaxSeq);
    this.#rawEnd = 0;
    this.#blockMaxSeq = 0;
    this.#firstKey = undefined;
    await this.#write(header);
    await this.#write(stored);
  }

  async #write(bytes: Uint8Array): Promise<void> {
    if (this.#outputEnd + bytes.length > this.#output.length) await this.#drain();
    if (bytes.length > this.#output.length) {
      await this.#file.write(bytes, this.#flushed);
      this.#flushed += bytes.length;
    } else {
      this.#output.set(bytes, this.#outputEnd);
      this.#outputEnd += bytes.length;
    }
  }

  async #drain(): Promise<void> {
    if (this.#outputEnd === 0) return;
    await this.#file.write(this.#output.subarray(0, this.#outputEnd), this.#flushed);
    this.#flushed += this.#outputEnd;
    this.#outputEnd = 0;
  }
}
