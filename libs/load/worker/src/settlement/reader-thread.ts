import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { endThread } from '../thread/end-thread.ts';
import type { BlockListener } from './block-reader.ts';
import type { ReaderNews, ReaderSetup } from './reader-messages.ts';

const WORKER_URL = new URL(`./reader-worker${extname(import.meta.url)}`, import.meta.url);

export interface ReaderListener extends Omit<BlockListener, 'onTrouble' | 'onFallback'> {
  onTrouble(message: string): void;
  onFallback(message: string): void;
  /** A defect has ended the thread. */
  onBroken(error: Error): void;
}

/** A block reader on a thread of its own. */
export class ReaderThread {
  readonly #worker: Worker;
  readonly #listener: ReaderListener;
  #lastBlock: number;
  #trouble = 'no answer';

  constructor(setup: ReaderSetup, listener: ReaderListener) {
    this.#lastBlock = setup.start.number;
    this.#listener = listener;
    this.#worker = new Worker(WORKER_URL, { workerData: setup });
    this.#worker.on('message', (news: ReaderNews) => {
      this.#tell(news);
    });
    this.#worker.once('error', (error) => {
      listener.onBroken(error instanceof Error ? error : new Error(String(error)));
    });
  }

  /** Up to here every block has been told of. */
  get lastBlock(): number {
    return this.#lastBlock;
  }

  /** Why a block could not be read, the last time that one could not. */
  get trouble(): string {
    return this.#trouble;
  }

  #tell(news: ReaderNews): void {
    const listener = this.#listener;
    switch (news.kind) {
      case 'trouble':
        this.#trouble = news.message;
        listener.onTrouble(news.message);
        return;
      case 'fallback':
        listener.onFallback(news.message);
        return;
      case 'block':
        this.#lastBlock = news.block.blockNumber;
        listener.onBlock(news.block);
        return;
      case 'replaced':
        this.#lastBlock = news.blockNumber - 1;
        listener.onReplaced(news.blockNumber);
        return;
      case 'deep':
        listener.onDeep(news.blockNumber);
        return;
      case 'unread':
        this.#lastBlock = news.blockNumber;
        listener.onUnread(news.blockNumber, news.message);
    }
  }

  async close(): Promise<void> {
    this.#worker.removeAllListeners('message');
    await endThread(this.#worker);
  }
}
