import { connect, type Socket } from 'node:net';

const HEADERS_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');

/**
 * One keep-alive connection with one request under way. It does as little as it can, so that the server and
 * not the client is measured: bodies are counted, not kept.
 */
export class Connection {
  readonly #socket: Socket;
  #bytes = 0;
  /** Of the body; −1 until its length is known. */
  #left = -1;
  #tail: Buffer = Buffer.alloc(0);
  #onReply: (bytes: number) => void = () => undefined;
  #onFailure: (error: Error) => void = () => undefined;

  constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('error', (error) => {
      this.#onFailure(error);
    });
    this.#socket.on('close', () => {
      this.#onFailure(new Error('the server hung up'));
    });
    this.#socket.on('data', (chunk) => {
      this.#take(chunk);
    });
  }

  /** Bytes of the reply, its head too. */
  ask(request: Buffer): Promise<number> {
    this.#bytes = 0;
    this.#left = -1;
    this.#tail = Buffer.alloc(0);
    return new Promise((resolve, reject) => {
      this.#onReply = resolve;
      this.#onFailure = reject;
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#left >= 0) this.#countDown(chunk.length);
    else this.#readHead(chunk);
  }

  /** Of a reply with a length what is left is counted; a chunked one ends with its last chunk. */
  #readHead(chunk: Buffer): void {
    const seen = Buffer.concat([this.#tail, chunk]);
    const end = seen.indexOf(HEADERS_END);
    if (end < 0) {
      this.#tail = seen;
      return;
    }
    const head = seen.toString('latin1', 0, end);
    if (!head.startsWith('HTTP/1.1 200')) {
      this.#onFailure(new Error(`expected 200, got ${seen.toString('utf8', 0, 400)}`));
      return;
    }
    const length = /content-length: (\d+)/i.exec(head)?.[1];
    if (length === undefined) this.#awaitLastChunk(seen);
    else {
      this.#left = Number(length);
      this.#countDown(seen.length - end - HEADERS_END.length);
    }
  }

  #awaitLastChunk(seen: Buffer): void {
    this.#tail = seen;
    if (seen.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)) this.#onReply(this.#bytes);
  }

  #countDown(bytes: number): void {
    this.#left -= bytes;
    if (this.#left === 0) this.#onReply(this.#bytes);
  }
}
