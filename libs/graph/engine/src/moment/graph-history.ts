import { type GraphSnapshot, ScopedSnapshot } from '#graph/memory';
import type { Scope } from '#graph/model';
import { foreignPoint, type SeqPoint } from '../seq/seq-position.ts';
import { noteSeen } from '../seq/seen-seq.ts';
import type { GraphStore } from '../store/graph-store.ts';
import { HORIZON_KEY, type Horizon } from '../record/history-record.ts';
import type { AskedMoment } from '../history/asked-moment.ts';
import type { Moment } from '../history/history.ts';
import { Moments } from './moments.ts';

const NOTHING = new Uint8Array(0);

/** The graph as it was, as far back as history is kept. */
export class GraphHistory {
  readonly #store: GraphStore;
  readonly #moments: Moments;

  constructor(store: GraphStore) {
    this.#store = store;
    this.#moments = new Moments(store);
  }

  /** Where it begins: the earliest moment; undefined without history. */
  get horizon(): Horizon | undefined {
    return this.#store.history.horizon;
  }

  /**
   * A snapshot as of a moment. Throws BEYOND_HISTORY for one before the history, INVALID_REQUEST for a
   * future one, STORE_UNAVAILABLE if it is not known whether it is one, QUERY_TOO_LARGE if too much has
   * changed since.
   */
  async snapshot(moment: Moment, { includeDeleted = false } = {}): Promise<GraphSnapshot> {
    if ('seq' in moment) await this.#store.look.takenFor(moment.seq);
    this.#store.requireLoaded();
    const snapshot = await this.#moments.snapshot(moment, includeDeleted);
    // The client has not gone back in time: its next request must not, either.
    noteSeen(this.#store.epoch, this.#store.publishedSeq);
    return snapshot;
  }

  /** The same, of the part that exists in a scope and still does; without one, of everything. */
  async snapshotWithin(
    scope: Scope | undefined,
    moment: Moment,
    { includeDeleted = false } = {},
  ): Promise<GraphSnapshot | ScopedSnapshot> {
    const past = await this.snapshot(moment, { includeDeleted });
    if (scope === undefined) return past;
    return new ScopedSnapshot(past, scope, this.#store.memory.snapshot({ includeDeleted: true }));
  }

  /** The moment that was asked for. Throws CONFLICT for one of another history. */
  momentOf({ moment, epoch }: AskedMoment): Moment {
    if (epoch !== undefined && 'seq' in moment) this.requireOurs({ epoch, seq: moment.seq });
    return moment;
  }

  /** Throws CONFLICT for a point of another history. */
  requireOurs({ epoch, seq }: SeqPoint): void {
    const { storage } = this.#store;
    if (seq > storage.lastOf(epoch)) throw foreignPoint(storage.epoch);
  }

  /** Continues the history of the store; frees the graphs of moments. */
  async load(): Promise<void> {
    this.#moments.clear();
    await this.#store.history.load(this.#store.nowMs());
  }

  /** Frees the graphs of moments, which share a former base. */
  sealed(): void {
    this.#moments.clear();
  }

  /**
   * Removes what was replaced before the time for which history is kept, or all of it after it was turned
   * off; resolves to the number of records. A merge of segments frees the space.
   */
  async sweep(): Promise<number> {
    const { history, publishedSeq } = this.#store;
    return history.keepMs === 0 ? this.#remove(publishedSeq, [HORIZON_KEY]) : this.expire();
  }

  /** The former of the two; reads nothing unless something is old enough. */
  async expire(): Promise<number> {
    const { history } = this.#store;
    const last = this.#store.publishedSeq;
    const horizon = await history.horizonAt(this.#store.nowMs() - history.keepMs, last);
    if (horizon === undefined) return 0;
    // The next batch stores it: that of the first removal, or of a later write.
    history.raise(horizon);
    return this.#remove(horizon.first, []);
  }

  async #remove(upTo: number, further: readonly Uint8Array[]): Promise<number> {
    let removed = 0;
    for await (const keys of this.#store.history.keysUpTo(upTo)) {
      const expired = removed === 0 ? [...further, ...keys] : keys;
      removed += keys.length;
      await this.#store.record((batch) => {
        for (const key of expired) batch.delete(key, NOTHING, 0);
      });
    }
    return removed;
  }
}
