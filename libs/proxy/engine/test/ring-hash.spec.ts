import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { ProxyBed } from './proxy-bed.ts';
import { RawClient } from './raw-client.ts';
import { answering, ScriptedUpstream } from './upstreams.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const CLIENTS = Array.from({ length: 40 }, (_, index) => index + 1);

/** Responds until its client has ended. */
function answerAndEnd(socket: Socket): void {
  socket.once('end', () => socket.end());
  answering(OK)(socket);
}

describe('ring_hash', () => {
  const upstreams: ScriptedUpstream[] = [];
  let bed: ProxyBed;

  afterEach(async () => {
    await bed.atRest();
    await bed.stop();
    await Promise.all(upstreams.splice(0).map((upstream) => upstream.stop()));
  });

  async function start(hashKey: string, listener: object, rest: object = {}): Promise<number> {
    for (let count = 0; count < 2; count++) upstreams.push(await ScriptedUpstream.start(answerAndEnd));
    const endpoints = upstreams.map(({ address }) => ({ address }));
    bed = await ProxyBed.start({
      listeners: [{ name: 'in', address: '127.0.0.1:0', ...listener }],
      clusters: [{ name: 'api', lb_policy: 'ring_hash', hash_key: hashKey, endpoints }],
      drain: { grace: '0s', timeout: '0s' },
      ...rest,
    });
    return bed.port('in');
  }

  /** The number of requests, or TCP connections, of each endpoint. */
  async function counts(): Promise<readonly number[]> {
    const { clusters } = await bed.atRest();
    return clusters[0]!.endpoints.map(({ requestsTotal }) => requestsTotal);
  }

  /** The increase of these numbers during `run`. */
  async function countsOf(run: () => Promise<unknown>): Promise<readonly number[]> {
    const before = await counts();
    await run();
    const after = await counts();
    return after.map((count, index) => count - before[index]!);
  }

  describe('by a header', () => {
    const HTTP = { trusted_proxies: ['127.0.0.1'] };
    const ROUTES = { routes: [{ prefix: '/', cluster: 'api' }] };
    const ask = (port: number, client: number, header: string): Promise<string> =>
      RawClient.exchange(
        port,
        `GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Forwarded-For: 192.0.2.${client}\r\n${header}\r\n`,
      );

    it('sends equal values to the same endpoint, for any client, in any spelling of the name', async () => {
      const port = await start('header:x-user', HTTP, ROUTES);

      const same = await countsOf(async () => {
        for (const client of CLIENTS) await ask(port, client, `X${'-_.'[client % 3]}User: one\r\n`);
      });
      const different = await countsOf(async () => {
        for (const user of CLIENTS) await ask(port, 1, `x-user: ${user}\r\n`);
      });

      expect(same.toSorted()).toEqual([0, CLIENTS.length]);
      expect(Math.min(...different)).toBeGreaterThan(0);
    });

    it('sends requests without the header by the address of the client', async () => {
      const port = await start('header:x-user', HTTP, ROUTES);

      const spread = await countsOf(async () => {
        for (const client of CLIENTS) await ask(port, client, '');
      });
      const one = await countsOf(async () => {
        for (let count = 0; count < CLIENTS.length; count++) await ask(port, 1, '');
      });

      expect(Math.min(...spread)).toBeGreaterThan(0);
      expect(one.toSorted()).toEqual([0, CLIENTS.length]);
    });
  });

  it.each(['source_ip', 'header:x-user'])('sends TCP connections by address: %s', async (hashKey) => {
    const port = await start(hashKey, { protocol: 'tcp', cluster: 'api' });
    const visit = async (localAddress: string): Promise<void> => {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      socket.write('GET / HTTP/1.1\r\n\r\n');
      await once(socket, 'data');
      socket.destroy();
      await once(socket, 'close');
    };

    const spread = await countsOf(async () => {
      for (const client of CLIENTS) await visit(`127.0.1.${client}`);
    });
    const one = await countsOf(async () => {
      for (let count = 0; count < CLIENTS.length; count++) await visit('127.0.1.1');
    });

    expect(Math.min(...spread)).toBeGreaterThan(0);
    expect(one.toSorted()).toEqual([0, CLIENTS.length]);
  });
});
