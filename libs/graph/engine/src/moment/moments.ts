import type { GraphSnapshot, MemoryGraph, MomentGraph } from '#graph/memory';
import { DomainError, inTurns } from '#platform/foundation';
import { FormerStates } from './former-graph.ts';
import type { History, Moment } from '../history/history.ts';

/** Graphs of moments in memory: the last ones that were asked for. */
const KEPT_MAX = 2;
/** Most records that one moment may differ by from now: each is in memory while the moment is. */
const CHANGES_MAX = 2_000_000;

/** The present graph and its history. */
export interface MomentGround {
  readonly memory: MemoryGraph;
  readonly history: History;
  nowMs(): number;
}

/** The graph of earlier moments. */
export class Moments {
  readonly #ground: MomentGround;
  /** By sequence number, least recently used first. */
  readonly #kept = new Map<number, Promise<MomentGraph>>();
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
    const graph = known ?? this.#made(seq);
    this.#kept.set(seq, graph);
    if (known === undefined) {
      graph.catch(() => {
        if (this.#kept.get(seq) === graph) this.#kept.delete(seq);
      });
    }
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT_MAX) break;
      this.#kept.delete(oldest);
    }
    return graph;
  }

  async #made(seq: number): Promise<MomentGraph> {
    const { memory, history } = this.#ground;
    const last = memory.publishedSeq;
    const copying = inTurns(memory.moment());
    const states = new FormerStates();
    const graph = await copying;
    for await (const { records } of history.parts(seq, last)) {
      for (const record of records) states.add(record);
      if (states.size > CHANGES_MAX) throw tooFar(seq);
    }
    // What the sweep has removed meanwhile was not read.
    history.requireSeq(seq, last);
    await inTurns(states.applyTo(graph));
    return graph;
  }
}

function tooFar(seq: number): DomainError {
  const message = `more than ${String(CHANGES_MAX)} records have changed since ${String(seq)}: ask for a later moment`;
  return new DomainError('QUERY_TOO_LARGE', message);
}
