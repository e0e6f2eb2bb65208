import type { BeforeApplicationShutdown } from '@nestjs/common';
import { type FeedPlace, type Graph, type GraphFeed, parseFeedToken, type RecordChange } from '#graph/engine';
import type { Entity, Relationship, Source } from '#graph/model';
import { DomainError, errorBody, pause } from '#platform/foundation';
import type { QueryEngine } from '../execute/engine/query-engine.ts';
import { type ChangeFilter, ChangeSelector } from './change-selector.ts';

/** A change as readers get it. */
export interface FeedChange {
  /** The same whenever and wherever it is read. */
  readonly id: string;
  readonly seq: number;
  /** RFC 3339 UTC, milliseconds. */
  readonly at: string;
  /** The name of the key or the person who wrote the batch; absent where it is not known. */
  readonly who?: string;
  readonly change: RecordChange['kind'];
  /** Who has written what it is now; of a deleted record, what it was; absent for a forgotten one. */
  readonly source?: Source;
  readonly fields: RecordChange['fields'];
  /** What it is now; of a deleted record, what it was. */
  readonly entity?: Entity;
  readonly relationship?: Relationship;
  /** Of a forgotten record, in whose place this is: a reader with a copy removes that. */
  readonly forgotten?: { readonly record: 'entity' | 'relationship'; readonly id: string };
}

export type FeedMessage =
  | { readonly kind: 'change'; readonly id: string; readonly body: FeedChange }
  /** Everything up to here was looked at; `end` and `error` are the last message. */
  | { readonly kind: 'position' | 'end'; readonly id: string; readonly body: object }
  | { readonly kind: 'error'; readonly id: string; readonly body: object; readonly cause: unknown };

export interface FeedRequest extends ChangeFilter {
  /** Where the reader was told to go on; undefined: at the end. */
  readonly from: string | undefined;
  /** Whether it waits for further changes. */
  readonly follows: boolean;
  /** Whose stream it is. */
  readonly reader: string;
  /** Aborted once there is no reader any more, whether the stream has ended or not. */
  readonly signal: AbortSignal;
}

const STREAMS_MAX = 64;
const STREAMS_OF_READER_MAX = 16;
/** A waiting reader gets its position at this interval. */
const IDLE_MS = 10_000;
/** Changes of this time are read together. */
const GATHER_MS = 25;

/** The streams of changes that are open. */
export class ChangeFeed implements BeforeApplicationShutdown {
  readonly #graph: Graph;
  readonly #engine: QueryEngine;
  readonly #readers = new Map<string, number>();
  readonly #stopping = new AbortController();

  /** The engine must not be that of other queries. */
  constructor(graph: Graph, engine: QueryEngine) {
    this.#graph = graph;
    this.#engine = engine;
  }

