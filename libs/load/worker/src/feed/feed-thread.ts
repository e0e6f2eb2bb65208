import { Thread, workerUrl } from '#platform/threads';
import type { FeedListener } from './feed-event.ts';

/** What the thread of a feed is started with. */
export interface FeedSetup {
  readonly url: string;
  /** Of the target, sent with the request to connect. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly chainId: number;
  readonly epochUs: number;
  readonly fromSequence: number | undefined;
  /** Address in lower case; undefined: signatures are not checked. */
  readonly signer: string | undefined;
}

export interface FeedCalls {
  dial(): void;
}

/** A feed client on a thread of its own. */
export class FeedThread {
  /** Resolves when the thread runs, and dials. */
  readonly opening: Promise<void>;
  readonly #thread: Thread<FeedCalls, FeedListener>;

  /** `onBroken` hears of a defect that has ended the thread. */
  constructor(setup: FeedSetup, listener: FeedListener, onBroken: (error: Error) => void) {
    const url = workerUrl('feed-worker', import.meta.url);
    this.#thread = new Thread({ url, setup, listener, onBroken });
    this.opening = this.#thread.call('dial', []);
    // Whoever waits for the connection hears of it, and `onBroken` does.
    this.opening.catch(() => undefined);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
