/**
 * Group commit. While one frame is written and synced, arriving batches are copied one after another into the
 * next frame; after the sync, that frame is the next durable write. All batches of a frame share one promise.
 *
 * The write of an eager batch (`EAGER_BATCH_BYTES` or more) starts before `append` returns; the memtable is
 * updated meanwhile. Smaller batches wait for the end of the event loop turn, so that writers resumed by the
 * same commit share a frame.
 *
 * The memtable points to the bytes of the frame: they are written once and never move. The buffer of an eager
 * batch that shares its frame with no other is the frame itself. Once the frame is durable, the buffer is
 * reused, and the memtable reads the bytes back from the log if needed: the first touch of memory by a
 * process costs more than all other work on those bytes (ADR 0234).
 *
 * A failed write or sync poisons the store: the state on disk is unknown, so nothing is retried and all
 * further batches are rejected.
 */
import type { DomainError } from '#platform/foundation';
import { ARENA_CHUNK_BYTES, EAGER_BATCH_BYTES, LARGE_BATCH_BYTES } from '../store/limits.ts';
import type { Appended } from '../store/storage.port.ts';
import { poisonedStore } from '../store/store-error.ts';
import type { BatchRange, Memtable } from '../memtable/memtable.ts';
import { BatchBuilder } from '../wal/batch-builder.ts';
import { BATCH_HEADER_BYTES, FRAME_HEADER_BYTES } from '../wal/frame.ts';
import type { FramePlace, LogFiles } from './log-files.ts';
import type { LogGeneration, LogGenerations } from './log-generations.ts';

/** Time for indexing records while the disk writes a frame: about the duration of a sync. */
const INDEX_SLICE_MS = 0.25;

/** Number of builders kept for reuse. */
const SPARE_BUILDERS_MAX = 4;

/** A batch whose own buffer is a frame, and its range in the memtable. */
interface LoneBatch {
  readonly batch: BatchBuilder;
  readonly memtable: Memtable;
  readonly range: BatchRange;
}

/** A future frame; batches join it while it is the last of the queue. */
interface Group {
  readonly chunk: Uint8Array;
  readonly start: number;
  end: number;
  readonly firstSeq: number;
  batches: number;
  /** Whether it holds an eager batch, and is written at once. */
  isEager: boolean;
  lone: LoneBatch | undefined;
  /** Set when the frame starts a new log file, which belongs to this generation. */
  readonly opens: LogGeneration | undefined;
  readonly settled: PromiseWithResolvers<void>;
}

export interface GroupCommitOptions {
  readonly log: LogFiles;
  readonly generations: LogGenerations;
  /** The last batch on disk. */
  readonly seq: number;
  readonly walFileBytes: number;
  /** How long a frame of small batches waits for others; 0: until the end of the event loop turn. */
  readonly gatherMs: number;
  readonly onCommit: ((batches: number, bytes: number) => void) | undefined;
  readonly onPoison: (failure: DomainError) => void;
}

