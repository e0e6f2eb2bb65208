/**
 * The graph in memory: a sealed base, and what came since in a delta. One writer; any number of snapshots,
 * each pinned to the versions that were durable when it was taken.
 *
 * - The writer applies a batch at once and publishes it when it is durable; readers see what is published.
 * - Node and link numbers that the writer is given hold until its next `await`: a seal renumbers.
 * - A seal builds the next base on another thread; what came meanwhile is replayed onto it in slices, and the
 *   switch is one assignment. Snapshots keep the base and delta they were taken on.
 */
import { assert } from '#platform/foundation';
import { BufferBag } from './array/buffer-bag.ts';
import type { BaseMeta } from './base/base-meta.ts';
import { Base, emptyBase } from './base/base.ts';
import type { View } from './delta/view.ts';
import { GraphWriter } from './graph-writer.ts';
import { DeltaSchema } from './schema/delta-schema.ts';
import type { GraphSchema } from './schema/graph-schema.ts';
import { Replay } from './seal/replay.ts';
import { type RunSeal, sealInWorker } from './seal/run-seal.ts';
import { copySealInput, type SealInput, type SealPoint } from './seal/seal-input.ts';
import { SealSchedule } from './seal/seal-schedule.ts';
import { collectSchema } from './snapshot/collect-schema.ts';
import { GraphSnapshot } from './snapshot/graph-snapshot.ts';
import { Selector } from './snapshot/selector.ts';

export interface MemoryGraphOptions {
  /** How long tombstones stay when the base is rebuilt. Default 30 days. */
  readonly retentionMs?: number;
  /** Default `Date.now`. */
  readonly nowMs?: () => number;
  /**
   * Seals by itself when the delta is large, or idle for this long. Default 1,000; 0 never seals by itself.
   */
  readonly sealIdleMs?: number;
  readonly onSealed?: (facts: SealFacts) => void;
  /** A failed seal changes nothing; the next one tries again. */
  readonly onSealFailed?: (error: unknown) => void;
  /** How a base is built; default on a worker thread. */
  readonly runSeal?: RunSeal;
}

export interface SealFacts {
  readonly seq: number;
  readonly tookMs: number;
  readonly entities: number;
  readonly relationships: number;
}

export interface MemoryGraphStats {
  /** Live at the writer's view. */
  readonly entities: number;
  readonly relationships: number;
  readonly typeCounts: ReadonlyMap<string, number>;
  readonly classCounts: ReadonlyMap<string, number>;
  /** By upper-case verb. */
  readonly verbCounts: ReadonlyMap<string, number>;
  /** Of the base, and of the delta's texts. */
  readonly bytes: number;
  readonly deltaVersions: number;
  /** Number of seals. */
  readonly epoch: number;
  readonly openSnapshots: number;
}

const RETENTION_MS = 30 * 24 * 3_600_000;
const SEAL_IDLE_MS = 1_000;
const SLICE_MS = 6;
/**
 * While a seal's replay runs, each write pays for this many replayed versions: so it catches up, however many
 * come.
 */
const REPLAYED_PER_WRITE = 3;

export class MemoryGraph extends GraphWriter {
  readonly #options: MemoryGraphOptions;
  readonly #schedule: SealSchedule;
  #publishedSeq: number;
  #nodeLimit = 0;
  #linkLimit = 0;
  #schema: DeltaSchema;
  #selectors = new Map<boolean, { readonly view: View; readonly selector: Selector }>();
  #sealing: Promise<void> | undefined;
  #replay: Replay | undefined;
  /** Begins the replay of the seal that runs. */
  #newReplay: (() => Replay) | undefined;
  #epoch = 0;
  #openSnapshots = 0;
  /** Writers that count on the numbers they were given. */
  #holds = 0;
  #isClosed = false;

  private constructor(base: Base, options: MemoryGraphOptions) {
    super(base);
    this.#options = options;
    this.#publishedSeq = base.seq;
    this.#schema = new DeltaSchema(this.delta);
    this.#schedule = new SealSchedule(
      options.sealIdleMs ?? SEAL_IDLE_MS,
      () => void this.seal().catch(this.#onSealFailed),
    );
  }

