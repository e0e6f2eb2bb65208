import { hash } from 'node:crypto';
import { type Documents, type FeedPlace, type Graph, parseFeedToken } from '#graph/engine';
import type { ChangeFeed, ChangeSelector } from '#graph/query';
import { feedChange, type FeedChange } from '#graph/query';
import { type Clock, DomainError, pause } from '#platform/foundation';
import type { Log } from '#platform/observability';
import type { Subscription } from '../config/notification-config.ts';
import { changeMessages, FINDINGS_SHOWN_MAX } from '../outbox/message.ts';
import { CHANGES_NAMESPACE, type Outbox } from '../outbox/outbox.ts';

/** While so many messages wait for a channel, the changes stay where they are: in the history. */
const WAITING_MAX = 100;
const CONGESTED_MS = 1_000;
/** Without chosen changes, the place is noted at this interval, so that it stays within the history. */
const NOTED_MS = 3_600_000;
const RETRY_MS = 5_000;
const ID_HEX_LENGTH = 32;

export interface ChangeNoticesOptions {
  readonly graph: Pick<Graph, 'feed' | 'documents' | 'leadership' | 'history' | 'durableVersion'>;
  readonly changes: Pick<ChangeFeed, 'selector'>;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn' | 'error'>;
}

/** How far a subscription has read. */
interface Cursor {
  readonly next: string;
}

/**
 * Puts the changes that a subscription chooses into the outbox. The place up to which they are there is part
 * of the same batch, so that none is lost and none is there twice.
 */
export class ChangeNotices {
  readonly #options: ChangeNoticesOptions;
  readonly #selector: ChangeSelector;
  readonly #channels: readonly string[];
  readonly #id: string;
  readonly #stopped = new AbortController();
  #running: Promise<void> | undefined;

  /** Throws PQL_SYNTAX. */
  constructor(options: ChangeNoticesOptions, { class: classes, query, to }: Subscription) {
    this.#options = options;
    this.#selector = options.changes.selector({ classes, query });
    this.#channels = to;
    // A subscription that chooses something else begins anew.
    this.#id = `cursor/${hash('sha256', JSON.stringify([classes, query, to])).slice(0, ID_HEX_LENGTH)}`;
  }

  /** Call it when this process becomes the delivering one. */
  wake(): void {
    if (this.#running !== undefined || this.#isStopped()) return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  #isStopped(): boolean {
    return this.#stopped.signal.aborted || !this.#options.graph.leadership.isLeader;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped()) {
      try {
        await this.#follow();
      } catch (error) {
        // The store may be out of reach; another process may have become the delivering one.
        this.#options.log.error({ event: 'notification.changes_failed', err: error }, 'changes not read');
        await pause(RETRY_MS, this.#stopped.signal);
      }
    }
  }

  async #follow(): Promise<void> {
    const { feed } = this.#options.graph;
    let cursor = await this.#cursor();
    let place = await this.#placeOf(cursor);
    let notedMs = this.#options.clock.monotonicMs();
    cursor ??= await this.#keep(cursor, feed.tokenOf(place), []);
    while (!this.#isStopped()) {
      if (this.#isCongested()) await pause(CONGESTED_MS, this.#stopped.signal);
      else if (!feed.hasNews(place)) await feed.published(this.#stopped.signal);
      else {
        const window = await feed.window(place, FINDINGS_SHOWN_MAX);
        const chosen = await this.#selector.select([...window.changes()]);
        place = window.next;
        const isDue = this.#options.clock.monotonicMs() - notedMs > NOTED_MS;
        if (chosen.length === 0 && !isDue) continue;
        const items = chosen.map((change) => feedChange(feed, change));
        cursor = await this.#keep(cursor, feed.tokenOf(place), items);
        notedMs = this.#options.clock.monotonicMs();
      }
    }
  }

  /** Where the subscription goes on. What is gone from the history is left out, and logged. */
  async #placeOf(cursor: Cursor | undefined): Promise<FeedPlace> {
    const { feed, history } = this.#options.graph;
    if (cursor === undefined) return feed.end;
    try {
      return await feed.placeAfter(parseFeedToken(cursor.next, 'cursor'), 'cursor');
    } catch (error) {
      const isGap = error instanceof DomainError && ['BEYOND_HISTORY', 'CONFLICT'].includes(error.code);
      if (!isGap) throw error;
      const next = history.horizon?.first ?? this.#options.graph.durableVersion;
      const fields = {
        event: 'notification.changes_missed',
        channels: this.#channels,
        from: cursor.next,
        next,
      };
      this.#options.log.warn(fields, 'changes are beyond the history, and not sent');
      return feed.placeAfter({ seq: next }, 'cursor');
    }
  }

  #isCongested(): boolean {
    return this.#channels.some((channel) => this.#options.outbox.waitingFor(channel) >= WAITING_MAX);
  }

  async #cursor(): Promise<Cursor | undefined> {
    return (await this.#options.graph.documents.get(CHANGES_NAMESPACE, this.#id)) as Cursor | undefined;
  }

  /** Stores messages and the place after them, unless another process was first. */
  async #keep(known: Cursor | undefined, next: string, items: readonly FeedChange[]): Promise<Cursor> {
    const { outbox, graph } = this.#options;
    const cursor = { next };
    const documents: Documents = graph.documents;
    await documents.exclusively(async () => {
      const stored = await this.#cursor();
      if (stored?.next !== known?.next)
        throw new DomainError('CONFLICT', 'another process has read these changes meanwhile');
      const added = outbox.added(changeMessages(items, this.#channels), CHANGES_NAMESPACE);
      const changes = [...added.documents, { id: this.#id, value: cursor }];
      await documents.change(CHANGES_NAMESPACE, changes, { isBookkeeping: true });
      added.keep();
    });
    return cursor;
  }
}
