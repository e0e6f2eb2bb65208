import { Thread, workerUrl } from '#platform/threads';
import type { BlockListener } from './block-reader.ts';
import type { GasAlarm } from './block-receipts.ts';

/** The worker data of the thread that reads blocks. */
export interface ReaderSetup {
  readonly url: readonly string[];
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly timeoutMs: number;
  readonly epochUs: number;
  /** The block before the first that is read. */
  readonly start: { readonly number: number; readonly hash: Uint8Array };
  /** Addresses of the partition, in shared memory. */
  readonly addresses: Uint8Array;
  readonly alarm: GasAlarm;
}

/** A block reader's events as they cross threads: failures as their messages. */
export interface BlockEvents extends Omit<BlockListener, 'onTrouble' | 'onFallback'> {
  onTrouble(message: string): void;
  onFallback(message: string): void;
}

export interface ReaderCalls {
  hurry(): void;
}

/** A block reader on its own thread. */
export class ReaderThread {
  readonly #thread: Thread<ReaderCalls, BlockEvents>;
  #lastBlock: number;
  #trouble = 'no answer';

  /** `onBroken` is called after a defect that has ended the thread. */
  constructor(setup: ReaderSetup, listener: BlockEvents, onBroken: (error: Error) => void) {
    this.#lastBlock = setup.start.number;
    this.#thread = new Thread({
      url: workerUrl('reader-worker', import.meta.url),
      setup,
      listener: this.#following(listener),
      onBroken,
    });
  }

  /** The number of the last reported block. */
  get lastBlock(): number {
    return this.#lastBlock;
  }

  /** The reason of the last unreadable block. */
  get trouble(): string {
    return this.#trouble;
  }

  /** The drain is over: blocks with missing receipts are taken as they are. */
  hurry(): void {
    // A broken thread is reported to its listener.
    this.#thread.call('hurry', []).catch(() => undefined);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  #following(listener: BlockEvents): BlockEvents {
    return {
      onBlock: (block) => {
        this.#lastBlock = block.blockNumber;
        listener.onBlock(block);
      },
      onReplaced: (blockNumber) => {
        this.#lastBlock = blockNumber - 1;
        listener.onReplaced(blockNumber);
      },
      onDeep: (blockNumber) => {
        listener.onDeep(blockNumber);
      },
      onUnread: (blockNumber, message) => {
        this.#lastBlock = blockNumber;
        listener.onUnread(blockNumber, message);
      },
      onTrouble: (message) => {
        this.#trouble = message;
        listener.onTrouble(message);
      },
      onFallback: (message) => {
        listener.onFallback(message);
      },
    };
  }
}
