import { DomainError, type Clock } from '#platform/foundation';
import type { QueryResult } from '../../result/query-result.ts';
import type { ExecutionContext } from '#graph/execution';

export interface ExecutionLimits {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Start of the time-out, in the clock's monotonic time. */
  readonly sinceMs: number;
  /** Aborted when the answer is no longer needed. */
  readonly signal?: Pick<AbortSignal, 'aborted'>;
}

/** A query that runs in slices, between which other work can run. */
export class QueryExecution {
  readonly #context: ExecutionContext;
  readonly #start: () => Generator<void, QueryResult>;
  readonly #limits: ExecutionLimits;
  #work: Generator<void, QueryResult> | undefined;

  constructor(context: ExecutionContext, start: () => Generator<void, QueryResult>, limits: ExecutionLimits) {
    this.#context = context;
    this.#start = start;
    this.#limits = limits;
  }

  /**
   * Continues for about `sliceMs`. Returns the result once complete; throws the query's errors, and
   * QUERY_TIMEOUT past the deadline or after the signal is aborted. Either ends the execution.
   */
  advance(sliceMs: number): QueryResult | undefined {
    let hasEnded = true;
    try {
      const nowMs = this.#limits.clock.monotonicMs();
      this.#checkLimits(nowMs);
      this.#context.pace.startSlice(nowMs + sliceMs);
      this.#work ??= this.#start();
      const turn = this.#work.next();
      hasEnded = turn.done === true;
      return turn.done === true ? turn.value : undefined;
    } finally {
      if (hasEnded) this.#context.release();
    }
  }

  /** Approximate memory held between two slices. */
  get heldBytes(): number {
    return this.#context.heldBytes;
  }

  /** Discards the intermediate state: the next slice starts again. */
  setAside(): void {
    this.#work = undefined;
    this.#context.release();
  }

  #checkLimits(nowMs: number): void {
    const { signal, timeoutMs, sinceMs } = this.#limits;
    if (signal?.aborted === true) {
      throw new DomainError('QUERY_TIMEOUT', 'query stopped: the client has disconnected');
    }
    if (nowMs > sinceMs + timeoutMs) {
      const wholeMs = Math.round(timeoutMs);
      throw new DomainError('QUERY_TIMEOUT', `query stopped after ${String(wholeMs)} ms`, {
        details: { timeout_ms: wholeMs },
      });
    }
  }
}
