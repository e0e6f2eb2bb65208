import { once } from 'node:events';
import { WebSocket } from 'ws';
import { decodeFeedFrame, type FeedMessage, hashesOf, toHex } from '#load/chain';

/** A connected reader of the feed that keeps all received messages. */
export class FeedReader {
  readonly messages: FeedMessage[] = [];
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly socket: WebSocket;
  /** Resolves when the connection is closed. */
  readonly closed: Promise<unknown>;
  #arrived: () => void = () => undefined;

  private constructor(socket: WebSocket, headers: Readonly<Record<string, string | string[] | undefined>>) {
    this.socket = socket;
    this.headers = headers;
    this.closed = once(socket, 'close');
    socket.on('message', (data: Buffer) => {
      this.messages.push(...decodeFeedFrame(data.toString()).messages);
      this.#arrived();
    });
  }

  static async open(port: number, headers: Readonly<Record<string, string>> = {}): Promise<FeedReader> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}`, { headers });
    let reader: FeedReader | undefined;
    socket.on('upgrade', (response) => (reader = new FeedReader(socket, response.headers)));
    await once(socket, 'open');
    if (reader === undefined) throw new Error('no upgrade came before the connection');
    return reader;
  }

  get numbers(): number[] {
    return this.messages.map(({ sequenceNumber }) => sequenceNumber);
  }

  get hashes(): string[] {
    return this.messages.flatMap(({ l2Msg }) => hashesOf(l2Msg)).map(toHex);
  }

  /** Resolves when the received messages satisfy the condition. */
  async until(isReached: (reader: this) => boolean): Promise<this> {
    while (!isReached(this)) await new Promise<void>((resolve) => (this.#arrived = resolve));
    return this;
  }

  close(): void {
    this.socket.terminate();
  }
}
