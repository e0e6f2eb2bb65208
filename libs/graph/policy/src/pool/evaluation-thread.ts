import type { Worker } from 'node:worker_threads';
import type { EvaluationRound } from './evaluation-round.ts';
import type { Answer } from './messages.ts';

/** A rule stops itself at its time-out; a thread that has not answered so long after it is ended. */
const GRACE_MS = 1_000;
const ATTACH_MS_MAX = 60_000;

/**
 * One thread, one round at a time. A thread that ends, or does not answer in time, costs the rule at hand;
 * a new one goes on with the rest.
 */
export class EvaluationThread {
  readonly #number: number;
  readonly #startWorker: () => Worker;
  readonly #graceMs: number;
  #worker: Worker | undefined;

  constructor(number: number, startWorker: () => Worker, graceMs = GRACE_MS) {
    this.#number = number;
    this.#startWorker = startWorker;
    this.#graceMs = graceMs;
  }

  /** Resolves when nothing of the round is left to take, and what was taken here is done. Never rejects. */
  async work(round: EvaluationRound): Promise<void> {
    while (round.hasNext) {
      const startMs = performance.now();
      try {
        await this.#serve(round);
      } catch (error) {
        // All that the thread has answered is heard before it is gone.
        await this.close();
        const why = error instanceof Error ? error.message : String(error);
        round.abandon(this.#number, why, performance.now() - startMs);
      }
    }
    this.#worker?.unref();
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  /** Rejects when the thread ends or falls silent. */
  async #serve(round: EvaluationRound): Promise<void> {
    const worker = (this.#worker ??= this.#start());
    worker.ref();
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const onExit = (code: number): void => reject(new Error(`the thread ended with code ${code}`));
    const silence = new Silence(ATTACH_MS_MAX, reject);
    const onMessage = (answer: Answer): void => {
      silence.restart(round.timeoutMs + this.#graceMs);
      if (answer.kind === 'outcome') round.note(answer.index, answer.outcome);
      if (answer.kind === 'done') resolve(undefined);
    };
    worker.on('message', onMessage).once('error', reject).once('exit', onExit);
    worker.postMessage(round.orderFor(this.#number));
    try {
      await promise;
      worker.off('message', onMessage);
    } finally {
      silence.end();
      worker.off('error', reject).off('exit', onExit);
    }
  }

  #start(): Worker {
    const worker = this.#startWorker();
    // Whoever waits for an answer hears of an error; between rounds, the exit is all that counts.
    worker.on('error', () => undefined);
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }
}

/** Tells when a thread has said nothing for too long; what is on its way from it is heard first. */
class Silence {
  readonly #onTooLong: (error: Error) => void;
  #timer: NodeJS.Timeout;

  constructor(ms: number, onTooLong: (error: Error) => void) {
    this.#onTooLong = onTooLong;
    this.#timer = this.#after(ms);
  }

  restart(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = this.#after(ms);
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #after(ms: number): NodeJS.Timeout {
    const timer = setTimeout(() => {
      setImmediate(() => {
        if (timer === this.#timer) this.#onTooLong(new Error(`no answer after ${ms} ms`));
      });
    }, ms);
    return timer;
  }
}
