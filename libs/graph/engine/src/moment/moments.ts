import type { GraphSnapshot, MemoryGraph, MomentGraph } from '#graph/memory';
import { DomainError, inTurns } from '#platform/foundation';
import { FormerStates } from './former-graph.ts';
import type { History, Moment } from '../history/history.ts';

/** Graphs of moments in memory: the last ones that were asked for. */
const KEPT_MAX = 2;
/** Most records that one moment may differ by from now: each is in memory while the moment is. */
const CHANGES_MAX = 2_000_000;

/**
 * A graph that begins with another one copies its versions. Above so many of them for each record that was
 * undone at first, undoing all from now is as fast.
 */
const COPIED_MAX = 4;

/** The present graph and its history. */
export interface MomentGround {
  readonly memory: MemoryGraph;
  readonly history: History;
  nowMs(): number;
}

/** A graph in a copy of which the batches before it are undone. */
interface Start {
  readonly seq: number;
  readonly graph: MomentGraph;
  /** Records that were undone, once for each graph that it begins with: no fewer than differ from now. */
  readonly undone: number;
  /** Those of the first of these graphs. */
  readonly first: number;
}

interface Kept {
  readonly graph: Promise<MomentGraph>;
  /** Once it is there, if others may begin with it. */
  start?: Start;
}

/** The graph of earlier moments. */
export class Moments {
  readonly #ground: MomentGround;
  /** By sequence number, least recently used first. */
  readonly #kept = new Map<number, Kept>();
  /** Those of the history when they were made. */
  #erasures = 0;

  constructor(ground: MomentGround) {
    this.#ground = ground;
  }

  /**
   * The graph after a batch, or as it was at a time. Throws BEYOND_HISTORY, INVALID_REQUEST for the future,
   * and QUERY_TOO_LARGE if too much has changed since.
   */
  async snapshot(moment: Moment, includeDeleted: boolean): Promise<GraphSnapshot> {
    const { memory, history } = this.#ground;
    const last = memory.publishedSeq;
    const seq = 'seq' in moment ? moment.seq : await history.seqAt(moment.atMs, last, this.#ground.nowMs());
    history.requireSeq(seq, Math.max(last, memory.publishedSeq));
    const graph = await this.#graph(seq);
    return graph.snapshot({ seq, includeDeleted, deletedSinceMs: memory.keptSinceMs() });
  }

  /** Frees all moments, and with them the base that they share with the graph. */
  clear(): void {
    this.#kept.clear();
  }

  #graph(seq: number): Promise<MomentGraph> {
    const { erasures } = this.#ground.history;
    if (erasures !== this.#erasures) this.clear();
    this.#erasures = erasures;
    const known = this.#kept.get(seq);
    this.#kept.delete(seq);
    const kept = known ?? this.#begun(seq);
    this.#kept.set(seq, kept);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT_MAX) break;
      this.#kept.delete(oldest);
    }
    return kept.graph;
  }

  #begun(seq: number): Kept {
    const making = this.#made(seq, this.#nearest(seq));
    const kept: Kept = { graph: making.then(({ graph }) => graph) };
    making.then(
      (start) => {
        if (start.undone <= COPIED_MAX * start.first) kept.start = start;
      },
      () => {
        if (this.#kept.get(seq) === kept) this.#kept.delete(seq);
      },
    );
    return kept;
  }

  /** The first graph after a moment that is there. */
  #nearest(seq: number): Start | undefined {
    const later = [...this.#kept.values()].flatMap(({ start }) => start ?? []);
    return later.filter((start) => start.seq > seq).sort((a, b) => a.seq - b.seq)[0];
  }

  async #made(seq: number, from: Start | undefined): Promise<Start> {
    const { memory, history } = this.#ground;
    const last = from?.seq ?? memory.publishedSeq;
    const copying = inTurns(from === undefined ? memory.moment() : from.graph.copy());
    const states = new FormerStates();
    const graph = await copying;
    const before = from?.undone ?? 0;
    for await (const { records } of history.parts(seq, last)) {
      for (const record of records) states.add(record);
      if (before + states.size <= CHANGES_MAX) continue;
      // A record may have been undone more than once.
      if (from !== undefined) return this.#made(seq, undefined);
      throw tooFar(seq);
    }
    // What the sweep has removed meanwhile was not read.
    history.requireSeq(seq, last);
    await inTurns(states.applyTo(graph));
    return { seq, graph, undone: before + states.size, first: from?.first ?? states.size };
  }
}

function tooFar(seq: number): DomainError {
  const message = `more than ${String(CHANGES_MAX)} records have changed since ${String(seq)}: ask for a later moment`;
  return new DomainError('QUERY_TOO_LARGE', message);
}
