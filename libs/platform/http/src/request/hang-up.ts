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
  // What came before, such as a wait for admission, may have outlasted the connection.
  if (raw.destroyed) controller.abort();
  else
    raw.once('close', () => {
      controller.abort();
    });
  return controller.signal;
}

/** The streamed responses of a server that are open. */
interface OpenStreams {
  readonly responses: Set<ServerResponse>;
  isClosing: boolean;
}

const streams = new WeakMap<object, OpenStreams>();

/** Ends a streamed response whose reader stalls: its source data is held meanwhile. */
export function endWhenStalled({ raw, server: { server } }: FastifyReply): void {
  if (raw.destroyed) return;
  const open = streams.get(server) ?? { responses: new Set(), isClosing: false };
  streams.set(server, open);
  open.responses.add(raw);
  raw.once('close', () => open.responses.delete(raw));
  raw.setTimeout(HTTP_LIMITS.streamIdleTimeoutMs, () => {
    // In the short time of a closing server its source may have had nothing to send.
    if (!open.isClosing || raw.writableLength > 0) raw.destroy();
  });
}

/** The same within a shorter time, for a server that closes. */
export function endStalledSoon(server: object): void {
  const open = streams.get(server);
  if (open === undefined) return;
  open.isClosing = true;
  for (const raw of open.responses) raw.setTimeout(HTTP_LIMITS.closingStreamIdleTimeoutMs);
}
