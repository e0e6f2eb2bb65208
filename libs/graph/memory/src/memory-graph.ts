/**
 * The graph in memory: a sealed base, and a delta with later writes. It has one writer and any number of
 * snapshots, each pinned to the versions that were durable when it was taken.
 *
 * - The writer applies a batch at once and publishes it when it is durable; readers see published batches.
 * - Node and link numbers are valid for the writer until its next `await`: a seal renumbers.
 * - A seal builds the next base on another thread; concurrent writes are replayed onto it in slices, and the
 *   switch is one assignment. Snapshots keep their base and delta.
 */
import { assert, type Steps } from '#platform/foundation';
import { BufferBag } from './array/buffer-bag.ts';
import type { BaseMeta } from './base/base-meta.ts';
import { Base, emptyBase } from './base/base.ts';
import type { View } from './delta/view.ts';
import { GraphWriter } from './graph-writer.ts';
import { MomentGraph } from './moment-graph.ts';
import { DeltaCounts } from './schema/delta-counts.ts';
import type { GraphSchema } from './schema/graph-schema.ts';
import { Replay } from './seal/replay.ts';
import { type RunSeal, sealInWorker } from './seal/run-seal.ts';
import { copySealInput, type SealInput, type SealPoint } from './seal/seal-input.ts';
import { SealSchedule } from './seal/seal-schedule.ts';
import { collectSchema } from './snapshot/collect-schema.ts';
import { GraphSnapshot } from './snapshot/graph-snapshot.ts';
import { Selector } from './snapshot/selector.ts';
import { SnapshotSchema } from './snapshot/snapshot-schema.ts';

export interface MemoryGraphOptions {
  /** Retention of tombstones when the base is rebuilt. Default 30 days. */
  readonly retentionMs?: number;
  /** Default `Date.now`. */
  readonly nowMs?: () => number;
  /**
   * Seals automatically when the delta is large, or idle for this long. Default 1,000; 0 disables it.
   */
  readonly sealIdleMs?: number;
  readonly onSealed?: (facts: SealFacts) => void;
  /** Called after a failed seal, which changes nothing; the next seal retries. */
  readonly onSealFailed?: (error: unknown) => void;
  /** Builds a base; default: on a worker thread. */
  readonly runSeal?: RunSeal;
}

export interface SealFacts {
  readonly seq: number;
  readonly tookMs: number;
  readonly entities: number;
  readonly relationships: number;
}

export interface MemoryGraphStats {
  /** Live in the writer's view. */
  readonly entities: number;
  readonly relationships: number;
  readonly typeCounts: ReadonlyMap<string, number>;
  readonly classCounts: ReadonlyMap<string, number>;
  readonly labelCounts: ReadonlyMap<string, number>;
  /** Number of relationships by upper-case verb. */
  readonly verbCounts: ReadonlyMap<string, number>;
  /** Bytes of the base and of the delta's texts. */
  readonly bytes: number;
  readonly deltaVersions: number;
  /** Number of seals so far. */
  readonly epoch: number;
  readonly openSnapshots: number;
}

const RETENTION_MS = 30 * 24 * 3_600_000;
const SEAL_IDLE_MS = 1_000;
const SLICE_MS = 6;
/**
 * During a seal's replay, each write also replays this many versions, so that the replay catches up at any
 * rate of writes.
 */
const REPLAYED_PER_WRITE = 3;

export class MemoryGraph extends GraphWriter {
  readonly #options: MemoryGraphOptions;
  readonly #schedule: SealSchedule;
  #publishedSeq: number;
  #nodeLimit = 0;
  #linkLimit = 0;
  #deltaCounts = new Map<boolean, DeltaCounts>();
  #selectors = new Map<boolean, { readonly view: View; readonly selector: Selector }>();
  #sealing: Promise<void> | undefined;
  #replay: Replay | undefined;
  /** Starts the replay of the running seal. */
  #newReplay: (() => Replay) | undefined;
  #epoch = 0;
  #openSnapshots = 0;
  /** Number of writers that need stable node and link numbers. */
  #holds = 0;
  #isClosed = false;

  private constructor(base: Base, options: MemoryGraphOptions) {
    super(base);
    this.#options = options;
    this.#publishedSeq = base.seq;
    this.#schedule = new SealSchedule(
      options.sealIdleMs ?? SEAL_IDLE_MS,
      () => void this.seal().catch(this.#onSealFailed),
    );
  }

  static create(options: MemoryGraphOptions = {}): MemoryGraph {
    return new MemoryGraph(emptyBase(), options);
  }

  /** Throws if the image is damaged or has another format: the caller rebuilds from records. */
  static fromImage(seq: number, parts: readonly Uint8Array[], options: MemoryGraphOptions = {}): MemoryGraph {
    return new MemoryGraph(baseOf(seq, parts), options);
  }

  get publishedSeq(): number {
    return this.#publishedSeq;
  }