export class GroupCommit {
  readonly #options: GroupCommitOptions;
  readonly #generations: LogGenerations;
  /** The generation of the file that frames are written to: the active one, or an older one. */
  #writing: LogGeneration;
  #seq: number;
  #durableSeq: number;
  #poisoned: DomainError | undefined;
  readonly #queue: Group[] = [];
  /** The last group of the queue, while it accepts batches. */
  #open: Group | undefined;
  #chunk = new Uint8Array(0);
  #chunkEnd = 0;
  /** The frame being written, until its promise settles. */
  #inFlight: Promise<void> | undefined;
  /** Ends the wait of the next frame for other batches. */
  #gathering: (() => void) | undefined;
  readonly #spareBuilders: BatchBuilder[] = [];
  appends = 0;
  syncs = 0;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
    this.#generations = options.generations;
    this.#writing = options.generations.active;
    this.#seq = options.seq;
    this.#durableSeq = options.seq;
  }

  get seq(): number {
    return this.#seq;
  }

  get durableSeq(): number {
    return this.#durableSeq;
  }

  get poisoned(): DomainError | undefined {
    return this.#poisoned;
  }

  /** Throws unless batches are accepted. */
  assertAccepting(): void {
    if (this.#poisoned !== undefined) throw this.#poisoned;
  }

  /** The log file that frames are written to, and the end of its synced frames. */
  get position(): { readonly number: number; readonly end: number } {
    const { header, end } = this.#options.log.current;
    return { number: header.number, end };
  }

  batch(): BatchBuilder {
    return this.#spareBuilders.pop() ?? new BatchBuilder();
  }

  append(batch: BatchBuilder): Appended {
    this.assertAccepting();
    const seq = this.#seq + 1;
    const isLone = this.#isLone(batch.byteLength);
    const group = isLone ? this.#beginLone(batch, seq) : this.#join(batch, seq);
    group.batches++;
    group.isEager ||= batch.byteLength >= EAGER_BATCH_BYTES;
    this.#seq = seq;
    this.appends++;
    const start = group.end - batch.byteLength + BATCH_HEADER_BYTES;
    const { active } = this.#generations;
    const { memtable } = active;
    const range = memtable.add(group.chunk, start, group.end, seq);
    active.walBytes += batch.byteLength;
    if (isLone) group.lone = { batch, memtable, range };
    else this.#reuse(batch);
    this.#wake();
    return { seq, durable: group.settled.promise };
  }

  /** Ends the active generation, unless it is empty; resolves when its files are complete. */
  async rotate(): Promise<void> {
    this.assertAccepting();
    if (this.#generations.active.memtable.lastSeq === 0) return;
    const group = this.#begin(new Uint8Array(0), 0, this.#seq + 1, this.#generations.freeze());
    this.#open = undefined;
    this.#wake();
    await group.settled.promise;
  }

  /** Resolves when nothing is queued. */
  async drained(): Promise<void> {
    while (this.#queue.length > 0 || this.#inFlight !== undefined || this.#gathering !== undefined) {
      this.#gathering?.();
      await (this.#inFlight ?? new Promise(setImmediate));
    }
  }

  /** Call only with an empty queue and no further appends. */
  closeLog(): Promise<void> {
    return this.#options.log.close(this.#poisoned === undefined);
  }

  /** Rejects all queued and all later batches. */
  poison(cause: unknown): void {
    if (this.#poisoned !== undefined) return;
    this.#poisoned = poisonedStore(cause);
    this.#open = undefined;
    for (const group of this.#queue.splice(0)) group.settled.reject(this.#poisoned);
    this.#options.onPoison(this.#poisoned);
  }

  /** Whether a batch gets its own frame: a large one, or an eager one with no frame before it. */
  #isLone(bytes: number): boolean {
    const isNext = this.#queue.length === 0 && this.#inFlight === undefined;
    return bytes >= LARGE_BATCH_BYTES || (bytes >= EAGER_BATCH_BYTES && isNext);
  }

  #reuse(batch: BatchBuilder): void {
    if (batch.byteLength >= LARGE_BATCH_BYTES || this.#spareBuilders.length >= SPARE_BUILDERS_MAX) return;
    batch.reset();
    this.#spareBuilders.push(batch);
  }

  /** The frame is durable: the memtable can release its bytes, unless their indexing has begun. */
  #leaveToLog({ batch, memtable, range }: LoneBatch, place: FramePlace): void {
    if (memtable.leaveToLog(range, () => this.#options.log.read(place))) this.#reuse(batch);
  }

  /** Copies a batch into the open group, or into a new one. */
  #join(batch: BatchBuilder, seq: number): Group {
    const bytes = batch.encoded();
    let group = this.#open;
    if (group === undefined || group.chunk.length - group.end < bytes.length) {
      group = this.#beginSmall(bytes.length, seq);
    }
    group.chunk.set(bytes, group.end);
    group.end += bytes.length;
    this.#chunkEnd = group.end;
    return group;
  }

  #beginSmall(bytes: number, seq: number): Group {
    if (this.#chunk.length - this.#chunkEnd < FRAME_HEADER_BYTES + bytes) {
      this.#chunk = new Uint8Array(ARENA_CHUNK_BYTES);
      this.#chunkEnd = 0;
    }
    const group = this.#begin(this.#chunk, this.#chunkEnd, seq, this.#freezeIfFull());
    group.end = group.start + FRAME_HEADER_BYTES;
    this.#open = group;
    return group;
  }

  /** The batch's own buffer is the frame; nothing joins it. */
  #beginLone(batch: BatchBuilder, seq: number): Group {
    const frame = batch.intoFrame();
    const group = this.#begin(frame, 0, seq, this.#freezeIfFull());
    group.end = frame.length;
    this.#open = undefined;
    return group;
  }

  #begin(chunk: Uint8Array, start: number, firstSeq: number, opens: LogGeneration | undefined): Group {
    const settled: PromiseWithResolvers<void> = Promise.withResolvers();
    settled.promise.catch(() => undefined);
    const group: Group = {
      chunk,
      start,
      end: start,
      firstSeq,
      batches: 0,
      isEager: false,
      lone: undefined,
      opens,
      settled,
    };
    this.#queue.push(group);
    this.#generations.active.walBytes += FRAME_HEADER_BYTES;
    return group;
  }

  #freezeIfFull(): LogGeneration | undefined {
    return this.#isFull ? this.#generations.freeze() : undefined;
  }

  get #isFull(): boolean {
    const { walBytes, memtable } = this.#generations.active;
    return walBytes >= this.#options.walFileBytes && memtable.lastSeq > 0;
  }

  /** Begins the next frame now, or at the end of the event loop turn. */
  #wake(): void {
    if (this.#inFlight !== undefined) return;
    const [next] = this.#queue;
    if (next?.isEager === true) this.#beginNext();
    else if ((next !== undefined || this.#isFull) && this.#gathering === undefined) this.#gather();
  }

  #gather(): void {
    const { gatherMs } = this.#options;
    const begin = (): void => {
      clearTimeout(timer);
      clearImmediate(immediate);
      this.#gathering = undefined;
      this.#beginNext();
    };
    // Others do not grow.
    const isWaiting = gatherMs > 0 && this.#queue[0] === this.#open;
    const timer = isWaiting ? setTimeout(begin, gatherMs) : undefined;
    const immediate = isWaiting ? undefined : setImmediate(begin);
    this.#gathering = begin;
  }

  #beginNext(): void {
    if (this.#inFlight !== undefined || this.#poisoned !== undefined) return;
    if (this.#queue.length === 0) this.#endFullGeneration();
    const group = this.#nextGroup();
    if (group !== undefined) this.#inFlight = this.#settle(group);
  }

  /** The write of an eager next frame starts before the promise of this frame resolves. */
  async #settle(group: Group): Promise<void> {
    try {
      await this.#commit(group);
      this.#inFlight = undefined;
      this.#wake();
      group.settled.resolve();
    } catch (error) {
      this.#inFlight = undefined;
      group.settled.reject(poisonedStore(error));
      this.poison(error);
    }
  }

  /**
   * Freezes a full generation without waiting for the next batch, since it occupies memory until its flush.
   */
  #endFullGeneration(): void {
    const opens = this.#freezeIfFull();
    if (opens !== undefined) this.#begin(new Uint8Array(0), 0, this.#seq + 1, opens);
  }

  #nextGroup(): Group | undefined {
    const group = this.#queue.shift();
    if (group === this.#open) this.#open = undefined;
    return group;
  }

  async #commit(group: Group): Promise<void> {
    if (group.opens !== undefined) await this.#rotateTo(group.opens, group.firstSeq);
    if (group.batches === 0) return;
    const frame = group.chunk.subarray(group.start, group.end);
    const written = this.#options.log.write(frame, group.firstSeq, group.batches);
    // A bulk load is seldom read back, and the processor is busy with the in-memory graph: index later.
    if (!group.isEager) this.#generations.active.memtable.indexSome(INDEX_SLICE_MS);
    const place = await written;
    if (group.lone !== undefined) this.#leaveToLog(group.lone, place);
    this.syncs++;
    this.#durableSeq = group.firstSeq + group.batches - 1;
    this.#options.onCommit?.(group.batches, frame.length);
  }

  /** Completes the previous generation. */
  async #rotateTo(next: LogGeneration, firstSeq: number): Promise<void> {
    await this.#generations.room();
    await this.#options.log.rotate(next, firstSeq);
    const frozen = this.#writing;
    this.#writing = next;
    this.#generations.completed(frozen);
  }
}
