import { type FeedMessage, hashesOf, toHex } from '#load/chain';
import type { FaultInjector, FaultName } from '../fault-plan.ts';
import type { FeedServer } from './feed-server.ts';

/** Publishes to the feed with injected faults. Without faults, messages are sent immediately. */
export class FaultyFeed {
  readonly #server: FeedServer;
  readonly #faults: FaultInjector;
  readonly #delayMs: number;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(server: FeedServer, faults: FaultInjector) {
    this.#server = server;
    this.#faults = faults;
    this.#delayMs = faults.valueOf('delay_feed_ms') ?? 0;
  }

  publish(message: FeedMessage): void {
    this.#later(() => {
      if (this.#commits('drop_feed_every', message)) return;
      this.#server.publish(message);
      if (this.#commits('duplicate_feed_every', message)) this.#server.repeat(message);
      if (this.#commits('disconnect_feed_every', message)) this.#server.disconnectAll();
    });
  }

  /** Sends a replacement under the number of the latest message. */
  replaceLatest(message: FeedMessage): void {
    this.#later(() => this.#server.replaceLatest(message));
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #commits(name: FaultName, { sequenceNumber, l2Msg }: FeedMessage): boolean {
    if (!this.#faults.isDue(name)) return false;
    this.#faults.report(name, { sequence_number: sequenceNumber, hashes: hashesOf(l2Msg).map(toHex) });
    return true;
  }

  /** Timers of one length fire in the order in which they were set. */
  #later(action: () => void): void {
    if (this.#delayMs === 0) {
      action();
      return;
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      action();
    }, this.#delayMs);
    this.#timers.add(timer);
  }
}
