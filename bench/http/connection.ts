import { connect, type Socket } from 'node:net';

const NOTHING = Buffer.alloc(0);
const HEADERS_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');

/**
 * One keep-alive connection with one request at a time. It does as little as possible, so that the server is
 * measured, not the client: bodies are counted, not kept.
 */
export class Connection {
  readonly #socket: Socket;
  #bytes = 0;
  #framing: 'unknown' | 'length' | 'chunks' = 'unknown';
  #left = 0;
  /** The part of earlier chunks that is still needed. */
  #tail: Buffer = NOTHING;
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

  /** Bytes of the reply, including its head. */
  ask(request: Buffer): Promise<number> {
    this.#bytes = 0;
    this.#framing = 'unknown';
    this.#tail = NOTHING;
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
    if (this.#framing === 'length') this.#countDown(chunk.length);
    else if (this.#framing === 'chunks') this.#awaitLastChunk(chunk);
    else this.#readHead(chunk);
  }

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
    this.#framing = length === undefined ? 'chunks' : 'length';
    this.#left = Number(length ?? 0);
    this.#tail = NOTHING;
    if (length === undefined) this.#awaitLastChunk(seen);
    else this.#countDown(seen.length - end - HEADERS_END.length);
  }

  #countDown(bytes: number): void {
    this.#left -= bytes;
    if (this.#left === 0) this.#onReply(this.#bytes);
  }

  /** With one request at a time, nothing can follow the last chunk. */
  #awaitLastChunk(chunk: Buffer): void {
    const held = chunk.length < LAST_CHUNK.length ? Buffer.concat([this.#tail, chunk]) : chunk;
    this.#tail = Buffer.from(held.subarray(-LAST_CHUNK.length));
    if (this.#tail.equals(LAST_CHUNK)) this.#onReply(this.#bytes);
  }
}
