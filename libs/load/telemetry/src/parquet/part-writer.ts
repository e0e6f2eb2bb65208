/**
 * Writes one Parquet file from table batches. It works by column, never by row: each column of a batch is
 * copied to the open page of its chunk. A full page is encoded at once, so that no work accumulates.
 *
 *   page       PAGE_ROWS rows of one column; the pages of all columns end together
 *   row group  ROW_GROUP_ROWS rows; written when it is full
 *
 * parquetjs-lite provides schema, header, footer and their encoding. Its row writer is not used: it takes 40
 * µs per row, and loses or duplicates rows when two calls overlap.
 */
import parquet, { type ParquetEnvelopeWriter, type ParquetSchema } from 'parquetjs-lite';
import type { DiskFile } from '#platform/disk';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { BATCH_ROWS_MAX } from '../limits.ts';
import { type ColumnSpec, FIXED_WIDTHS, isNumberKind } from '../table/column-spec.ts';
import type { Column, EdgeInstance, TableBatch, TextColumn } from '../table/table-batch.ts';
import type { TableName } from '../table/tables.ts';
import { BlobChunk } from './blob-chunk.ts';
import { type ChunkOptions, type ColumnChunk, rowGroupMetadata } from './column-chunk.ts';
import type { Compression } from './compression.ts';
import { DictionaryChunk } from './dictionary-chunk.ts';
import { HashChunk } from './hash-chunk.ts';
import { NumberChunk } from './number-chunk.ts';
import { partColumns, partSchema } from './part-schema.ts';
import { AddressValues, TextValues } from './value-dictionary.ts';

export interface PartWriterOptions {
  /** The value of `run_id` in each row. */
  readonly runId: string;
  readonly compression: Compression;
  readonly pageRows?: number | undefined;
  readonly rowGroupRows?: number | undefined;
}

const PAGE_ROWS = 16_384;
const ROW_GROUP_ROWS = 131_072;
/** A page or a row group ends early when its texts and blobs reach this total. */
const PAGE_BYTES = 4 * 1024 * 1024;
const ROW_GROUP_BYTES = 32 * 1024 * 1024;

const ALL_FIRST = new Int32Array(BATCH_ROWS_MAX);

export class PartWriter {
  readonly #table: TableName;
  readonly #runId: string;
  readonly #file: DiskFile;
  readonly #schema: ParquetSchema;
  readonly #envelope: ParquetEnvelopeWriter;
  readonly #columns: readonly ColumnSpec[];
  readonly #chunks: readonly ColumnChunk[];
  readonly #pageRows: number;
  readonly #rowGroupRows: number;
  /** The bytes of the row group that is being written. */
  readonly #group = new ByteWriter();
  #pageFilled = 0;
  #groupFilled = 0;
  #groupBytes = 0;
  /** The write of the previous row group. */
  #written: Promise<void> = Promise.resolve();

