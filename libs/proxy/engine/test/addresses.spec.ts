import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo, createServer as createPlainServer, type Server } from 'node:net';
import { createServer } from 'node:tls';
import { freePort } from '#testing';
import { makeCertificate } from './certificate.ts';
import { ProxyBed } from './proxy-bed.ts';
import { RawClient } from './raw-client.ts';
import { settled, TurnedTimers } from './turned-timers.ts';
import { answering, HttpUpstream, ScriptedUpstream } from './upstreams.ts';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
/** Addresses without a listener; some hosts have no route to the second. */
const NOBODY = ['127.0.0.3', '::1'];

describe('a name with several addresses', () => {
  const stops: (() => Promise<unknown>)[] = [];
  let bed: ProxyBed;

  afterEach(async () => {
    await bed.atRest();
    await bed.stop();
    for (const stop of stops.splice(0)) await stop();
  });

  async function start(
    port: number,
    { ips, cluster = {}, listener = {}, timers }: StartOptions,
  ): Promise<number> {
    const isTcp = 'protocol' in listener;
    bed = await ProxyBed.start(
      {
        listeners: [{ name: 'in', address: '127.0.0.1:0', ...listener }],
        clusters: [{ name: 'api', endpoints: [{ address: `api.test:${port}` }], ...cluster }],
        ...(isTcp ? {} : { routes: [{ prefix: '/', cluster: 'api' }] }),
        drain: { grace: '0s', timeout: '0s' },
      },
      { names: { 'api.test': ips }, ...(timers !== undefined && { timers }) },
    );
    return bed.port('in');
  }

  interface StartOptions {
    readonly ips: readonly string[];
    readonly cluster?: object;
    readonly listener?: object;
    readonly timers?: TurnedTimers;
  }

  async function http(): Promise<number> {
    const upstream = await HttpUpstream.start((_, response) => response.end('ok'));
    stops.push(() => upstream.stop());
    return Number(upstream.address.split(':')[1]);
  }

  const endpointNow = async () => (await bed.proxy.snapshot()).clusters[0]!.endpoints[0]!;

  it('answers every request when only one address is served, without any retry', async () => {
    const port = await start(await http(), { ips: ['127.0.0.1', ...NOBODY] });

    const answers: string[] = [];
    for (let request = 0; request < 12; request++) answers.push(await RawClient.exchange(port, GET));

    expect(answers.map((answer) => answer.slice(9, 12))).toEqual(Array<string>(12).fill('200'));
    expect(await endpointNow()).toMatchObject({ connectFailures: 0, requestsTotal: 12 });
  });

  it('connects every TCP connection to the served address', async () => {
    const upstream = await ScriptedUpstream.start((socket) => socket.pipe(socket));
    stops.push(() => upstream.stop());
    const port = await start(upstream.port, {
      ips: ['127.0.0.1', ...NOBODY],
      listener: { protocol: 'tcp', cluster: 'api' },
    });

    for (let connection = 0; connection < 6; connection++) {
      const client = await RawClient.to(port);
      client.send('hello');
      await client.until((received) => received === 'hello');
      client.socket.end();
      await client.closed;
    }

    expect(await endpointNow()).toMatchObject({ connectFailures: 0, connectionsTotal: 6 });
  });

  it('is healthy when its checks find one address served, and gets requests there', async () => {
    const port = await start(await http(), {
      ips: ['127.0.0.1', ...NOBODY],
      cluster: { health_check: { path: '/' } },
    });

    const answers = [await RawClient.exchange(port, GET), await RawClient.exchange(port, GET)];

    const { healthy, targets } = await endpointNow();
    expect(healthy).toBe(true);
    expect(targets.map((target) => target.healthy)).toEqual([true, false, false]);
    expect(answers.every((answer) => answer.startsWith('HTTP/1.1 200'))).toBe(true);
  });

  it('fails a request once, with the reason, when none is served', async () => {
    const port = await start(await freePort(), { ips: ['127.0.0.3', '127.0.0.4', '127.0.0.5'] });

    const answer = await RawClient.exchange(port, GET);

    expect(answer).toMatch(/^HTTP\/1\.1 502/);
    const { clusters } = await bed.proxy.snapshot();
    expect(clusters[0]?.upstreamFailures).toMatchObject({ connection_refused: 1, connect_timeout: 0 });
    expect(clusters[0]?.endpoints[0]?.connectFailures).toBe(1);
  });

  it('tries the next address after a quarter of a second, and still waits for the first', async () => {
    const certificate = makeCertificate('api.test');
    const silent: Server = createPlainServer((socket) => socket.on('error', () => undefined));
    silent.listen(0, '127.0.0.2');
    await once(silent, 'listening');
    const { port: upstreamPort } = silent.address() as AddressInfo;
    const secure = createServer({ cert: certificate.cert, key: certificate.key }, answering(OK));
    secure.listen(upstreamPort, '127.0.0.1');
    await once(secure, 'listening');
    stops.push(
      async () => silent.close(),
      async () => secure.close(),
    );
    const timers = new TurnedTimers();
    const port = await start(upstreamPort, {
      ips: ['127.0.0.2', '127.0.0.1'],
      cluster: { tls: { verify: false }, connect_timeout: '1s' },
      timers,
    });
    const client = await RawClient.to(port);
    client.send(GET);
    await once(silent, 'connection');
    await timers.turn(249);
    const early = client.received;

    await timers.turn(1);
    await client.ended();

    expect([early, client.statusCode]).toEqual(['', 200]);
    expect(await endpointNow()).toMatchObject({ connectFailures: 0 });
    client.socket.destroy();
  });

  it('gives up all addresses at the connect time-out', async () => {
    const silent: Server = createPlainServer((socket) => socket.on('error', () => undefined));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    stops.push(async () => silent.close());
    const timers = new TurnedTimers();
    const port = await start((silent.address() as AddressInfo).port, {
      ips: ['127.0.0.1', '127.0.0.2'],
      cluster: { tls: { verify: false }, connect_timeout: '1s' },
      timers,
    });
    const client = await RawClient.to(port);
    client.send(GET);
    await once(silent, 'connection');
    await settled();

    await timers.turn(1_000);
    await client.ended();

    expect(client.statusCode).toBe(502);
    client.socket.destroy();
  });

  it('counts connections: established, open, idle, and reused', async () => {
    const port = await start(await http(), { ips: ['127.0.0.1'] });
    const client = await RawClient.to(port);
    const ask = async (nth: number): Promise<void> => {
      client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      await client.until((received) => received.split('HTTP/1.1 200').length > nth);
      await bed.until(({ clusters }) => clusters[0]?.endpoints[0]?.connectionsIdle === 1);
    };

    await ask(1);
    const first = await endpointNow();
    await ask(2);
    await ask(3);
    const third = await endpointNow();
    client.socket.destroy();

    const counts = ({
      connectionsTotal,
      connectionsActive,
      connectionsIdle,
      connectionsReused,
    }: typeof first) => [connectionsTotal, connectionsActive, connectionsIdle, connectionsReused];
    expect(counts(first)).toEqual([1, 1, 1, 0]);
    expect(counts(third)).toEqual([1, 1, 1, 2]);
    await stops.pop()?.();
    const { clusters } = await bed.until(
      ({ clusters }) => clusters[0]?.endpoints[0]?.connectionsActive === 0,
    );
    expect(counts(clusters[0]!.endpoints[0]!)).toEqual([1, 0, 0, 2]);
  });
});
