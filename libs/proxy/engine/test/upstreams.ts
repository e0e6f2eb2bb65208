import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener, type Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** A server that handles each connection with a script, and records its input. */
export class ScriptedUpstream {
  readonly sockets: Socket[] = [];
  /** All bytes of all connections. */
  seen = '';
  readonly #server: Server;
  readonly #script: (socket: Socket, upstream: ScriptedUpstream) => void;
  #onNews: (() => void) | undefined;

  static async start(
    script: (socket: Socket, upstream: ScriptedUpstream) => void = () => undefined,
  ): Promise<ScriptedUpstream> {
    const upstream = new ScriptedUpstream(script);
    upstream.#server.listen(0, '127.0.0.1');
    await once(upstream.#server, 'listening');
    return upstream;
  }

  private constructor(script: (socket: Socket, upstream: ScriptedUpstream) => void) {
    this.#script = script;
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Resolves when that many connections have arrived. */
  async connections(count: number): Promise<Socket> {
    for (;;) {
      const socket = this.sockets[count - 1];
      if (socket !== undefined) return socket;
      await this.#news();
    }
  }

  /** Resolves when the recorded input satisfies `holds`. */
  async until(holds: (seen: string) => boolean): Promise<string> {
    while (!holds(this.seen)) await this.#news();
    return this.seen;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#onNews = resolve;
    });
  }

  #accept(socket: Socket): void {
    this.sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      this.seen += chunk.toString('latin1');
      this.#onNews?.();
    });
    this.#script(socket, this);
    this.#onNews?.();
  }
}

/** Sends these bytes after the head of each request. */
export function answering(answer: string, andThen: (socket: Socket) => void = () => undefined) {
  return (socket: Socket): void => {
    socket.on('data', (chunk: Buffer) => {
      if (!chunk.toString('latin1').includes('\r\n\r\n')) return;
      socket.write(answer, 'latin1');
      andThen(socket);
    });
  };
}

/** Node's own server. */
export class HttpUpstream {
  readonly server: HttpServer;

  static async start(listener: RequestListener): Promise<HttpUpstream> {
    const upstream = new HttpUpstream(listener);
    upstream.server.listen(0, '127.0.0.1');
    await once(upstream.server, 'listening');
    return upstream;
  }

  private constructor(listener: RequestListener) {
    this.server = createHttpServer(listener);
  }

  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}
