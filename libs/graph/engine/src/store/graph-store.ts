/**
 * The one way into the graph: a plan becomes one storage batch, then memory takes it over, and readers see it
 * when the batch is on disk.
 *
 * What holds at all times:
 * 1. A plan that throws has changed nothing; nothing is applied that the log refused.
 * 2. Batches are applied in the order of their sequence numbers, none while another is being applied.
 * 3. Only what is durable and wholly applied is published.
 */
import type { BatchWriter, Storage } from '#graph/storage';
import { type Clock, DomainError } from '#platform/foundation';
import { traced, tracedSteps } from '#platform/observability';
import type { MemoryGraph } from '../memory/memory-graph.ts';
import { ChangePlan } from '../plan/change-plan.ts';
import { noteSeen } from '../seq/seen-seq.ts';
import { SeqWaiters } from '../seq/seq-waiters.ts';
import type { SourceTable } from '../source/source-table.ts';
import { applyPlan } from './plan-application.ts';
import { PlanEncoder } from './plan-encoder.ts';
import { WriterQueue } from './writer-queue.ts';

/** What a request comes to, settled before anything is changed. */
export interface Prepared<Reply> {
  readonly reply: Reply;
  readonly plan?: ChangePlan | undefined;
  /** Other records that belong to the same batch. */
  readonly record?: ((batch: BatchWriter) => void) | undefined;
}

/** Settled at once, or in steps that let others run. */
export type Preparation<Reply> = Prepared<Reply> | Generator<undefined, Prepared<Reply>>;

export interface GraphStoreOptions {
  readonly storage: Storage;
  readonly memory: MemoryGraph;
  readonly sources: SourceTable;
  readonly clock: Clock;
  readonly retentionMs: number;
}

interface Committed<Reply> {
  readonly reply: Reply;
  /** Of its batch; of the last one before it when it has none. */
  readonly seq: number;
  readonly durable: Promise<void>;
}

export class GraphStore {
  readonly storage: Storage;
  readonly memory: MemoryGraph;
  readonly sources: SourceTable;
  readonly retentionMs: number;
  readonly waiters = new SeqWaiters(() => this.#publishedSeq);
  readonly #clock: Clock;
  readonly #encoder: PlanEncoder;
  readonly #queue: WriterQueue;
  #lastMs = 0;
  #appliedSeq: number;
  #publishedSeq: number;
  /** Of the last plan that was applied; documents and replies are none. */
  #changedSeq: number;
  #durable: Promise<void> = Promise.resolve();
  #failure: string | undefined;
  #recordsApplied = 0;

  constructor(options: GraphStoreOptions) {
    this.storage = options.storage;
    this.memory = options.memory;
    this.sources = options.sources;
    this.retentionMs = options.retentionMs;
    this.#clock = options.clock;
    this.#encoder = new PlanEncoder(options.retentionMs);
    this.#queue = new WriterQueue(() => options.memory.holdStill());
    this.#appliedSeq = options.storage.seq;
    this.#publishedSeq = options.storage.seq;
    this.#changedSeq = options.storage.seq;
  }

  /** Why nothing can be written any more; undefined when all is well. */
  get failure(): string | undefined {
    return this.#failure ?? this.storage.poisoned;
  }

  get publishedSeq(): number {
    return this.#publishedSeq;
  }

  /** At which the published graph last changed: what was written since is no part of it. */
  get changedSeq(): number {
    return Math.min(this.#changedSeq, this.#publishedSeq);
  }

  /** Of the next plan: nothing else is appended while a plan is made. */
  get nextSeq(): number {
    return this.storage.seq + 1;
  }

  /** Since open. */
  get recordsApplied(): number {
    return this.#recordsApplied;
  }

  /** Milliseconds since the epoch; never less than before, whatever the machine's clock does. */
  nowMs(): number {
    this.#lastMs = Math.max(this.#lastMs, this.#clock.nowMs());
    return this.#lastMs;
  }

  /**
   * Runs `prepare` when it is this writer's turn, commits what it gives, and resolves when that is durable.
   * Small work is done before this function returns.
   */
  async run<Reply>(prepare: () => Preparation<Reply>): Promise<Reply> {
    const { reply, seq, durable } = await this.#queue.run(() => this.#commit(prepare));
    await traced('ingest.sync', () => durable);
    noteSeen(seq);
    return reply;
  }

  /** Commits records that are no part of the graph itself. */
  record(write: (batch: BatchWriter) => void): Promise<void> {
    return this.run(() => ({ reply: undefined, record: write }));
  }

  /** Resolves when all writes so far are durable or have failed. */
  async drain(): Promise<void> {
    await this.#queue.run(function* () {
      yield;
    });
    await this.#durable.catch(() => undefined);
  }

  *#commit<Reply>(prepare: () => Preparation<Reply>): Generator<undefined, Committed<Reply>> {
    if (this.failure !== undefined) throw new DomainError('STORE_UNAVAILABLE', this.failure);
    const preparation = prepare();
    const prepared =
      Symbol.iterator in preparation ? yield* tracedSteps('ingest.plan', preparation) : preparation;
    const { reply, plan = new ChangePlan(), record } = prepared;
    if (plan.isEmpty && record === undefined) {
      return { reply, seq: this.#appliedSeq, durable: this.#durable };
    }
    const durable = yield* tracedSteps('ingest.log', this.#log(plan, record));
    return { reply, seq: this.#appliedSeq, durable };
  }

  *#log(plan: ChangePlan, record: Prepared<unknown>['record']): Generator<undefined, Promise<void>> {
    const batch = this.storage.batch();
    yield* this.#encoder.encode(plan, batch);
    record?.(batch);
    const { seq, durable } = this.storage.append(batch);
    yield* this.#apply(plan, seq);
    this.#publishWhen(durable);
    return durable;
  }

  /**
   * A plan that is in the log but not in memory would be a lie to every later plan: nothing may follow it.
   */
  *#apply(plan: ChangePlan, seq: number): Generator<undefined, void> {
    try {
      yield* applyPlan(this, plan, seq);
      this.#appliedSeq = seq;
      if (!plan.isEmpty) this.#changedSeq = seq;
      this.#recordsApplied += plan.entities.size + plan.relationships.size;
    } catch (error) {
      this.#failure = 'a logged change could not be taken over into memory; a restart recovers';
      throw error;
    }
  }

  /** One listener for each group commit; a rejection reaches every writer through its own wait. */
  #publishWhen(durable: Promise<void>): void {
    if (durable === this.#durable && this.#appliedSeq > this.storage.durableSeq) return;
    this.#durable = durable;
    durable.then(
      () => this.#publish(),
      () => undefined,
    );
  }

  #publish(): void {
    const seq = Math.min(this.storage.durableSeq, this.#appliedSeq);
    if (seq <= this.#publishedSeq) return;
    this.#publishedSeq = seq;
    this.memory.publish(seq);
    this.sources.publish(seq);
    this.waiters.published(seq);
  }
}
