/**
 * The telemetry of one run, from batches to Parquet files. Three activities run concurrently:
 *
 *   accept     decode (which is the complete check) → queue
 *   journal    all queued batches, up to a limit → one frame, one sync → acknowledge → pass on
 *   parts      hook → pages → row groups; a full generation: footer, sync, rename, sync directory, and its
 *              journal is removed
 *
 * After a full journal, the next one starts with the last batch of each edge instance in its header. Repeated
 * batches are therefore detected until the run is sealed.
 *
 * A failed write or sync is final: the state of the disk is unknown, nothing is retried, and all queued and
 * later batches are rejected. Acknowledged batches are in the journals; reopening the run with enough disk
 * space adds them to the parts.
 */
import { basename, join } from 'node:path';
import { type Disk, DiskError, isFullDisk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { journalName } from '../file-names.ts';
import { type BatchMarks, isNext, type Mark } from '../journal/batch-marks.ts';
import { IDENTITY_BYTES_MAX, type JournalBatch } from '../journal/journal-format.ts';
import { JournalWriter } from '../journal/journal-writer.ts';
import type { Compression } from '../parquet/compression.ts';
import type { BatchHook } from '../reader/read-parts.ts';
import type { EdgeInstance, TableBatch } from '../table/table-batch.ts';
import { TABLE_NAMES } from '../table/tables.ts';
import { decodeTables } from '../wire/decode-tables.ts';
import { EncodeQueue } from './encode-queue.ts';
import { completeParts, PartGeneration, listParts, type PartFile, type PartPlace } from './generation.ts';
import { type RecoveredRun, recoverRun } from './recovery.ts';

export interface TelemetryWriterOptions {
  readonly disk: Disk;
  /** The directory of this run only; created if it is missing. */
  readonly directory: string;
  /** Default `snappy`. */
  readonly compression?: Compression;
  /** Size at which the next journal begins, and the parts of this one are completed. Default 128 MiB. */
  readonly journalBytes?: number;
  readonly pageRows?: number;
  readonly rowGroupRows?: number;
  /**
   * Receives every batch once, after it is durable, in the order of the journal. Must not throw. Receives all
   * batches again when the run is reopened.
   */
  readonly onBatch?: BatchHook;
}

/** Rows that the hive adds at the seal, and their edge instance. */
export interface FinalRows {
  readonly edge: EdgeInstance;
  readonly batches: readonly TableBatch[];
}

interface Pending extends JournalBatch {
  readonly mark: Mark;
  readonly decoded: readonly TableBatch[];
  readonly settled: PromiseWithResolvers<void>;
}

const JOURNAL_BYTES = 128 * 1024 * 1024;
const GROUP_BYTES_MAX = 8 * 1024 * 1024;

export class TelemetryWriter {
  readonly #options: TelemetryWriterOptions;
  readonly #place: PartPlace;
  readonly #marks: BatchMarks;
  readonly #encode: EncodeQueue;
  readonly #queue: Pending[] = [];
  /** The result of recovery when the run was opened. */
  readonly recovered: { readonly batches: number; readonly tornBytes: number };
  #journal: JournalWriter | undefined;
  #generation: PartGeneration;
  /** The promise of the last queued batch: when it is durable, all earlier ones are. */
  #last: Promise<void> = Promise.resolve();
  #running: Promise<void> | undefined;
  #failure: Error | undefined;
  #isEnded: boolean;
  #isClosed = false;
  /** The last seal or close. */
  #ending: Promise<unknown> = Promise.resolve();

  private constructor(options: TelemetryWriterOptions, run: RecoveredRun) {
    this.#options = options;
    this.#place = placeOf(options);
    this.#marks = run.marks;
    this.#isEnded = run.isSealed;
    this.recovered = { batches: run.batches, tornBytes: run.tornBytes };
    this.#generation = new PartGeneration(this.#place, run.nextNumber);
    this.#encode = new EncodeQueue((error) => {
      this.#fail(error);
    });
  }

  /**
   * Creates the telemetry of a run, or recovers an existing one. Throws NO_DISK_SPACE, and STORE_CORRUPT if
   * durable bytes are damaged.
   */
  static async open(options: TelemetryWriterOptions): Promise<TelemetryWriter> {
    const { disk, directory, onBatch } = options;
    try {
      await disk.makeDirectory(directory);
      const run = await recoverRun({ ...placeOf(options), onBatch });
      const writer = new TelemetryWriter(options, run);
      if (run.isSealed) return writer;
      await writer.#beginJournal();
      for (const name of run.journals) await disk.remove(join(directory, name));
      return writer;
    } catch (error) {
      throw writeFailure(error);
    }
  }

  /**
   * Whether no more batches are accepted: the run was sealed or closed, or was sealed before it was opened.
   */
  get isSealed(): boolean {
    return this.#isEnded;
  }

  /**
   * Resolves when the batch is durable, at once for a durable duplicate. Rejects with WIRE_FORMAT for invalid
   * bytes, CONFLICT if an earlier batch of the instance is missing, RUN_ENDED after the seal, NO_DISK_SPACE
   * or STORE_UNAVAILABLE if the write fails.
   */
  async append(edge: EdgeInstance, seq: number, tables: Uint8Array): Promise<'taken' | 'duplicate'> {
    this.#assertTaking();
    assertIdentity(edge);
    const mark = this.#marks.of(edge);
    if (!isNext(mark, seq)) {
      if (seq > mark.durableSeq) await this.#last;
      return 'duplicate';
    }
    const decoded = decodeTables(tables);
    mark.takenSeq = seq;
    const settled: PromiseWithResolvers<void> = Promise.withResolvers();
    this.#queue.push({ edge, seq, tables, mark, decoded, settled });
    this.#last = settled.promise;
    this.#running ??= this.#run();
    await settled.promise;
    return 'taken';
  }

  /** Resolves when the hook has received all accepted batches. Throws after a failed write. */
  async settled(): Promise<void> {
    await this.#settle();
    this.#assertSound();
  }

  /**
   * Appends the hive's rows, completes all parts, at least one for each table, and lists them. No more
   * batches are accepted. For a sealed run it only lists the parts. Throws RUN_ENDED after a close.
   */
  seal(rows: readonly FinalRows[] = []): Promise<readonly PartFile[]> {
    this.#isEnded = true;
    return this.#afterOthers(() => this.#seal(rows));
  }

  /** Ends without a seal: the run can be reopened. A running seal is completed first. */
  close(): Promise<void> {
    this.#isEnded = true;
    return this.#afterOthers(() => this.#close());
  }

  async #seal(rows: readonly FinalRows[]): Promise<readonly PartFile[]> {
    if (this.#isClosed) throw new DomainError('RUN_ENDED', 'the telemetry is closed');
    await this.#settle();
    try {
      this.#assertSound();
      await this.#complete(rows);
      return await listParts(this.#options.disk, this.#options.directory);
    } catch (error) {
      throw this.#fail(error);
    }
  }

  async #close(): Promise<void> {
    this.#isClosed = true;
    await this.#settle();
    await this.#generation.abandon();
    const journal = this.#journal;
    this.#journal = undefined;
    await journal?.close();
  }

  /** Runs seals and closes sequentially, as each needs exclusive access to the files. */
  #afterOthers<T>(end: () => Promise<T>): Promise<T> {
    const ended = this.#ending.then(end);
    this.#ending = ended.catch(() => undefined);
    return ended;
  }

  #assertSound(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  #assertTaking(): void {
    this.#assertSound();
    if (this.#isEnded) throw new DomainError('RUN_ENDED', 'expected telemetry of an active run');
  }

  async #settle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    await this.#encode.drained();
  }

  async #run(): Promise<void> {
    await new Promise(setImmediate);
    try {
      while (this.#queue.length > 0) await this.#commit();
    } catch (error) {
      this.#fail(error);
    }
    this.#running = undefined;
  }

  async #commit(): Promise<void> {
    if (this.#journal === undefined || this.#journal.bytes >= (this.#options.journalBytes ?? JOURNAL_BYTES)) {
      await this.#rotate();
    }
    const group = this.#takeGroup();
    try {
      await this.#journal?.append(group);
    } catch (error) {
      const failure = this.#fail(error);
      for (const { settled } of group) settled.reject(failure);
      return;
    }
    for (const { mark, seq, settled } of group) {
      mark.durableSeq = seq;
      settled.resolve();
    }
    for (const pending of group) this.#handOn(pending);
    await this.#encode.room();
  }

  #takeGroup(): readonly Pending[] {
    let count = 0;
    for (let bytes = 0; count < this.#queue.length && bytes < GROUP_BYTES_MAX; count++) {
      bytes += this.#queue[count]?.tables.length ?? 0;
    }
    return this.#queue.splice(0, count);
  }

  #handOn({ edge, decoded, tables }: Pending): void {
    const generation = this.#generation;
    this.#encode.add(tables.length, async () => {
      this.#options.onBatch?.(edge, decoded);
      await generation.append(edge, decoded);
    });
  }

  /** Creates the next journal before the parts of the present one are completed. */
  async #rotate(): Promise<void> {
    const [journal, generation] = [this.#journal, this.#generation];
    this.#generation = new PartGeneration(this.#place, generation.number + 1);
    await this.#beginJournal();
    if (journal === undefined) return;
    await journal.close();
    this.#encode.add(0, async () => {
      await generation.finish();
      await this.#options.disk.remove(join(this.#options.directory, journalName(journal.number)));
    });
  }

  async #beginJournal(): Promise<void> {
    const marks = this.#marks.durable.map(({ edge, durableSeq }) => ({ edge, seq: durableSeq }));
    this.#journal = await JournalWriter.create(this.#options, this.#generation.number, marks);
  }

  /** Requires an empty queue. Without a journal the run is already sealed. */
  async #complete(rows: readonly FinalRows[]): Promise<void> {
    const { disk, directory } = this.#options;
    const journal = this.#journal;
    if (journal === undefined) return;
    this.#journal = undefined;
    await journal.close();
    for (const { edge, batches } of rows) await this.#generation.append(edge, batches);
    const present = new Set((await completeParts(disk, directory)).map(({ table }) => table));
    for (const table of TABLE_NAMES) if (!present.has(table)) await this.#generation.begin(table);
    await this.#generation.finish();
    await disk.remove(join(directory, journalName(journal.number)));
    await disk.syncDirectory(directory);
  }

  #fail(error: unknown): Error {
    const failure = (this.#failure ??= writeFailure(error));
    for (const { settled } of this.#queue.splice(0)) settled.reject(failure);
    return failure;
  }
}

/** The journal format limits the length of both ids. */
function assertIdentity({ edgeId, instanceId }: EdgeInstance): void {
  if (Math.max(Buffer.byteLength(edgeId), Buffer.byteLength(instanceId)) <= IDENTITY_BYTES_MAX) return;
  throw new DomainError('WIRE_FORMAT', `expected ids of at most ${IDENTITY_BYTES_MAX} bytes`);
}

/** The directory name of a run is the run id. */
function placeOf(options: TelemetryWriterOptions): PartPlace {
  const { disk, directory, compression = 'snappy', pageRows, rowGroupRows } = options;
  return { disk, directory, runId: basename(directory), compression, pageRows, rowGroupRows };
}

/** Converts disk errors to domain errors; returns other errors unchanged. */
function writeFailure(error: unknown): Error {
  if (isFullDisk(error)) {
    return new DomainError('NO_DISK_SPACE', 'expected room for telemetry, the disk is full', {
      cause: error,
    });
  }
  if (!(error instanceof DiskError)) return error instanceof Error ? error : new Error(String(error));
  const message = `expected to write telemetry, ${error.operation} failed with ${error.code}`;
  return new DomainError('STORE_UNAVAILABLE', message, { cause: error });
}
