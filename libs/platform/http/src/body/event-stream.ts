import type { ServerResponse } from 'node:http';

/** One message of a stream; an `event` without a name would be a plain message. */
export interface StreamMessage {
  readonly event: string;
  readonly data: string;
  readonly id?: string;
}

/** How much may wait for a reader before it is dropped: a few snapshots of a large proxy. */
const BEHIND_BYTES_MAX = 4 * 2 ** 20;
/** How long a browser waits before it connects again. */
const RETRY_MS = 2_000;

/** Server-sent events to one reader, as the HTML standard has them. A reader that does not keep up is cut. */
export class EventStream {
  readonly #response: ServerResponse;

  /** Writes the head. */
  constructor(response: ServerResponse, headers: Readonly<Record<string, string>>) {
    this.#response = response;
    // A reader that has hung up is no failure.
    response.on('error', () => undefined);
    response.writeHead(200, {
      ...headers,
      'Content-Type': 'text/event-stream',
      'X-Accel-Buffering': 'no',
      // Else the connection, idle after the end, would hold up a server that closes.
      Connection: 'close',
    });
    response.write(`retry: ${RETRY_MS}\n\n`);
  }

  /** `data` is one line. */
  send({ event, data, id }: StreamMessage): void {
    const head = id === undefined ? '' : `id: ${id}\n`;
    this.#write(`${head}event: ${event}\ndata: ${data}\n\n`);
  }

  /** A comment, so that nothing in between takes the connection for dead. */
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
