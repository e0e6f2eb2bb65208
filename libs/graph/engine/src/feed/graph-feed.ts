import { DomainError } from '#platform/foundation';
import { EPOCH_PATTERN, foreignPoint } from '../seq/seq-position.ts';
import type { GraphStore } from '../store/graph-store.ts';
import { ChangeWindow, type FeedPlace, startOf, WINDOW_RECORDS } from './change-window.ts';

/** Batches that one window looks at, at most. */
const BATCHES_MAX = 4_096;

/** Where a reader of changes goes on, as it was told. */
export interface FeedToken {
  /** Undefined: of this history. */
  readonly epoch?: string | undefined;
  /** The last batch that was read; with an index up to that change. */
  readonly seq: number;
  readonly index?: number | undefined;
}

const TOKEN = new RegExp(String.raw`^(?:${EPOCH_PATTERN}\.)?(0|[1-9]\d{0,15})$`);
const CHANGE_ID = new RegExp(String.raw`^${EPOCH_PATTERN}\.(0|[1-9]\d{0,15})\.(0|[1-9]\d{0,9})$`);

/** A number, a `Plexus-Seq`, or the id of a change. Throws INVALID_REQUEST. */
export function parseFeedToken(text: string, field: string): FeedToken {
  const [, ownEpoch, digits, index] = CHANGE_ID.exec(text) ?? TOKEN.exec(text) ?? [];
  const seq = Number(digits);
  if (Number.isSafeInteger(seq))
    return { epoch: ownEpoch, seq, ...(index !== undefined && { index: Number(index) }) };
  const message = `${field}: expected a sequence number, a Plexus-Seq or the id of a change`;
  throw new DomainError('INVALID_REQUEST', message, { details: { field } });
}

/**
 * The changes of the graph in the order of batches, read from the history in windows: a reader holds one
 * window, and nothing while it waits. Writers do nothing for it.
 */
export class GraphFeed {
  readonly #store: GraphStore;

  constructor(store: GraphStore) {
    this.#store = store;
  }

  /** Behind the last published batch. */
  get end(): FeedPlace {
    return startOf(this.#store.publishedSeq + 1);
  }

  /**
   * The place after what was read. Throws CONFLICT for a token of another history, INVALID_REQUEST for one in
   * the future, STORE_UNAVAILABLE if it is not known whether it is one, BEYOND_HISTORY for one before the
   * history and without history.
   */
  async placeAfter({ epoch, seq, index }: FeedToken, field: string): Promise<FeedPlace> {
    const { storage, history } = this.#store;
    this.#store.requireLoaded();
    await this.#store.look.takenFor(seq);
    if (epoch !== undefined && seq > storage.lastOf(epoch)) throw foreignPoint(storage.epoch);
    history.requireSeq(seq, this.#store.publishedSeq, field);
    if (index === undefined) return startOf(seq + 1);
    // The batch of a change is read again, up to it.
    history.requireSeq(seq - 1, this.#store.publishedSeq, field);
    return { ...startOf(seq), doneIndex: index };
  }

  /**
   * The next changes, some hundred more than `recordsMax` at most; none at the end of what is published.
   * Throws BEYOND_HISTORY if they are gone.
   */
  async window(place: FeedPlace, recordsMax = WINDOW_RECORDS): Promise<ChangeWindow> {
    this.#store.requireLoaded();
    const { history, memory } = this.#store;
    const window = new ChangeWindow(place, recordsMax);
    const snapshot = memory.snapshot();
    try {
      const last = snapshot.snapshotVersion;
      if (place.seq > last) return window;
      const upTo = Math.min(last, place.seq + BATCHES_MAX - 1);
      for await (const part of history.partsFrom(place, upTo)) {
        window.add(part);
        if (window.isFull) break;
      }
      if (!window.isFull) window.skipTo(upTo + 1);
      window.settle(snapshot, window.next.seq > last);
      if (window.isOpen) await this.#lookOn(window, last);
      window.settleRest(snapshot);
      window.attribute(await history.authors(window.seqs));
      // What the sweep has removed meanwhile was not read.
      history.requireSeq(place.seq - 1, last, 'from');
      return window;
    } finally {
      snapshot.release();
    }
  }

  /** Whether there may be changes from a place on. */
  hasNews({ seq }: FeedPlace): boolean {
    return this.#store.changedSeq >= seq;
  }

  /** Resolves after the next publication, or once the signal is aborted. */
  async published(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const given: PromiseWithResolvers<void> = Promise.withResolvers();
    const giveUp = (): void => given.resolve();
    signal.addEventListener('abort', giveUp);
    try {
      await Promise.race([this.#store.publications.next(), given.promise]);
    } finally {
      // A reader waits as often as there are writes: its signal must not collect what it has waited for.
      signal.removeEventListener('abort', giveUp);
    }
  }

  /** The token of a place, which {@link placeAfter} takes. */
  tokenOf({ seq, firstIndex, part, doneIndex }: FeedPlace): string {
    const index = Math.max(part === 0 ? -1 : firstIndex - 1, doneIndex);
    const epoch = this.#store.storage.epochOf(index < 0 ? seq - 1 : seq);
    return index < 0 ? `${epoch}.${String(seq - 1)}` : `${epoch}.${String(seq)}.${String(index)}`;
  }

  /** The id of a change: the same on every node and for ever. */
  idOf({ seq, index }: { readonly seq: number; readonly index: number }): string {
    return `${this.#store.storage.epochOf(seq)}.${String(seq)}.${String(index)}`;
  }

  async #lookOn(window: ChangeWindow, last: number): Promise<void> {
    for await (const { records } of this.#store.history.partsFrom(window.next, last)) {
      for (const record of records) window.later(record);
      if (!window.isOpen) return;
    }
  }
}
