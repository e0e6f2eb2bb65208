import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Story } from '#testing';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly message: {
    readonly id: string;
    readonly event: string;
    readonly count: number;
    readonly more: number;
    readonly findings: readonly Readonly<Record<string, unknown>>[];
  };
}

type Answering = (reply: ServerResponse, received: Received, nth: number) => void;

/** A webhook receiver with configurable answers. */
export class Receiver {
  readonly story = new Story<Received>();
  readonly #server: Server;
  answer: Answering = (reply) => reply.end();

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  private constructor() {
    this.#server = createServer((request, reply) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString('utf8');
        const { url: path = '', headers } = request;
        const received = { path, headers, body, message: JSON.parse(body) as Received['message'] };
        this.story.record(received);
        this.answer(reply, received, this.story.entries.length);
      });
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get events(): readonly string[] {
    return this.story.entries.map(({ message: { event, count } }) => `${event} ${count}`);
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
    });
  }
}
