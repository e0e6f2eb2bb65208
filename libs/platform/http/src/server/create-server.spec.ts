import { afterEach, describe, expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pause } from '#platform/foundation';
import { createLogger } from '#platform/observability';
import { ErrorFilter } from '../error/error.filter.ts';
import { endWhenStalled } from '../request/hang-up.ts';
import { createServer } from './create-server.ts';

const log = createLogger({ format: 'json', level: 'silent' });
const sockets: Socket[] = [];
const HEAD = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n';
const WHOLE = `${HEAD}{}`;

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

async function listeningServer(closeGraceMs: number): Promise<FastifyInstance> {
  const server = createServer({
    bodyBytesMax: 1024,
    closeGraceMs,
    log,
    errors: new ErrorFilter({ log }),
  });
  server.post('/', () => ({}));
  await server.listen({ port: 0, host: '127.0.0.1' });
  return server;
}

/** Resolves when the server has started to read the request. */
async function beginRequest(server: FastifyInstance): Promise<Socket> {
  const begun = once(server.server, 'request');
  const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  socket.write(`${HEAD}{`);
  await begun;
  return socket;
}

describe('createServer, while it closes', () => {
  it('does not wait for a client that never ends its request', async () => {
    const server = await listeningServer(50);
    const socket = await beginRequest(server);
    const ended = once(socket, 'close');

    await server.close();

    await ended;
    expect(server.server.listening).toBe(false);
  });

  it('answers a request that ends in time', async () => {
    const server = await listeningServer(60_000);
    const socket = await beginRequest(server);
    const answer = once(socket, 'data');

    const closed = server.close();
    socket.write('}');

    expect(String(await answer)).toMatch(/^HTTP\/1\.1 200 [^]*\r\nconnection: close\r\n/i);
    await closed;
  });

  it('answers a request that has arrived on a kept connection and is not yet read', async () => {
    const server = await listeningServer(60_000);
    const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(socket);
    socket.write(WHOLE);
    await once(socket, 'data');

    const answer = once(socket, 'data');
    socket.write(WHOLE);
    const closed = server.close();

    expect(String(await answer)).toMatch(/^HTTP\/1\.1 200 [^]*\r\nconnection: close\r\n/i);
    await closed;
  });
});

describe('createServer, while it closes over a streamed response', () => {
  /** A server with one stream, and a client that has read the first of it. */
  async function streaming(source: () => AsyncGenerator<string>): Promise<{
    readonly server: FastifyInstance;
    readonly socket: Socket;
    readonly raw: ServerResponse;
  }> {
    const begun = Promise.withResolvers<ServerResponse>();
    const errors = new ErrorFilter({ log });
    const server = createServer({ bodyBytesMax: 1024, closeGraceMs: 3_600_000, log, errors });
    server.get('/', (_request, reply) => {
      endWhenStalled(reply);
      begun.resolve(reply.raw);
      return reply.send(Readable.from(source(), { objectMode: false }));
    });
    await server.listen({ port: 0, host: '127.0.0.1' });
    const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(socket);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    return { server, socket, raw: await begun.promise };
  }

  it('does not wait for a reader that takes nothing', async () => {
    const { server, socket, raw } = await streaming(async function* () {
      for (;;) yield 'x'.repeat(65_536);
    });
    socket.pause();
    while (raw.writableLength === 0) await pause(1);

    await server.close();

    expect(raw.destroyed).toBe(true);
  });

  it('waits for a source that has nothing yet', async () => {
    const source = Promise.withResolvers<string>();
    const { server, socket, raw } = await streaming(async function* () {
      yield 'first ';
      yield await source.promise;
    });
    const rest = once(socket, 'data');

    const closed = server.close();
    await once(raw, 'timeout');
    source.resolve('second');

    expect(String(await rest)).toContain('second');
    await closed;
  });
});

describe('createServer, whose admission has to wait', () => {
  it.each(['/', '/%zz'])('answers 500 to %s where it fails, and goes on', async (path) => {
    const server = createServer({
      bodyBytesMax: 1024,
      closeGraceMs: 1,
      log,
      errors: new ErrorFilter({ log }),
      faultOf: () => Promise.reject(new Error('a defect')),
    });
    server.get('/', () => ({}));
    const url = await server.listen({ port: 0, host: '127.0.0.1' });

    const replies = [await fetch(url + path), await fetch(url + path)];
    const statuses = replies.map(({ status }) => status);
    for (const reply of replies) await reply.body?.cancel();
    await server.close();

    expect(statuses).toEqual([500, 500]);
  });
});
