/**
 * The only way to change the graph: a plan becomes one storage batch, then it is applied to memory, and
 * readers see it when the batch is on disk.
 *
 * Invariants:
 * 1. A plan that throws has changed nothing; a batch rejected by the log is not applied.
 * 2. Batches are applied one at a time, in the order of their sequence numbers.
 * 3. Only durable and completely applied batches are published.
 *
 * If other processes write to the same store, a writer plans in this process's turn, after all earlier
 * batches of others are in memory. A batch that the store could not keep is dropped from memory, together
 * with the later ones, and planned again.
 */
import type { MemoryGraph } from '#graph/memory';
import { BatchDropped, type BatchWriter, type ForeignBatch, type Store } from '#graph/storage';
import { type AuditedChange, currentActor } from '#platform/audit';
import { type Clock, DomainError } from '#platform/foundation';
import { traced, tracedSteps } from '#platform/observability';
import type { History } from '../history/history.ts';
import { ChangePlan, countsOf, writtenIds } from '../plan/change-plan.ts';
import type { PlanGround } from '../plan/request-planner.ts';
import { AUTHOR_KEY, RECORD_KIND } from '../record/record-key.ts';
import { noteSeen } from '../seq/seen-seq.ts';
import { Publications } from '../seq/publications.ts';
import { notCaughtUp, type SeqPoint, SeqWaiters } from '../seq/seq-position.ts';
import { SeqProgress } from '../seq/seq-progress.ts';
import type { SourceTable } from '../source/source-table.ts';
import { ForeignBatches, type RecordListener, type TakenOver } from './foreign-batches.ts';
import { applyPlan } from './plan-application.ts';
import { RecentWrites } from './recent-writes.ts';
import type { ChangeAudit } from './graph-options.ts';
import { LogLook } from './log-look.ts';
import { PlanEncoder } from './plan-encoder.ts';
import type { Preparation, Prepared } from './prepared.ts';
import { WriterQueue } from './writer-queue.ts';

export interface GraphStoreOptions {
  readonly storage: Store;
  readonly memory: MemoryGraph;
  readonly sources: SourceTable;
  readonly clock: Clock;
  readonly retentionMs: number;
  readonly audit?: ChangeAudit | undefined;
  readonly history: History;
}

/** A process further behind does not serve reads. */
const BEHIND_MS_MAX = 10_000;

/** `check` runs in the turn of the records, and may reject them by throwing. */
type RecordOptions = Pick<Prepared<unknown>, 'target'> & { readonly check?: () => void };

interface Committed<Reply> {
  readonly reply: Reply;
  /** The point of its batch; without a batch, of the last one before it. */
  readonly seen: SeqPoint;
  readonly durable: Promise<void>;
}

