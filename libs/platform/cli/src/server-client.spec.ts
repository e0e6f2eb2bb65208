import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DomainError, Secret } from '#platform/foundation';
import { ServerClient } from './server-client.ts';

const KEY = 'a key of 16 characters';
const OPTIONS = {
  trust: () => Promise.resolve(),
  silence: (base: string) => new DomainError('STORE_UNAVAILABLE', `silent: ${base}`),
};

describe('ServerClient', () => {
  let servers: Server[];
  let asked: (readonly [string | undefined, string | undefined])[];

  beforeEach(() => {
    servers = [];
    asked = [];
  });
  afterEach(async () => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }
  });

  async function serve(answer: RequestListener): Promise<string> {
    const server = createServer((request, reply) => {
      asked.push([request.url, request.headers.authorization]);
      answer(request, reply);
    }).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  const failureOf = (url: string): Promise<unknown> =>
    new ServerClient({ url }, OPTIONS).json('/runs').catch((error: unknown) => error);

  it('sends the key, and returns the object', async () => {
    const url = await serve((_, reply) => reply.end('{"a":1}'));
    const client = new ServerClient({ url, apiKey: new Secret(KEY) }, OPTIONS);

    expect(await client.json('/x')).toEqual({ a: 1 });
    expect(asked).toEqual([['/x', `Bearer ${KEY}`]]);
  });

  it.each(['null', '[]', '7', '"text"', '<html>', ''])('takes %j for no server of ours', async (text) => {
    const url = await serve((_, reply) => reply.end(text));

    expect(await failureOf(url)).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: `expected JSON of a server of Plexus from ${url}`,
    });
  });

  it('follows no redirect, and names where it leads without its path', async () => {
    const other = await serve((_, reply) => reply.end('{}'));
    const url = await serve((_, reply) => reply.writeHead(307, { location: `${other}/secret?a=b` }).end());

    expect(await failureOf(url)).toMatchObject({
      message: `${url} redirects to ${other}: name that address with --url`,
    });
    expect(asked).toHaveLength(1);
  });

  it('throws the error that the server states, in its first characters', async () => {
    const message = 'x'.repeat(1_000_000);
    const body = JSON.stringify({ error: 'NOT_FOUND', message, details: { id: 7 } });
    const url = await serve((_, reply) => reply.writeHead(404).end(body));

    const error = await failureOf(url);

    expect(error).toMatchObject({ code: 'NOT_FOUND', details: { id: 7 } });
    expect((error as DomainError).message.length).toBeLessThan(100_000);
  });

  it('states the status where the server states no error', async () => {
    const url = await serve((_, reply) => reply.writeHead(502).end('[null'));

    expect(await failureOf(url)).toMatchObject({ code: 'INVALID_REQUEST', message: 'HTTP 502' });
  });

  it('takes a reply that breaks off for silence', async () => {
    const url = await serve((_, reply) => {
      reply.writeHead(200, { 'content-length': 9 }).write('{', () => reply.destroy());
    });

    expect(await failureOf(url)).toMatchObject({ message: `silent: ${url}` });
  });
});
