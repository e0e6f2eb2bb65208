import type { EvaluationRound } from './evaluation-round.ts';
import type { EvaluationWorker } from './evaluation-order.ts';
import { receivedOutcome } from './sent-outcome.ts';

/** A rule stops itself at its time-out; a thread without an answer is ended this long after it. */
const GRACE_MS = 1_000;
const ATTACH_MS_MAX = 60_000;

/**
 * One thread, one round at a time. If the thread ends, or does not answer in time, the current rule fails,
 * and a new thread continues with the rest.
 */
export class EvaluationThread {
  readonly #number: number;
  readonly #startWorker: () => EvaluationWorker;
  readonly #graceMs: number;
  #worker: EvaluationWorker | undefined;

  constructor(number: number, startWorker: () => EvaluationWorker, graceMs = GRACE_MS) {
    this.#number = number;
    this.#startWorker = startWorker;
    this.#graceMs = graceMs;
  }

  /** Resolves when all tasks of the round are claimed, and those of this thread are done. Never rejects. */
  async work(round: EvaluationRound): Promise<void> {
    while (round.hasNext) {
      const startMs = performance.now();
      try {
        await this.#serve(round);
      } catch (error) {
        // Messages already sent by the thread are received before its end.
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

  /** Rejects when the thread ends or stops answering. */
  async #serve(round: EvaluationRound): Promise<void> {
    if (this.#worker?.isRunning !== true) this.#worker = this.#startWorker();
    const worker = this.#worker;
    const silence = new Silence(ATTACH_MS_MAX);
    const heard = (): void => {
      silence.restart(round.timeoutMs + this.#graceMs);
    };
    worker.listener = {
      attached: heard,
      outcome: (index, outcome) => {
        heard();
        round.note(index, receivedOutcome(outcome));
      },
    };
    worker.ref();
    try {
      await Promise.race([worker.call('evaluate', [round.orderFor(this.#number)]), silence.tooLong]);
    } finally {
      silence.end();
    }
  }
}

/** A timer of a thread's silence; messages in transit are received before it expires. */
class Silence {
  readonly #tooLong = Promise.withResolvers<never>();
  #timer: NodeJS.Timeout;

  constructor(ms: number) {
    this.#timer = this.#after(ms);
  }

  /** Rejects when the time is over. */
  get tooLong(): Promise<never> {
    return this.#tooLong.promise;
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
        if (timer === this.#timer) this.#tooLong.reject(new Error(`no answer after ${ms} ms`));
      });
    }, ms);
    return timer;
  }
}
