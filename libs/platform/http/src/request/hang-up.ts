import type { FastifyReply } from 'fastify';
import type { ServerResponse } from 'node:http';
import type { HangUp } from '#platform/foundation';
import { HTTP_LIMITS } from '../http-limits.ts';

/**
 * A class, not a literal with an accessor: V8 gives each such literal a hidden class of its own in the old
 * generation, which holds the accessor, and so the whole request, until the next full collection.
 */
class ReplyHangUp implements HangUp {
  readonly #raw: ServerResponse;

  constructor(raw: ServerResponse) {
    this.#raw = raw;
  }

  get aborted(): boolean {
    return this.#raw.destroyed && !this.#raw.writableFinished;
  }
}

/**
 * Reports whether the client disconnected before its response was written. Free of cost until it is polled.
 */
export function hangUpOf({ raw }: Pick<FastifyReply, 'raw'>): HangUp {
  return new ReplyHangUp(raw);
}

/**
 * A signal that aborts when the client disconnects before its response was written, and after the response.
 */
export function abortWhenClosed({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    controller.abort();
  });
  return controller.signal;
}

/** Ends a streamed response whose reader stalls: its source data is held meanwhile. */
export function endWhenStalled({ raw }: FastifyReply): void {
  raw.setTimeout(HTTP_LIMITS.streamIdleTimeoutMs, () => {
    raw.destroy();
  });
}