export class GraphStore {
  readonly storage: Store;
  readonly retentionMs: number;
  readonly history: History;
  memory: MemoryGraph;
  sources: SourceTable;
  /** Another one for another history. */
  recent: RecentWrites;
  readonly #foreign = new ForeignBatches();
  #isReloading = false;
  /** Sequence numbers of unpublished batches, oldest first. */
  #undos: { readonly seq: number; readonly undo: () => void }[] = [];
  readonly waiters = new SeqWaiters(() => this.#progress.published);
  readonly publications = new Publications();
  readonly look = new LogLook(this);
  readonly #clock: Clock;
  readonly #encoder: PlanEncoder;
  readonly #audit: ChangeAudit | undefined;
  readonly #queue: WriterQueue;
  #beforePublish: () => Promise<void> = () => Promise.resolve();
  #lastMs = 0;
  #progress: SeqProgress;
  #durable: Promise<void> = Promise.resolve();
  #failure: string | undefined;
  #recordsApplied = 0;

  constructor(options: GraphStoreOptions) {
    this.storage = options.storage;
    this.memory = options.memory;
    this.sources = options.sources;
    this.retentionMs = options.retentionMs;
    this.history = options.history;
    this.#foreign.on(RECORD_KIND.history, this.history.foreign);
    this.#clock = options.clock;
    this.#audit = options.audit;
    this.#encoder = new PlanEncoder(options.retentionMs);
    const { shared } = options.storage;
    const door = shared && {
      patienceMs: shared.patienceMs,
      late: () => shared.late(),
      admit: (sinceMs: number) => shared.admit(sinceMs),
      enter: async (sinceMs: number) => {
        const isBegun = await shared.turn(this.#takeOver, sinceMs);
        // Also what was only read; after another history has begun, not before all of it is.
        if (isBegun || !this.#isReloading) await this.#publishForeign();
        return isBegun;
      },
      leave: () => {
        shared.endTurn();
      },
    };
    this.#queue = new WriterQueue(() => this.memory.holdStill(), door);
    this.recent = new RecentWrites(options.storage.seq);
    this.#progress = new SeqProgress(options.storage.seq);
  }

  get epoch(): string {
    return this.storage.epoch;
  }

  /** The reason why writes are rejected; undefined while they are possible. */
  get failure(): string | undefined {
    return this.#failure ?? this.storage.poisoned?.message;
  }

  /** Throws NO_DISK_SPACE or STORE_UNAVAILABLE after a {@link failure}. */
  assertWritable(): void {
    if (this.#failure !== undefined) throw new DomainError('STORE_UNAVAILABLE', this.#failure);
    if (this.storage.poisoned !== undefined) throw this.storage.poisoned;
  }

  get publishedSeq(): number {
    return this.#progress.published;
  }

  /** Sequence number of the last change of the published graph; later batches only had other records. */
  get changedSeq(): number {
    return this.#progress.changed;
  }

  /** Sequence number of the next plan: nothing else is appended during planning. */
  get nextSeq(): number {
    return this.storage.seq + 1;
  }

  /** Number of records applied since the store was opened. */
  get recordsApplied(): number {
    return this.#recordsApplied;
  }

  /** Milliseconds since the epoch; never decreases, even if the clocks of this or other machines do. */
  nowMs(): number {
    this.#lastMs = Math.max(this.#lastMs, this.storage.shared?.lastMs ?? 0, this.#clock.nowMs());
    return this.#lastMs;
  }

  /**
   * Runs `prepare` in this writer's turn, commits its result, and resolves when that is durable; small work
   * is done before it returns. If `known` finds a stored reply in the turn, nothing is prepared.
   */
  async run<Reply>(
    prepare: () => Preparation<Reply>,
    known?: () => Promise<Reply | undefined>,
  ): Promise<Reply> {
    const { shared } = this.storage;
    // Only a writer of a shared store is answered within a bounded time.
    const sinceMs = shared === undefined ? 0 : performance.now();
    const options = { sinceMs, known: known && (() => this.#committedBefore(known)) };
    for (;;) {
      const { reply, seen, durable } = await this.#queue.run(() => this.#commit(prepare), options);
      try {
        await traced('ingest.sync', () => shared?.answer(durable, sinceMs) ?? durable);
        noteSeen(seen.epoch, seen.seq);
        return reply;
      } catch (error) {
        if (!(error instanceof BatchDropped)) throw error;
      }
    }
  }

  /** Calls `listener` for records of this kind that other processes write. */
  onForeign(kind: number, listener: RecordListener): void {
    this.#foreign.on(kind, listener);
  }

  /** Runs `work` before a writer builds upon the writes of other processes. It may read, but not write. */
  beforePublish(work: () => Promise<void>): void {
    this.#beforePublish = work;
  }

  /** Resolves when all batches that other processes have acknowledged, or published, are applied here. */
  async catchUp(upTo: 'published' | 'acknowledged' = 'acknowledged'): Promise<void> {
    const { shared } = this.storage;
    if (shared === undefined) return;
    await this.#queue.aloneOnce(upTo, async () => {
      await shared.catchUp(this.#takeOver, upTo);
      await this.#publishForeign();
    });
  }

  /** Continues with the reloaded store, as of its last batch. Requires the turn. */
  replace({ memory, sources }: PlanGround): void {
    this.memory = memory;
    this.sources = sources;
    this.recent = new RecentWrites(this.storage.seq);
    this.#progress = new SeqProgress(this.storage.seq);
    this.#undos = [];
    this.#isReloading = true;
    this.publications.note();
  }

  /** False from a reload until the rest of the log is read: the graph is empty, or old. */
  get isLoaded(): boolean {
    return !this.#isReloading;
  }

  /** Why this process cannot serve reads; undefined if it can, also without contact to other processes. */
  get unready(): string | undefined {
    const { shared } = this.storage;
    if (shared === undefined) return undefined;
    if (!this.isLoaded || !shared.isFollowing) return 'another history of the store is being read';
    const { behindMs } = shared.position();
    if (behindMs <= BEHIND_MS_MAX) return undefined;
    return `this node is ${String(Math.round(behindMs))} ms behind what is published`;
  }

  /** Throws NOT_CAUGHT_UP unless it {@link isLoaded}. */
  requireLoaded(): void {
    if (this.isLoaded) return;
    throw notCaughtUp(this.storage.shared?.position().published ?? 0, this.publishedSeq);
  }

  /** Drops applied batches after a number, all of them unpublished. */
  discard(seq: number): void {
    if (seq >= this.#progress.applied) return;
    const dropped = this.#undos.filter((each) => each.seq > seq);
    for (const { undo } of dropped.reverse()) undo();
    this.#undos = this.#undos.filter((each) => each.seq <= seq);
    this.memory.discard(seq);
    this.sources.discard(seq);
    this.recent.discard(seq);
    this.#progress.discard(seq);
  }

  /** Commits records that are not part of the graph. */
  record(write: (batch: BatchWriter) => void, { check, target }: RecordOptions = {}): Promise<void> {
    return this.run(() => {
      check?.();
      return { reply: undefined, record: write, target };
    });
  }

  /** Runs `work`, which must not write, while no writer appends. */
  readonly alone = <T>(work: () => Promise<T>): Promise<T> => this.#queue.alone(work);

  /** Resolves when everything that was applied can be read, or has failed. */
  async settled(): Promise<void> {
    await this.#durable.catch(() => undefined);
  }

  /** Resolves when all writes so far are durable or have failed. */
  async drain(): Promise<void> {
    await this.alone(() => Promise.resolve());
    await this.settled();
  }

  async #committedBefore<Reply>(
    known: () => Promise<Reply | undefined>,
  ): Promise<Committed<Reply> | undefined> {
    const reply = await known();
    return reply === undefined ? undefined : { reply, seen: this.#applied(), durable: this.#settled() };
  }

  *#commit<Reply>(prepare: () => Preparation<Reply>): Generator<undefined, Committed<Reply>> {
    this.assertWritable();
    const preparation = prepare();
    const prepared =
      Symbol.iterator in preparation ? yield* tracedSteps('ingest.plan', preparation) : preparation;
    const { reply, plan = new ChangePlan(), record } = prepared;
    if (plan.isEmpty && record === undefined)
      return { reply, seen: this.#applied(), durable: this.#settled() };
    const durable = yield* tracedSteps('ingest.log', this.#log(plan, prepared));
    return { reply, seen: this.#applied(), durable };
  }

  /** Of all applied batches: the last append may fail, or its outcome be unknown for a time. */
  #settled(): Promise<void> {
    if (this.#progress.isPublished) return Promise.resolve();
    const { shared } = this.storage;
    if (shared !== undefined) this.#publishWhen(shared.settled);
    return this.#durable;
  }

  #applied(): SeqPoint {
    return { epoch: this.epoch, seq: this.#progress.applied };
  }

  *#log(plan: ChangePlan, prepared: Prepared<unknown>): Generator<undefined, Promise<void>> {
    const { record, undo, target } = prepared;
    const batch = this.storage.batch();
    const actor = currentActor();
    const who = actor.isNamed && target !== undefined ? actor.who : undefined;
    if (who !== undefined) batch.put(AUTHOR_KEY, Buffer.from(who, 'utf8'));
    const atMs = this.nowMs();
    const former = this.history.begin(plan, this.memory, { batch, seq: this.nextSeq, atMs, who });
    yield* this.#encoder.encode(plan, batch, former);
    record?.(batch);
    this.history.end(batch);
    const change = this.#audited(prepared, plan);
    const { seq, durable } = this.storage.append(batch, atMs);
    if (change !== undefined) durable.catch(() => this.#audit?.failed(change));
    if (undo !== undefined && this.storage.shared !== undefined) this.#undos.push({ seq, undo });
    yield* this.#apply(plan, seq);
    this.#publishWhen(durable);
    return durable;
  }

  /** Writes the event of a change. Throws STORE_UNAVAILABLE if that fails: nothing is changed then. */
  #audited({ target, undo }: Prepared<unknown>, plan: ChangePlan): AuditedChange | undefined {
    if (this.#audit === undefined || target === undefined) return undefined;
    const change = { target, counts: countsOf(plan), seq: this.nextSeq };
    try {
      this.#audit.change(change);
    } catch (error) {
      undo?.();
      throw error;
    }
    return change;
  }

  /** A plan in the log but not in memory would invalidate every later plan: no write may follow it. */
  *#apply(plan: ChangePlan, seq: number): Generator<undefined, void> {
    try {
      yield* applyPlan(this, plan, seq);
      this.#progress.apply(seq, { isChange: !plan.isEmpty });
      this.recent.note(seq, () => writtenIds(plan));
      this.#recordsApplied += plan.entities.size + plan.relationships.size;
    } catch (error) {
      this.#failure = 'a logged change could not be taken over into memory; a restart recovers';
      throw error;
    }
  }

  /** Requires the turn. */
  readonly #takeOver = async (batches: readonly ForeignBatch[]): Promise<void> => {
    for (const batch of batches) {
      if (batch.seq <= this.#progress.applied) continue;
      const { records, written } = await this.#applyForeign(batch);
      this.history.tookOver(batch.seq, batch.atMs);
      this.recent.note(batch.seq, () => written);
      this.#recordsApplied += records;
      this.#lastMs = Math.max(this.#lastMs, batch.atMs);
      this.#progress.apply(batch.seq, { isChange: records > 0 });
    }
  };

  /** A batch that cannot be applied completely is dropped. */
  async #applyForeign(batch: ForeignBatch): Promise<TakenOver> {
    try {
      return await this.#queue.inSlices(this.#foreign.takeOver(this, batch));
    } catch (error) {
      this.memory.discard(this.#progress.applied);
      this.sources.discard(this.#progress.applied);
      throw error;
    }
  }

  /** One listener for each group commit; every writer receives a rejection through its own promise. */
  #publishWhen(durable: Promise<void>): void {
    if (durable === this.#durable && this.#progress.applied > this.storage.durableSeq) return;
    this.#durable = durable;
    durable.then(
      () => this.#publish(),
      () => undefined,
    );
  }

  async #publishForeign(): Promise<void> {
    // What is decided in the turn depends on them, although they may not be published yet.
    if (!this.#progress.isPublished) await this.#beforePublish();
    this.#publish();
    this.#isReloading = false;
  }

  #publish(): void {
    if (!this.#progress.publish(this.storage.durableSeq)) return;
    const seq = this.#progress.published;
    if (this.#undos.length > 0) this.#undos = this.#undos.filter((each) => each.seq > seq);
    this.memory.publish(seq);
    this.sources.publish(seq);
    this.recent.publish(seq);
    this.waiters.published(seq);
    this.publications.note();
  }
}
