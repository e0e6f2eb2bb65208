import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { endThread } from '../thread/end-thread.ts';
import type { BlockReceipts } from './block-receipts.ts';
import type { ReaderNews, ReaderSetup } from './reader-messages.ts';

const WORKER_URL = new URL(`./reader-worker${extname(import.meta.url)}`, import.meta.url);

export interface ReaderListener {
  onBlock(block: BlockReceipts): void;
  onTrouble(message: string): void;
  /** A defect has ended the thread. */
  onBroken(error: Error): void;
}

/** A block reader on a thread of its own. */
export class ReaderThread {
  readonly #worker: Worker;
  #lastBlock: number;

  constructor(setup: ReaderSetup, listener: ReaderListener) {
    this.#lastBlock = setup.fromBlock - 1;
    this.#worker = new Worker(WORKER_URL, { workerData: setup });
    this.#worker.on('message', (news: ReaderNews) => {
      if (news.kind === 'trouble') listener.onTrouble(news.message);
      else {
        this.#lastBlock = news.block.blockNumber;
        listener.onBlock(news.block);
      }
    });
    this.#worker.once('error', (error) => {
      listener.onBroken(error instanceof Error ? error : new Error(String(error)));
    });
  }

  /** Up to here every block has been told of. */
  get lastBlock(): number {
    return this.#lastBlock;
  }

  async close(): Promise<void> {
    this.#worker.removeAllListeners('message');
    await endThread(this.#worker);
  }
}
