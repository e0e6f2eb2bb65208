import { Worker } from 'node:worker_threads';
import type { EdgeSource } from './edge-source.ts';
import type { FromWriter, ToWriter } from './writer-protocol.ts';

/** Unacknowledged batches of an edge. */
const WINDOW = 16;

/** The client of a writer's thread, which runs for all rounds. */
export class WriterThread {
  readonly #worker: Worker;
  /** Number of open batches by edge. */
  readonly #underWay = new Map<number, number>();
  readonly #waiting = new Map<number, () => void>();
  #answer: PromiseWithResolvers<number> = Promise.withResolvers();

  constructor(name: 'columns' | 'rows') {
    this.#worker = new Worker(new URL(`./${name}-worker.ts`, import.meta.url));
    this.#worker.on('message', (message: FromWriter) => {
      this.#hear(message);
    });
    this.#worker.on('error', (error) => {
      this.#answer.reject(error);
    });
  }

  /** Begins a round, whose files are written to this directory. */
  async begin(directory: string): Promise<void> {
    await this.#ask({ directory });
  }

  /** Records and sends this many transactions; other edges run after each batch. */
  async push(number: number, edge: EdgeSource, transactions: number): Promise<void> {
    let seq = 0;
    for (let left = transactions; left > 0;) {
      left -= edge.fill(left);
      for (let bytes = edge.take(); bytes !== undefined; bytes = edge.take()) {
        await this.#room(number);
        this.#underWay.set(number, (this.#underWay.get(number) ?? 0) + 1);
        this.#worker.postMessage({ edge: number, seq: ++seq, bytes }, transferable(bytes));
      }
      await new Promise(setImmediate);
    }
  }

  /** Completes the files; returns their size. */
  end(): Promise<number> {
    return this.#ask('end');
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #ask(message: ToWriter): Promise<number> {
    this.#answer = Promise.withResolvers();
    this.#worker.postMessage(message);
    return this.#answer.promise;
  }

  async #room(edge: number): Promise<void> {
    while ((this.#underWay.get(edge) ?? 0) >= WINDOW) {
      await new Promise<void>((resolve) => this.#waiting.set(edge, resolve));
    }
  }

  #hear(message: FromWriter): void {
    if (message === 'ready') this.#answer.resolve(0);
    else if ('bytes' in message) this.#answer.resolve(message.bytes);
    else {
      this.#underWay.set(message.edge, (this.#underWay.get(message.edge) ?? 0) - 1);
      this.#waiting.get(message.edge)?.();
    }
  }
}

function transferable({ buffer }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer ? [buffer] : [];
}
