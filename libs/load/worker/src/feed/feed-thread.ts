import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { endThread } from '../thread/end-thread.ts';
import type { FeedListener } from './feed-event.ts';
import type { FeedNews, FeedSetup } from './feed-messages.ts';

const WORKER_URL = new URL(`./feed-worker${extname(import.meta.url)}`, import.meta.url);

/** A feed client on a thread of its own. */
export class FeedThread {
  /** Resolves when the thread runs, and dials. */
  readonly opening: Promise<void>;
  readonly #worker: Worker;

  /** `onBroken` hears of a defect that has ended the thread. */
  constructor(setup: FeedSetup, listener: FeedListener, onBroken: (error: Error) => void) {
    this.#worker = new Worker(WORKER_URL, { workerData: setup });
    const opening = Promise.withResolvers<undefined>();
    this.opening = opening.promise;
    this.#worker.on('message', (news: FeedNews) => {
      if (news.kind === 'opening') opening.resolve(undefined);
      else tell(listener, news);
    });
    this.#worker.once('error', (error) => {
      onBroken(error instanceof Error ? error : new Error(String(error)));
    });
  }

  async close(): Promise<void> {
    this.#worker.removeAllListeners('message');
    await endThread(this.#worker);
  }
}

function tell(listener: FeedListener, news: Exclude<FeedNews, { readonly kind: 'opening' }>): void {
  switch (news.kind) {
    case 'messages':
      listener.onMessages(news.events);
      return;
    case 'connected':
      listener.onConnected();
      return;
    case 'disconnected':
      listener.onDisconnected(news.reason);
      return;
    case 'refused':
      listener.onRefused(news.refusal, news.message);
      return;
    case 'garbage':
      listener.onGarbage(news.message);
  }
}
