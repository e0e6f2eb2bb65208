import { pause } from '#platform/foundation';
import type { FailureClass } from './failure-class.ts';
import type { RpcReplyFault } from './rpc-reply.ts';

/** Failures of a read after which the same read may succeed, at this server or at another one behind it. */
const TRANSIENT: ReadonlySet<FailureClass> = new Set([
  'rate_limited',
  'queue_timeout',
  'sequencer_unavailable',
  'rpc_internal',
  'rpc_error',
  'rpc_unreachable',
  'rpc_transport',
  'rpc_timeout',
  'rpc_garbage',
]);
/** Failures that may take the whole time-out, so that further attempts are expensive. */
const SLOW: ReadonlySet<FailureClass> = new Set(['rpc_unreachable', 'rpc_timeout']);
const RETRY_MS = 100;
const RETRY_MS_MAX = 2_000;
const HTTP_INTERNAL = 500;
/** Request time-out, and too early. */
const HTTP_TRANSIENT = new Set([408, 425]);

/** The time in which a read, or many reads of one purpose, are repeated: it starts with the first failure. */
export class Patience {
  readonly #patienceMs: number;
  readonly #closing: AbortSignal;
  #untilMs: number | undefined;

  constructor(patienceMs: number, closing: AbortSignal) {
    this.#patienceMs = patienceMs;
    this.#closing = closing;
  }

  /** Whether further reads are given up without an attempt, after this failure. */
  isSpentBy({ failure }: RpcReplyFault): boolean {
    this.#untilMs ??= performance.now() + this.#patienceMs;
    return this.#closing.aborted || (SLOW.has(failure) && performance.now() >= this.#untilMs);
  }

  /**
   * Waits before the next attempt, as long as the server asks; `attempt` counts from 0. False if there is
   * none: the failure is permanent, or there is no time left.
   */
  async waits(fault: RpcReplyFault, attempt: number): Promise<boolean> {
    const nowMs = performance.now();
    this.#untilMs ??= nowMs + this.#patienceMs;
    if (this.#closing.aborted || !isTransient(fault)) return false;
    const backOffMs = Math.min(RETRY_MS * 2 ** attempt, RETRY_MS_MAX) * (1 + Math.random() / 2);
    const waitMs = Math.max(backOffMs, fault.retryAfterMs ?? 0);
    if (nowMs + waitMs >= this.#untilMs) return false;
    await pause(waitMs, this.#closing);
    return !this.#closing.aborted;
  }
}

/** Whether a failure of a whole batch concerns its size or form, so that smaller ones may succeed. */
export function isOfBatch(fault: RpcReplyFault): boolean {
  return fault.failure === 'rpc_garbage' || fault.failure === 'rpc_error' || !isTransient(fault);
}

function isTransient({ failure, status }: RpcReplyFault): boolean {
  if (failure !== 'rpc_http_status') return TRANSIENT.has(failure);
  return status !== undefined && (status >= HTTP_INTERNAL || HTTP_TRANSIENT.has(status));
}
