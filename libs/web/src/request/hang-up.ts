import type { FastifyReply } from 'fastify';
import { HTTP_LIMITS } from '../http-limits.ts';

/** Whether work for a client is in vain; looked at now and then, like an `AbortSignal`. */
export interface HangUp {
  readonly aborted: boolean;
}

/** Tells whether the client went away before its reply was written. Costs nothing until it is asked. */
export function hangUpOf({ raw }: FastifyReply): HangUp {
  return {
    get aborted() {
      return raw.destroyed && !raw.writableFinished;
    },
  };
}

/** Ends a streamed reply whose reader takes nothing for too long: what it is made of is held meanwhile. */
export function endWhenStalled({ raw }: FastifyReply): void {
  raw.setTimeout(HTTP_LIMITS.streamIdleTimeoutMs, () => {
    raw.destroy();
  });
}