  static create(options: MemoryGraphOptions = {}): MemoryGraph {
    return new MemoryGraph(emptyBase(), options);
  }

  /** Throws when the image is of another format or damaged: the caller rebuilds from records. */
  static fromImage(seq: number, parts: readonly Uint8Array[], options: MemoryGraphOptions = {}): MemoryGraph {
    return new MemoryGraph(baseOf(seq, parts), options);
  }

  get publishedSeq(): number {
    return this.#publishedSeq;
  }

  /** Readers may see what was written up to `seq`. */
  publish(seq: number): void {
    if (seq < this.#publishedSeq) return;
    const before = this.#nodeLimit + this.#linkLimit;
    this.#publishedSeq = seq;
    this.#nodeLimit = this.delta.nodes.bornUpTo(seq, this.#nodeLimit);
    this.#linkLimit = this.delta.links.bornUpTo(seq, this.#linkLimit);
    this.#selectors.clear();
    this.#replay?.advance((this.#nodeLimit + this.#linkLimit - before) * REPLAYED_PER_WRITE);
    if (!this.#isClosed && this.#sealing === undefined) {
      this.#schedule.published(this.#nodeLimit + this.#linkLimit, this.base.nodeCount + this.base.linkCount);
    }
  }

  /**
   * Drops what was written after `seq`, which is not published: as if it had never come. Numbers of nodes and
   * links that were there before stay.
   */
  discard(seq: number): void {
    assert(seq >= this.#publishedSeq, 'what is published is not discarded');
    const { nodes, links } = this.delta;
    const nodeLimit = nodes.bornUpTo(seq, this.#nodeLimit);
    const linkLimit = links.bornUpTo(seq, this.#linkLimit);
    if (nodeLimit === nodes.count && linkLimit === links.count) return;
    this.dropAfter({ nodeLimit, linkLimit });
    this.#schema = new DeltaSchema(this.delta);
    this.#selectors.clear();
    this.#replay = this.#newReplay?.();
  }

  /** The graph as published now; with the deleted records that are still kept, if asked. */
  snapshot({ includeDeleted = false }: { readonly includeDeleted?: boolean } = {}): GraphSnapshot {
    this.#openSnapshots++;
    const onRelease = (): void => {
      this.#openSnapshots--;
    };
    const parts = this.#published(includeDeleted);
    return new GraphSnapshot({
      ...parts,
      seq: this.#publishedSeq,
      schema: this.#schema,
      includeDeleted,
      deletedSinceMs: includeDeleted ? this.#keptSinceMs() : 0,
      onRelease,
    });
  }

  /**
   * Until the function it gives is called, no seal swaps the base, though it may be built: node and link
   * numbers stay valid for a writer whose plan spans several turns of the event loop.
   */
  holdStill(): () => void {
    this.#holds++;
    let isHeld = true;
    return () => {
      if (isHeld) this.#holds--;
      isHeld = false;
    };
  }

  /**
   * Builds the next base, off this thread, of all that is published. Rejects, nothing changed, when that
   * fails.
   */
  seal(): Promise<void> {
    if (this.#nodeLimit + this.#linkLimit === 0) return this.#sealing ?? Promise.resolve();
    this.#sealing ??= this.#seal().finally(() => {
      this.#sealing = undefined;
    });
    return this.#sealing;
  }

  /** Settles, whatever came of it, when no seal is running. */
  async whenIdle(): Promise<void> {
    while (this.#sealing !== undefined) await this.#sealing.catch(() => undefined);
  }

  /** The base as bytes, with the sequence number it stands for; later records are not in it. */
  exportImage(): { readonly seq: number; readonly parts: readonly ImageBytes[] } {
    return { seq: this.base.seq, parts: imageOf(this.base) };
  }

  stats(): MemoryGraphStats {
    const { entities, relationships, types, classes, verbs } = this.counts;
    return {
      entities,
      relationships,
      typeCounts: types,
      classCounts: classes,
      verbCounts: verbs,
      bytes: this.base.bag.byteLength + this.delta.arena.byteLength,
      deltaVersions: this.delta.versionCount,
      epoch: this.#epoch,
      openSnapshots: this.#openSnapshots,
    };
  }

  /** What the published, live data consists of. */
  schema(): GraphSchema {
    const { view, selector } = this.#published(false);
    return collectSchema(view, selector, this.counts);
  }

  /** Waits for a running seal; seals no more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#schedule.stop();
    await this.whenIdle();
  }

  /** Shared by all snapshots until the next publication. */
  #published(includeDeleted: boolean): { readonly view: View; readonly selector: Selector } {
    let known = this.#selectors.get(includeDeleted);
    if (known === undefined) {
      const view = this.viewOf({ nodes: this.#nodeLimit, links: this.#linkLimit });
      known = { view, selector: new Selector(view, includeDeleted) };
      this.#selectors.set(includeDeleted, known);
    }
    return known;
  }

  /** What was deleted before is kept no more. */
  #keptSinceMs(): number {
    return (this.#options.nowMs ?? Date.now)() - (this.#options.retentionMs ?? RETENTION_MS);
  }

  async #seal(): Promise<void> {
    const startMs = performance.now();
    this.#schedule.stop();
    const point: SealPoint = {
      seq: this.#publishedSeq,
      purgeBeforeMs: this.#keptSinceMs(),
      nodeLimit: this.#nodeLimit,
      linkLimit: this.#linkLimit,
    };
    const output = await (this.#options.runSeal ?? sealInWorker)(await this.#sealInput(point));
    const base = new Base(output.meta, new BufferBag(output.buffers));
    this.#newReplay = () => new Replay(this.writerView, base, output, point);
    this.#replay = this.#newReplay();
    for (;;) {
      const sliceEndMs = performance.now() + SLICE_MS;
      const isCaughtUp = this.#replay.run(() => performance.now() > sliceEndMs);
      if (isCaughtUp && this.#holds === 0) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#switchTo(this.#replay);
    this.#replay = this.#newReplay = undefined;
    const facts = { seq: point.seq, entities: base.liveNodes, relationships: base.liveLinks };
    const tookMs = performance.now() - startMs;
    this.#schedule.sealed(tookMs);
    this.#options.onSealed?.({ ...facts, tookMs });
  }

  async #sealInput(point: SealPoint): Promise<SealInput> {
    const copying = copySealInput(this.delta, this.names, point);
    let sliceEndMs = performance.now() + SLICE_MS;
    for (;;) {
      const step = copying.next();
      if (step.done === true) return step.value;
      if (performance.now() < sliceEndMs) continue;
      await new Promise((resolve) => setImmediate(resolve));
      sliceEndMs = performance.now() + SLICE_MS;
    }
  }

  #switchTo({ delta }: Replay): void {
    this.changes.sealed(this.base.seq);
    this.replaceDelta(delta);
    this.#schema = new DeltaSchema(delta);
    this.#nodeLimit = delta.nodes.bornUpTo(this.#publishedSeq, 0);
    this.#linkLimit = delta.links.bornUpTo(this.#publishedSeq, 0);
    this.#selectors.clear();
    this.#epoch++;
  }

  readonly #onSealFailed = (error: unknown): void => {
    this.#options.onSealFailed?.(error);
  };
}

interface ImageBytes {
  readonly bytes: Uint8Array;
  /** Whether compressing pays: text, not numbers. */
  readonly compress: boolean;
}

/** A base as the parts of an image: first its description in JSON, then its buffers in their order. */
function imageOf({ meta, bag }: Base): ImageBytes[] {
  const texts = new Set(meta.linkArena);
  const description = { bytes: Buffer.from(JSON.stringify(meta), 'utf8'), compress: true };
  return [description, ...bag.buffers.map((bytes, part) => ({ bytes, compress: texts.has(part) }))];
}

/** Throws when the parts are no base of this format as of `seq`. */
function baseOf(seq: number, [description, ...buffers]: readonly Uint8Array[]): Base {
  if (description === undefined) throw new RangeError('an image has at least one part');
  const meta = JSON.parse(Buffer.from(description).toString('utf8')) as BaseMeta;
  if (meta.seq !== seq)
    throw new RangeError(`expected an image as of ${String(seq)}, got ${String(meta.seq)}`);
  return new Base(meta, new BufferBag(buffers));
}
