import { connect, type Socket } from 'node:net';

/** A client that sends exact bytes, and keeps everything received. */
export class RawClient {
  readonly socket: Socket;
  /** Resolves when the connection is closed in any way. */
  readonly closed: Promise<void>;
  received = '';
  fault: (Error & { code?: string }) | undefined;
  hasEnded = false;
  #onNews: (() => void) | undefined;

  static async to(port: number, host = '127.0.0.1'): Promise<RawClient> {
    const socket = connect({ port, host, allowHalfOpen: true });
    const client = new RawClient(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return client;
  }

  /** Sends, and returns everything received until the connection is closed. */
  static async exchange(port: number, request: string): Promise<string> {
    const client = await RawClient.to(port);
    client.send(request);
    await client.ended();
    client.socket.destroy();
    return client.received;
  }

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      this.received += text;
      this.#onNews?.();
    });
    socket.on('error', (error) => {
      this.fault = error;
    });
    socket.on('end', () => {
      this.hasEnded = true;
      this.#onNews?.();
    });
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        resolve();
        this.#onNews?.();
      });
    });
  }

  get statusCode(): number {
    return Number(/^HTTP\/1\.1 (\d{3}) /.exec(this.received)?.[1] ?? '0');
  }

  send(text: string): void {
    this.socket.write(text, 'latin1');
  }

  /** Resolves when the received text satisfies `holds`; rejects when the connection ends before. */
  async until(holds: (received: string) => boolean): Promise<string> {
    while (!holds(this.received)) {
      if (this.hasEnded || this.socket.destroyed) {
        throw new Error(`connection ended after ${JSON.stringify(this.received)}`);
      }
      await this.#news();
    }
    return this.received;
  }

  /** Resolves when the peer has ended, or reset, the connection. */
  async ended(): Promise<void> {
    while (!this.hasEnded && !this.socket.destroyed) await this.#news();
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#onNews = resolve;
    });
  }
}
