import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:tls';
import { freePort } from '#testing';
import { makeCertificate } from './certificate.ts';
import { ProxyBed } from './proxy-bed.ts';
import { RawClient } from './raw-client.ts';
import { TurnedTimers } from './turned-timers.ts';
import { answering, ScriptedUpstream } from './upstreams.ts';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const UPGRADE =
  'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
const REQUESTS = 100;
const POLICIES = ['round_robin', 'least_request', 'random', 'ring_hash'];

describe('While one endpoint is down', () => {
  const stops: (() => Promise<unknown>)[] = [];
  let timers: TurnedTimers;
  let bed: ProxyBed;

  afterEach(async () => {
    await bed.atRest();
    await bed.stop();
    for (const stop of stops.splice(0)) await stop();
  });

  async function upstream(script: (socket: Socket) => void): Promise<string> {
    const server = await ScriptedUpstream.start(script);
    stops.push(() => server.stop());
    return server.address;
  }

  const sound = (): Promise<string> => upstream(answering(OK));
  const refusing = async (): Promise<string> => `127.0.0.1:${await freePort()}`;
  const resetting = (): Promise<string> =>
    upstream((socket) => socket.once('data', () => socket.resetAndDestroy()));

  async function start(
    endpoints: readonly string[],
    cluster: object = {},
    workers?: number,
  ): Promise<number> {
    timers = new TurnedTimers();
    bed = await ProxyBed.start(
      {
        listeners: [
          { name: 'web', address: '127.0.0.1:0' },
          { name: 'db', address: '127.0.0.1:0', protocol: 'tcp', cluster: 'api' },
        ],
        clusters: [{ name: 'api', endpoints: endpoints.map((address) => ({ address })), ...cluster }],
        routes: [{ prefix: '/', cluster: 'api', websocket: true }],
        drain: { grace: '0s', timeout: '0s' },
      },
      workers === undefined ? { timers } : { workers },
    );
    return bed.port('web');
  }

  async function statusOf(port: number, request = GET): Promise<number> {
    const client = await RawClient.to(port);
    client.send(request);
    await client.until((received) => received.includes('\r\n\r\n'));
    client.socket.destroy();
    return client.statusCode;
  }

  async function oneByOne(port: number): Promise<ReadonlySet<number>> {
    const statuses: number[] = [];
    for (let count = 0; count < REQUESTS; count++) statuses.push(await statusOf(port));
    return new Set(statuses);
  }

  async function atOnce(port: number): Promise<ReadonlySet<number>> {
    return new Set(await Promise.all(Array.from({ length: REQUESTS }, () => statusOf(port))));
  }

  const SETTINGS: [string, object][] = [
    ['without retry', {}],
    ['with retry', { retry: { max: 2 } }],
    ['with health checks', { health_check: { type: 'tcp' } }],
    ['with outlier detection', { outlier_detection: {} }],
  ];
  describe.each(SETTINGS)('%s', (_, settings) => {
    it.each(POLICIES)('no request is lost to one that refuses connections: %s', async (lb_policy) => {
      const port = await start([await refusing(), await sound()], { lb_policy, ...settings });

      expect(await oneByOne(port)).toEqual(new Set([200]));
      expect(await atOnce(port)).toEqual(new Set([200]));
    });
  });

  it('it is asked once, and not for each request', async () => {
    const port = await start([await refusing(), await sound()]);

    await oneByOne(port);

    const { clusters } = await bed.atRest();
    expect(clusters[0]?.endpoints[0]?.connectFailures).toBe(1);
    expect(clusters[0]?.retries).toMatchObject({ made: 1, overLimit: 0, overBudget: 0 });
  });

  it('no request is lost when all but one refuse connections', async () => {
    const refused = await Promise.all(Array.from({ length: 8 }, refusing));
    const port = await start([...refused, await sound()], { retry: { max: 1 } });

    expect(await oneByOne(port)).toEqual(new Set([200]));
    expect(await atOnce(port)).toEqual(new Set([200]));
  });

  it('no request is lost to one that does not accept connections', async () => {
    const { cert, key } = makeCertificate('api.test');
    const server = createServer({ cert, key }, answering(OK)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    stops.push(() => new Promise((resolve) => server.close(resolve)));
    const good = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    let dialled = 0;
    const silent = await upstream(() => (dialled += 1));
    const port = await start([silent, good], { tls: { verify: false }, retry: { max: 2 } });

    const answers = atOnce(port);
    await bed.until(({ clusters }) => (clusters[0]?.endpoints[1]?.requestsByClass['2xx'] ?? 0) >= 50);
    await bed.until(() => dialled >= 50);
    await timers.turn(1_000);

    expect(await answers).toEqual(new Set([200]));
  });

  it('no request is lost one by one to one that resets connections, with retries', async () => {
    const port = await start([await resetting(), await sound()], { retry: {} });

    expect(await oneByOne(port)).toEqual(new Set([200]));
  });

  it('no request is lost at once to one that resets connections, as far as retries are allowed', async () => {
    const cluster = { retry: { budget_percent: 100 }, circuit_breaker: { max_retries: REQUESTS } };
    const port = await start([await resetting(), await sound()], cluster);

    expect(await atOnce(port)).toEqual(new Set([200]));
  });

  it.each([
    ['a POST', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello'],
    [
      'a body too long to be sent twice',
      `PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n${'x'.repeat(300_000)}`,
    ],
  ])('%s goes on to another', async (_, request) => {
    const port = await start([await refusing(), await sound()]);

    expect(await statusOf(port, request)).toBe(200);
    expect((await bed.proxy.snapshot()).clusters[0]?.endpoints[0]?.connectFailures).toBe(1);
  });

  it('a WebSocket goes on to another', async () => {
    const port = await start([await refusing(), await upstream(answering(SWITCH, (socket) => socket.end()))]);

    expect(await statusOf(port, UPGRADE)).toBe(101);
  });

  it('TCP connections go on to another', async () => {
    await start([await refusing(), await upstream((socket) => socket.end('hello'))]);

    for (let count = 0; count < 10; count++) {
      expect(await RawClient.exchange(await bed.port('db'), '')).toBe('hello');
    }
  });

  it('a request that goes on keeps its place: no limit refuses it', async () => {
    const circuit_breaker = { max_connections: 1, max_pending_requests: 99, max_retries: 0 };
    const port = await start([await refusing(), await sound()], { circuit_breaker, retry: {} });

    expect(await atOnce(port)).toEqual(new Set([200]));
    expect((await bed.proxy.snapshot()).circuitBreakerRejected).toBe(0);
  });

  it('a request does not go on when `retry` leaves connect failures out', async () => {
    const port = await start([await refusing(), await sound()], { retry: { on: [503] } });

    expect(await statusOf(port)).toBe(502);
    expect(await statusOf(port)).toBe(200);
  });

  it('an endpoint with the weight 0 gets no request in its place, and an empty cluster answers 503', async () => {
    const endpoints = [{ address: await refusing() }, { address: await sound(), weight: 0 }];
    const port = await start([], { endpoints });
    expect(await statusOf(port)).toBe(502);
    await bed.stop();

    expect(await statusOf(await start([]))).toBe(503);
    await bed.until(({ clusters }) => clusters[0]?.noHealthyEndpoint === 1);
  });

  it('no request of any worker is lost', async () => {
    const port = await start([await refusing(), await sound()], {}, 2);

    expect(await atOnce(port)).toEqual(new Set([200]));
  });
});