  /** `file` must be empty. */
  constructor(table: TableName, file: DiskFile, options: PartWriterOptions) {
    this.#table = table;
    this.#runId = options.runId;
    this.#file = file;
    this.#pageRows = options.pageRows ?? PAGE_ROWS;
    this.#rowGroupRows = options.rowGroupRows ?? ROW_GROUP_ROWS;
    this.#columns = partColumns(table);
    const shape = { compression: options.compression, pageRows: this.#pageRows };
    this.#chunks = this.#columns.map((spec) => columnChunk(spec, shape));
    this.#schema = partSchema(table);
    this.#envelope = new parquet.ParquetEnvelopeWriter(this.#schema, this.#write, () => undefined, 0, {});
  }

  /** Appends the batch's rows. Calls must not overlap: wait for the promise before the next one. */
  async append(edge: EdgeInstance, batch: TableBatch): Promise<void> {
    const columns = this.#columnsFor(edge, batch);
    for (let from = 0; from < batch.rowCount;) {
      const to = Math.min(batch.rowCount, from + this.#pageRows - this.#pageFilled);
      for (const [at, chunk] of this.#chunks.entries()) {
        const column = columns[at];
        if (column !== undefined) chunk.append(column, from, to);
      }
      this.#pageFilled += to - from;
      from = to;
      if (this.#isPageFull()) this.#endPage();
      if (this.#isRowGroupFull()) await this.#endRowGroup();
    }
  }

  /** Writes the remaining rows and the footer, and syncs. Closes the file even after an error. */
  async finish(): Promise<void> {
    try {
      if (this.#pageFilled > 0) this.#endPage();
      if (this.#groupFilled > 0) await this.#endRowGroup();
      await this.#written;
      if (this.#envelope.offset === 0) await this.#envelope.writeHeader();
      await this.#envelope.writeFooter({ 'plexus.table': this.#table, 'plexus.format': '1' });
      await this.#file.sync();
    } finally {
      await this.#file.close();
    }
  }

  /** Closes the incomplete file. */
  async abandon(): Promise<void> {
    await this.#written.catch(() => undefined);
    await this.#file.close();
  }

  #columnsFor({ edgeId, instanceId }: EdgeInstance, batch: TableBatch): readonly (Column | undefined)[] {
    const columns: Readonly<Record<string, Column>> = {
      edge_id: sameText(edgeId, batch.rowCount),
      instance_id: sameText(instanceId, batch.rowCount),
      ...batch.columns,
      run_id: sameText(this.#runId, batch.rowCount),
    };
    return this.#columns.map(({ name }) => columns[name]);
  }

  #isPageFull(): boolean {
    return this.#pageFilled >= this.#pageRows || this.#pendingBytes() >= PAGE_BYTES;
  }

  #isRowGroupFull(): boolean {
    return this.#groupFilled >= this.#rowGroupRows || this.#groupBytes >= ROW_GROUP_BYTES;
  }

  #pendingBytes(): number {
    return this.#chunks.reduce((sum, { pendingBytes }) => sum + pendingBytes, 0);
  }

  #endPage(): void {
    this.#groupBytes += this.#pendingBytes();
    for (const chunk of this.#chunks) chunk.endPage();
    this.#groupFilled += this.#pageFilled;
    this.#pageFilled = 0;
  }

  /** Starts the write of the row group; the next batches are encoded meanwhile. */
  async #endRowGroup(): Promise<void> {
    await this.#written;
    if (this.#envelope.offset === 0) await this.#envelope.writeHeader();
    const chunks = this.#chunks.map((chunk) => chunk.finish());
    const { offset } = this.#envelope;
    const rows = this.#groupFilled;
    this.#envelope.rowGroups.push(rowGroupMetadata(this.#schema.fieldList, chunks, { offset, rows }));
    this.#envelope.rowCount += rows;
    this.#groupFilled = this.#groupBytes = 0;
    this.#group.reset();
    for (const { pieces } of chunks) for (const piece of pieces) this.#group.bytes(piece);
    this.#written = this.#envelope.writeSection(this.#group.written());
    this.#written.catch(() => undefined);
  }

  /** The envelope adds a section to its offset before it calls this function. */
  readonly #write = (bytes: Uint8Array): Promise<void> =>
    this.#file.write(bytes, this.#envelope.offset - bytes.length);
}

function sameText(text: string, rows: number): TextColumn {
  const codes = rows <= ALL_FIRST.length ? ALL_FIRST.subarray(0, rows) : new Int32Array(rows);
  return { form: 'text', codes, texts: [text] };
}

/** The encoder of a column of this kind. */
export function columnChunk(
  { kind, isNullable }: ColumnSpec,
  shape: Pick<ChunkOptions, 'compression' | 'pageRows'>,
): ColumnChunk {
  const options = { ...shape, isNullable };
  if (isNumberKind(kind)) return new NumberChunk(kind, options);
  if (kind === 'bytes32') return new HashChunk(options);
  if (kind === 'bytes') return new BlobChunk(options);
  if (kind === 'address') return new DictionaryChunk(new AddressValues(FIXED_WIDTHS.address), options);
  return new DictionaryChunk(new TextValues(), options);
}
