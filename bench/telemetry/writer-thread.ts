import { Worker } from 'node:worker_threads';
import type { EdgeSource } from './edge-source.ts';
import type { FromWriter, ToWriter, WriterSetup } from './writer-protocol.ts';

/** Batches of an edge that are not acknowledged. */
const WINDOW = 16;

/** The other end of a writer's thread. */
export class WriterThread {
  readonly #worker: Worker;
  /** By edge: what is under way, and who waits for room. */
  readonly #underWay = new Map<number, number>();
  readonly #waiting = new Map<number, () => void>();
  readonly #ended: PromiseWithResolvers<number> = Promise.withResolvers();

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  static async start(name: 'columns' | 'rows', setup: WriterSetup): Promise<WriterThread> {
    const worker = new Worker(new URL(`./${name}-worker.ts`, import.meta.url), { workerData: setup });
    const thread = new WriterThread(worker);
    await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
    worker.on('message', (message: FromWriter) => {
      thread.#hear(message);
    });
    worker.on('error', (error) => {
      thread.#ended.reject(error);
    });
    return thread;
  }

  /** Records so many transactions and sends them; other edges get their turn after each batch. */
  async push(number: number, edge: EdgeSource, transactions: number): Promise<void> {
    let seq = 0;
    for (let left = transactions; left > 0;) {
      left -= edge.fill(left);
      for (let bytes = edge.take(); bytes !== undefined; bytes = edge.take()) {
        await this.#room(number);
        this.#send({ edge: number, seq: ++seq, bytes }, bytes);
      }
      await new Promise(setImmediate);
    }
  }

  /** Completes the files; gives their size. */
  async end(): Promise<number> {
    this.#send('end');
    const bytes = await this.#ended.promise;
    await this.#worker.terminate();
    return bytes;
  }

  #send(message: ToWriter, bytes?: Uint8Array): void {
    if (message !== 'end') this.#underWay.set(message.edge, (this.#underWay.get(message.edge) ?? 0) + 1);
    const transfer = bytes?.buffer instanceof ArrayBuffer ? [bytes.buffer] : [];
    this.#worker.postMessage(message, transfer);
  }

  async #room(edge: number): Promise<void> {
    while ((this.#underWay.get(edge) ?? 0) >= WINDOW) {
      await new Promise<void>((resolve) => this.#waiting.set(edge, resolve));
    }
  }

  #hear(message: FromWriter): void {
    if (message === 'ready') return;
    if ('bytes' in message) {
      this.#ended.resolve(message.bytes);
      return;
    }
    this.#underWay.set(message.edge, (this.#underWay.get(message.edge) ?? 0) - 1);
    this.#waiting.get(message.edge)?.();
  }
}
