import { FEED_FLAGS } from '#load/telemetry';
import { DomainError } from '#platform/foundation';
import type { Log } from '#platform/observability';
import type { FeedEvent, FeedListener, FeedRefusal } from '../feed/feed-event.ts';
import { type FeedSetup, FeedThread } from '../feed/feed-thread.ts';
import type { LoadCounters } from '../ledger/tally.ts';

export interface FeedLinkOptions {
  readonly setup: FeedSetup;
  readonly counters: LoadCounters;
  readonly log: Log;
  readonly onMessages: (events: readonly FeedEvent[]) => void;
  readonly onConfirmedAhead: FeedListener['onConfirmedAhead'];
  /** Called if it is not the expected feed, or its thread has ended. */
  readonly onBroken: (error: Error) => void;
}

const NOT_YET = 'no connection yet';

/** A run's connection to the feed: counts its messages, and keeps its state. */
export class FeedLink implements FeedListener {
  readonly #options: FeedLinkOptions;
  readonly #thread: FeedThread;
  readonly #first = Promise.withResolvers<undefined>();
  #isConnected = false;
  #lastSequence = 0;
  #trouble = NOT_YET;

  constructor(options: FeedLinkOptions) {
    this.#options = options;
    // Prevents an unhandled rejection; callers that await the connection receive the error.
    this.#first.promise.catch(() => undefined);
    this.#thread = new FeedThread(options.setup, this, (error) => {
      this.#break(error);
    });
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** 0 before the first message. */
  get lastSequence(): number {
    return this.#lastSequence;
  }

  /**
   * Resolves when the feed is connected. Throws PLAN_REFUSED for a wrong feed or after the time-out, which
   * starts after the start of the thread.
   */
  async connected(timeoutMs: number): Promise<void> {
    await Promise.race([this.#thread.opening, this.#first.promise]);
    const timer = setTimeout(() => {
      this.#first.reject(refused('feed_unreachable', `no feed after ${timeoutMs} ms: ${this.#trouble}`));
    }, timeoutMs);
    try {
      await this.#first.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  onMessages(events: readonly FeedEvent[]): void {
    const { counters, onMessages } = this.#options;
    counters.feedMessages += events.length;
    for (const { flags, missing, sequenceNumber } of events) {
      counters.feedGaps += missing;
      if ((flags & FEED_FLAGS.duplicate) !== 0) counters.feedDuplicates++;
      if ((flags & FEED_FLAGS.reorganisation) !== 0) counters.feedReorganisations++;
      this.#lastSequence = sequenceNumber;
    }
    onMessages(events);
  }

  onConnected(): void {
    this.#isConnected = true;
    this.#first.resolve(undefined);
    this.#options.log.info({ event: 'feed.connected' }, 'feed connected');
  }

  onDisconnected(reason: string): void {
    const { log } = this.#options;
    if (this.#isConnected) {
      this.#options.counters.feedDisconnects++;
      log.warn({ event: 'feed.disconnected', reason }, 'feed connection lost');
    }
    this.#isConnected = false;
    this.#trouble = reason;
  }

  onRefused(refusal: FeedRefusal, message: string): void {
    this.#break(refused(refusal, message));
  }

  onConfirmedAhead(confirmed: number, last: number): void {
    this.#options.onConfirmedAhead(confirmed, last);
  }

  onGarbage(message: string): void {
    this.#options.counters.feedGarbage++;
    this.#options.log.warn({ event: 'feed.garbage', reason: message }, 'invalid feed frame received');
  }

  #break(error: Error): void {
    this.#isConnected = false;
    this.#first.reject(error);
    this.#options.onBroken(error);
  }
}

function refused(reason: FeedRefusal | 'feed_unreachable', message: string): DomainError {
  return new DomainError('PLAN_REFUSED', message, { details: { reason } });
}
