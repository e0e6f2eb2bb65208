import type { ServerResponse } from 'node:http';

/** One message of a stream; `event` is required, unlike in the standard. */
export interface StreamMessage {
  readonly event: string;
  readonly data: string;
  readonly id?: string;
}

/** Data that may wait for a slow reader before it is disconnected: a few snapshots of a large proxy. */
const BEHIND_BYTES_MAX = 4 * 2 ** 20;
/** The delay after which a browser reconnects. */
const RETRY_MS = 2_000;

/**
 * Server-sent events to one reader, as in the HTML standard. A reader that does not keep up is disconnected.
 */
export class EventStream {
  readonly #response: ServerResponse;

  /** Writes the response head. */
  constructor(response: ServerResponse, headers: Readonly<Record<string, string>>) {
    this.#response = response;
    // A disconnected reader is not a failure.
    response.on('error', () => undefined);
    response.writeHead(200, {
      ...headers,
      'Content-Type': 'text/event-stream',
      'X-Accel-Buffering': 'no',
      // Otherwise the idle connection would delay a server that closes.
      Connection: 'close',
    });
    response.write(`retry: ${RETRY_MS}\n\n`);
  }

  /** `data` must be a single line. */
  send({ event, data, id }: StreamMessage): void {
    const head = id === undefined ? '' : `id: ${id}\n`;
    this.#write(`${head}event: ${event}\ndata: ${data}\n\n`);
  }

  /** Sends a comment, so that no proxy on the way closes an idle connection. */
  keepAlive(): void {
    this.#write(': keep-alive\n\n');
  }

  end(): void {
    this.#response.end();
  }

  #write(text: string): void {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return;
    if (response.writableLength > BEHIND_BYTES_MAX) response.destroy();
    else response.write(text);
  }
}
