import { Thread, workerUrl } from '#platform/threads';
import type { FeedListener } from './feed-event.ts';

/** The worker data of the feed thread. */
export interface FeedSetup {
  readonly url: string;
  /** The target's headers, sent with the upgrade request. */
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

/** A feed client on its own thread. */
export class FeedThread {
  /** Resolves when the thread has started to connect. */
  readonly opening: Promise<void>;
  readonly #thread: Thread<FeedCalls, FeedListener>;

  /** `onBroken` is called after a defect that has ended the thread. */
  constructor(setup: FeedSetup, listener: FeedListener, onBroken: (error: Error) => void) {
    const url = workerUrl('feed-worker', import.meta.url);
    this.#thread = new Thread({ url, setup, listener, onBroken });
    this.opening = this.#thread.call('dial', []);
    // Prevents an unhandled rejection; callers that await the promise, and `onBroken`, receive the error.
    this.opening.catch(() => undefined);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
