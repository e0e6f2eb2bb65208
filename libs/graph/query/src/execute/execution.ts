import { DomainError, type Clock } from '#platform/foundation';
import type { QueryResult } from '../result/query-result.ts';
import type { ExecutionContext } from './execution-context.ts';

export interface ExecutionLimits {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** From when the time counts, as the clock's monotonic time. */
  readonly sinceMs: number;
  /** Aborted: nobody waits for the answer any more. */
  readonly signal?: Pick<AbortSignal, 'aborted'>;
}

/** A query that runs in slices; between them others have their turn. */
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
   * Goes on for about `sliceMs`. Gives the result when there is one; throws what the query throws, and
   * QUERY_TIMEOUT past the deadline or once the signal is aborted. After either, the execution has ended.
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

  /** Memory that it holds between two slices, about. */
  get heldBytes(): number {
    return this.#context.heldBytes;
  }

  /** Gives up what was built so far: the next slice begins anew. */
  setAside(): void {
    this.#work = undefined;
    this.#context.release();
  }

  #checkLimits(nowMs: number): void {
    const { signal, timeoutMs, sinceMs } = this.#limits;
    if (signal?.aborted === true) {
      throw new DomainError('QUERY_TIMEOUT', 'query stopped: nobody waits for its answer any more');
    }
    if (nowMs > sinceMs + timeoutMs) {
      const wholeMs = Math.round(timeoutMs);
      throw new DomainError('QUERY_TIMEOUT', `query stopped after ${String(wholeMs)} ms`, {
        details: { timeout_ms: wholeMs },
      });
    }
  }
}