  /** Makes writes up to `seq` visible to readers. */
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
   * Drops the writes after `seq`, which must be unpublished. Numbers of earlier nodes and links stay valid.
   */
  discard(seq: number): void {
    assert(seq >= this.#publishedSeq, 'what is published is not discarded');
    const { nodes, links } = this.delta;
    const nodeLimit = nodes.bornUpTo(seq, this.#nodeLimit);
    const linkLimit = links.bornUpTo(seq, this.#linkLimit);
    if (nodeLimit === nodes.count && linkLimit === links.count) return;
    this.dropAfter({ nodeLimit, linkLimit });
    this.#deltaCounts.clear();
    this.#selectors.clear();
    this.#replay = this.#newReplay?.();
  }

  /** The published graph; optionally with the deleted records within the retention. */
  snapshot({ includeDeleted = false }: { readonly includeDeleted?: boolean } = {}): GraphSnapshot {
    this.#openSnapshots++;
    const onRelease = (): void => {
      this.#openSnapshots--;
    };
    const parts = this.#published(includeDeleted);
    return new GraphSnapshot({
      ...parts,
      seq: this.#publishedSeq,
      changes: this.#countsOf(includeDeleted),
      includeDeleted,
      deletedSinceMs: includeDeleted ? this.keptSinceMs() : 0,
      onRelease,
    });
  }

  /** A copy of the published graph. */
  moment(): Steps<MomentGraph> {
    return MomentGraph.of(this.#published(false).view);
  }

  /** Records deleted before this time are beyond the retention. */
  keptSinceMs(): number {
    return (this.#options.nowMs ?? Date.now)() - (this.#options.retentionMs ?? RETENTION_MS);
  }

  /**
   * Prevents seals from swapping the base until the returned function is called; building continues. Node and
   * link numbers stay valid for a writer whose plan spans several turns of the event loop.
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
   * Builds the next base from the published data on another thread. A failure rejects and changes nothing.
   */
  seal(): Promise<void> {
    if (this.#nodeLimit + this.#linkLimit === 0) return this.#sealing ?? Promise.resolve();
    this.#sealing ??= this.#seal().finally(() => {
      this.#sealing = undefined;
    });
    return this.#sealing;
  }

  /** Resolves when no seal is running, also after a failed one. */
  async whenIdle(): Promise<void> {
    while (this.#sealing !== undefined) await this.#sealing.catch(() => undefined);
  }

  /** The base as bytes, and its sequence number; later records are not included. */
  exportImage(): { readonly seq: number; readonly parts: readonly ImageBytes[] } {
    return { seq: this.base.seq, parts: imageOf(this.base) };
  }

  stats(): MemoryGraphStats {
    const { entities, relationships, types, classes, labels, verbs } = this.counts;
    return {
      entities,
      relationships,
      typeCounts: types,
      classCounts: classes,
      labelCounts: labels,
      verbCounts: verbs,
      bytes: this.base.bag.byteLength + this.delta.arena.byteLength,
      deltaVersions: this.delta.versionCount,
      epoch: this.#epoch,
      openSnapshots: this.#openSnapshots,
    };
  }

  /** The schema of the published, live data. */
  schema(): GraphSchema {
    const { view, selector } = this.#published(false);
    const changes = this.#countsOf(false);
    const schema = new SnapshotSchema({ view, selector, changes, retention: undefined });
    return collectSchema(schema.types(), this.counts.verbs);
  }

  /** Waits for a running seal, and disables further seals. */
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

  /** Shared by all snapshots of this delta. */
  #countsOf(includeDeleted: boolean): DeltaCounts {
    let known = this.#deltaCounts.get(includeDeleted);
    if (known === undefined)
      this.#deltaCounts.set(includeDeleted, (known = new DeltaCounts(this.delta, includeDeleted)));
    return known;
  }

  async #seal(): Promise<void> {
    const startMs = performance.now();
    this.#schedule.stop();
    const point: SealPoint = {
      seq: this.#publishedSeq,
      purgeBeforeMs: this.keptSinceMs(),
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
    this.replaceDelta(delta);
    this.#deltaCounts.clear();
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
  /** Whether compression is worthwhile: for text, and for numbers with long runs of equal or close values. */
  readonly compress: boolean;
}

/** The parts of a base's image: its metadata in JSON, then its buffers in order. */
function imageOf({ meta, bag }: Base): ImageBytes[] {
  const { linkArena, link, node } = meta;
  const runs = [link.verbs, link.owners, node.stamps, node.owners].map(({ part }) => part);
  const compressible = new Set([...linkArena, link.from, ...runs]);
  const description = { bytes: Buffer.from(JSON.stringify(meta), 'utf8'), compress: true };
  return [description, ...bag.buffers.map((bytes, part) => ({ bytes, compress: compressible.has(part) }))];
}

/** Throws unless the parts are a base of this format as of `seq`. */
function baseOf(seq: number, [description, ...buffers]: readonly Uint8Array[]): Base {
  if (description === undefined) throw new RangeError('an image has at least one part');
  const meta = JSON.parse(Buffer.from(description).toString('utf8')) as BaseMeta;
  if (meta.seq !== seq)
    throw new RangeError(`expected an image as of ${String(seq)}, got ${String(meta.seq)}`);
  return new Base(meta, new BufferBag(buffers));
}
