import type { FastifyReply } from 'fastify';
import type { HangUp } from '#platform/foundation';
import { HTTP_LIMITS } from '../http-limits.ts';

/** Tells whether the client went away before its reply was written. Costs nothing until it is asked. */
export function hangUpOf({ raw }: FastifyReply): HangUp {
  return {
    get aborted() {
      return raw.destroyed && !raw.writableFinished;
    },
  };
}

/** Aborts when the client goes away before its reply was written, for who waits; and after the reply. */
export function abortWhenClosed({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    controller.abort();
  });
  return controller.signal;
}

/** Ends a streamed reply whose reader takes nothing for too long: what it is made of is held meanwhile. */
export function endWhenStalled({ raw }: FastifyReply): void {
  raw.setTimeout(HTTP_LIMITS.streamIdleTimeoutMs, () => {
    raw.destroy();
  });
}
