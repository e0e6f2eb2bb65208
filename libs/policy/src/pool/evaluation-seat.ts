import type { Worker } from 'node:worker_threads';
import { failedOutcome } from '../evaluation/evaluate-rule.ts';
import type { RuleOutcome, RuleTask } from '../evaluation/outcome.ts';
import type { Answer, Order } from './messages.ts';

/** A rule stops itself at its time-out; a thread that has not answered so long after it is ended. */
const GRACE_MS = 1_000;
const ATTACH_MS_MAX = 60_000;

/**
 * One thread, one order at a time. A thread that ends, or does not answer in time, costs the rule at hand;
 * the next order gets a new one.
 */
export class EvaluationSeat {
  readonly #startWorker: () => Worker;
  readonly #graceMs: number;
  #worker: Worker | undefined;
  #isAttached = false;

  constructor(startWorker: () => Worker, graceMs = GRACE_MS) {
    this.#startWorker = startWorker;
    this.#graceMs = graceMs;
  }

  /** Never rejects. `shared` is posted when this thread does not have it yet. */
  async evaluate(task: RuleTask, shared: unknown): Promise<RuleOutcome> {
    const startMs = performance.now();
    try {
      if (!this.#isAttached) await this.#order({ kind: 'attach', shared }, ATTACH_MS_MAX);
      this.#isAttached = true;
      const answer = await this.#order({ kind: 'evaluate', task }, task.timeoutMs + this.#graceMs);
      if (answer.kind === 'outcome') return answer.outcome;
      throw new Error('the thread gave another answer');
    } catch (error) {
      await this.close();
      const why = error instanceof Error ? error.message : String(error);
      return failedOutcome(`stopped: ${why}`, performance.now() - startMs);
    }
  }

  /** Lets go of the snapshot; the thread waits for the next one, and keeps no process alive. */
  release(): void {
    this.#isAttached = false;
    this.#worker?.postMessage({ kind: 'release' } satisfies Order);
    this.#worker?.unref();
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#isAttached = false;
    await worker?.terminate();
  }

  #order(order: Order, timeoutMs: number): Promise<Answer> {
    const worker = (this.#worker ??= this.#start());
    worker.ref();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const onExit = (code: number): void => {
      reject(new Error(`the thread ended with code ${code}`));
    };
    const timer = setTimeout(() => {
      reject(new Error(`no answer after ${timeoutMs} ms`));
    }, timeoutMs);
    worker.once('message', resolve).once('error', reject).once('exit', onExit);
    worker.postMessage(order);
    return promise.finally(() => {
      clearTimeout(timer);
      worker.off('message', resolve).off('error', reject).off('exit', onExit);
    });
  }

  #start(): Worker {
    const worker = this.#startWorker();
    // Whoever waits for an answer hears of an error; between orders, the exit is all that counts.
    worker.on('error', () => undefined);
    worker.once('exit', () => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#isAttached = false;
    });
    return worker;
  }
}
