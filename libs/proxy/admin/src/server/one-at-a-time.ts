/**
 * Processes the requests of a connection one at a time: the first at once, each later one when the previous
 * response has been sent and the scheduler reaches the connection. The scheduler starts one request in each
 * iteration of the event loop.
 *
 * Node parses all data of a read, and starts each request at once. A few hundred pipelined requests in 12 KB
 * from a few connections would block all other clients, and hold all responses in memory; and while an
 * iteration takes long, new connections wait, because each iteration accepts one.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { RequestReader, type RequestReaderOwner } from '#proxy/engine';
import { answer, CONTENT_TYPE } from '../answer/answer.ts';
import { answerLast } from './client-error.ts';
import { onConnection } from './connection-event.ts';

export function readOneAtATime(server: Server): void {
  const scheduler = new Scheduler();
  const connections = new WeakMap<Socket, AdminConnection>();
  onConnection(server, (socket) => connections.set(socket, new AdminConnection(socket, scheduler)));
  server.prependListener('request', (request, response) =>
    connections.get(request.socket)?.begin(request, response),
  );
  server.on('connect', ({ socket }) => connections.get(socket)?.leave());
}

class Scheduler {
  readonly #queue: (() => void)[] = [];

  schedule(run: () => void): void {
    if (this.#queue.push(run) === 1) setImmediate(() => this.#next());
  }

  #next(): void {
    this.#queue[0]?.();
    this.#queue.shift();
    if (this.#queue.length > 0) setImmediate(() => this.#next());
  }
}

class AdminConnection implements RequestReaderOwner {
  readonly #socket: Socket;
  readonly #scheduler: Scheduler;
  readonly #reader: RequestReader;
  #isUnderWay = false;
  #isWaiting = false;
  isFree = true;

  constructor(socket: Socket, scheduler: Scheduler) {
    this.#socket = socket;
    this.#scheduler = scheduler;
    this.#reader = new RequestReader(socket, this);
  }

  begin(request: IncomingMessage, response: ServerResponse): void {
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    this.isFree = false;
    this.#isUnderWay = true;
    this.#reader.began(request, { isChunked: coding !== undefined, contentLength: Number(length ?? 0) });
    response.once('close', () => this.#end());
  }

  heldBack(): void {
    if (!this.#isUnderWay) this.#wait();
  }

  refuseLine(): void {
    this.#reader.stop();
    answerLast(this.#socket, answer(400, CONTENT_TYPE.text, 'Bad Request\n'));
  }

  /** The socket no longer speaks HTTP. */
  leave(): void {
    this.#reader.leave();
  }

  #end(): void {
    this.#isUnderWay = false;
    if (this.#reader.isHolding) this.#wait();
  }

  #wait(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#scheduler.schedule(() => this.#readOn());
  }

  #readOn(): void {
    this.#isWaiting = false;
    if (this.#socket.destroyed) return;
    this.isFree = true;
    this.#reader.readOn();
  }
}