  /** Throws PQL_SYNTAX. */
  selector(filter: ChangeFilter): ChangeSelector {
    return new ChangeSelector(this.#engine, filter);
  }

  /**
   * Streams changes, in order, each at least once. Throws TOO_BUSY, the errors of the selector, and those of
   * `GraphFeed.placeAfter`; later errors are messages.
   */
  async open(request: FeedRequest): Promise<AsyncGenerator<FeedMessage, void, undefined>> {
    const selector = this.selector(request);
    const leave = this.#enter(request.reader);
    // Also of a stream without a reader.
    request.signal.addEventListener('abort', leave, { once: true });
    if (request.signal.aborted) leave();
    try {
      const { feed } = this.#graph;
      const { from } = request;
      const place =
        from === undefined
          ? await feed.placeAfter({ seq: feed.end.seq - 1 }, 'from')
          : await feed.placeAfter(parseFeedToken(from, 'from'), 'from');
      const signal = AbortSignal.any([request.signal, this.#stopping.signal]);
      return new ChangeStream(this.#graph, selector, { ...request, signal }).messages(place);
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Ends all streams, with the place where their readers go on. */
  beforeApplicationShutdown(): void {
    this.#stopping.abort();
  }

  #enter(reader: string): () => void {
    const ofReader = this.#readers.get(reader) ?? 0;
    const all = this.#readers.values().reduce((sum, count) => sum + count, 0);
    if (ofReader >= STREAMS_OF_READER_MAX || all >= STREAMS_MAX) {
      const most = `${String(STREAMS_OF_READER_MAX)} streams of one key, and ${String(STREAMS_MAX)} of all`;
      throw new DomainError('TOO_BUSY', `expected at most ${most}`);
    }
    this.#readers.set(reader, ofReader + 1);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      const left = (this.#readers.get(reader) ?? 1) - 1;
      if (left === 0) this.#readers.delete(reader);
      else this.#readers.set(reader, left);
    };
  }
}

/** A change for readers. */
export function feedChange(feed: Pick<GraphFeed, 'idOf'>, change: RecordChange): FeedChange {
  const { seq, atMs, who, kind, before, after, fields } = change;
  const { entity, relationship } = after ?? before ?? {};
  const record = entity ?? relationship;
  const place = {
    id: feed.idOf(change),
    seq,
    at: new Date(atMs).toISOString(),
    ...(who !== undefined && { who }),
  };
  if (change.forgotten !== undefined) return { ...place, change: kind, fields, forgotten: change.forgotten };
  if (record === undefined) throw new DomainError('STORE_CORRUPT', 'a change has no record');
  return {
    ...place,
    change: kind,
    source: record.source,
    fields,
    ...(entity !== undefined && { entity }),
    ...(relationship !== undefined && { relationship }),
  };
}

/** One reader's stream. It holds one window of changes while it is read, and nothing while it waits. */
class ChangeStream {
  readonly #graph: Graph;
  readonly #selector: ChangeSelector;
  readonly #request: Pick<FeedRequest, 'follows' | 'signal'>;
  #epoch: string;
  /** Where a reader of all messages so far goes on. */
  #position = '';

  constructor(graph: Graph, selector: ChangeSelector, request: Pick<FeedRequest, 'follows' | 'signal'>) {
    this.#graph = graph;
    this.#selector = selector;
    this.#request = request;
    this.#epoch = graph.epoch;
  }

  async *messages(start: FeedPlace): AsyncGenerator<FeedMessage, void, undefined> {
    const { feed } = this.#graph;
    const { signal, follows } = this.#request;
    let place = start;
    this.#position = feed.tokenOf(place);
    try {
      // Proxies and clients learn at once that the stream is there.
      yield this.#message('position');
      while (!signal.aborted) {
        if (feed.hasNews(place)) {
          place = await this.#ours(place);
          const window = await feed.window(place);
          const chosen = await this.#selector.select([...window.changes()]);
          for (const change of chosen) {
            const body = feedChange(feed, change);
            this.#position = body.id;
            yield { kind: 'change', id: body.id, body };
          }
          place = window.next;
          this.#position = feed.tokenOf(place);
        } else if (!follows) break;
        else if (!(await this.#hasNews(place))) {
          place = feed.end;
          this.#position = feed.tokenOf(place);
          yield this.#message('position');
        }
      }
      yield this.#message('end');
    } catch (cause) {
      const body = { ...errorBody(cause), next: this.#position };
      yield { kind: 'error', id: this.#position, body, cause };
    }
  }

  /** False after a while without news: nothing has changed up to the end. */
  async #hasNews(place: FeedPlace): Promise<boolean> {
    const { feed } = this.#graph;
    const { signal } = this.#request;
    const idle = AbortSignal.any([signal, AbortSignal.timeout(IDLE_MS)]);
    while (!feed.hasNews(place) && !idle.aborted) await feed.published(idle);
    const isNews = feed.hasNews(place);
    if (isNews) await pause(GATHER_MS, signal);
    return isNews || signal.aborted;
  }

  /** Throws CONFLICT if another history has begun since, in which the place means something else. */
  async #ours(place: FeedPlace): Promise<FeedPlace> {
    const { epoch, feed } = this.#graph;
    if (epoch === this.#epoch) return place;
    const same = await feed.placeAfter({ epoch: this.#epoch, seq: place.seq - 1 }, 'from');
    this.#epoch = epoch;
    return place.part === 0 ? same : place;
  }

  #message(kind: 'position' | 'end'): FeedMessage {
    return { kind, id: this.#position, body: { [kind]: { next: this.#position } } };
  }
}
