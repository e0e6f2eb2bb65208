import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { freePort } from '#testing';
import { KeepAliveLoad } from './keep-alive-load.ts';
import { ProxyBed } from './proxy-bed.ts';
import { RawClient } from './raw-client.ts';
import { TurnedTimers } from './turned-timers.ts';
import { answering, HttpUpstream, ScriptedUpstream } from './upstreams.ts';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const SWITCH = 'HTTP/1.1 101 Yes\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
const DRAINS = 20;
const TIMEOUT_MS = 30_000;

describe('start of the proxy', () => {
  it('passes through all states, and is live only when all is bound', async () => {
    const bed = await ProxyBed.start({
      listeners: [{ name: 'web', address: '127.0.0.1:0' }],
      clusters: [{ name: 'api', endpoints: [{ address: '127.0.0.1:1' }] }],
      routes: [{ prefix: '/', cluster: 'api' }],
      drain: { grace: '0s', timeout: '0s' },
    });
    await bed.proxy.drain();

    const states = bed.events.flatMap((event) => (event.type === 'server_state' ? [event.state] : []));

    expect(states).toEqual(['INITIALIZING', 'LIVE', 'DRAINING']);
    await bed.stop();
  });

  it('binds all listeners or none', async () => {
    const taken = await HttpUpstream.start((_, response) => response.end());
    const bed = new ProxyBed({
      listeners: [
        { name: 'free', address: '127.0.0.1:0' },
        { name: 'taken', address: taken.address },
      ],
      clusters: [{ name: 'api', endpoints: [{ address: '127.0.0.1:1' }] }],
      routes: [{ prefix: '/', cluster: 'api' }],
    });

    await expect(bed.proxy.start()).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      faults: [
        expect.stringMatching(/:\d+:\d+: listener taken: cannot listen on 127\.0\.0\.1:\d+: EADDRINUSE$/),
      ],
    });

    expect((await bed.proxy.snapshot()).listeners).toEqual([]);
    await taken.stop();
    await bed.stop();
  });

  it('holds connections until the first round of checks', async () => {
    const checks: (() => void)[] = [];
    const upstream = await HttpUpstream.start((request, response) => {
      if (request.url === '/healthz') checks.push(() => response.end());
      else response.end('hello');
    });
    const port = await freePort();
    const bed = new ProxyBed({
      listeners: [{ name: 'web', address: `127.0.0.1:${port}` }],
      clusters: [{ name: 'api', endpoints: [{ address: upstream.address }], health_check: {} }],
      routes: [{ prefix: '/', cluster: 'api' }],
      drain: { grace: '0s', timeout: '1s' },
    });

    const starting = bed.proxy.start();
    while (checks.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const client = await RawClient.to(port);
    client.send(GET);
    expect((await bed.proxy.snapshot()).state).toBe('INITIALIZING');
    checks[0]?.();
    await starting;
    await client.until((received) => received.endsWith('hello'));

    client.socket.destroy();
    await bed.stop();
    await upstream.stop();
  });
});

describe.each([undefined, 2])('the admin answers during the start, with workers: %s', (workers) => {
  it('show the configuration that is being prepared, with its endpoints unhealthy before their first check', async () => {
    const upstream = await ScriptedUpstream.start();
    const [checked, unchecked] = [{ address: upstream.address }, { address: '127.0.0.1:1' }];
    const bed = new ProxyBed(
      {
        ...(workers === undefined ? {} : { workers }),
        listeners: [{ name: 'web', address: '127.0.0.1:0' }],
        clusters: [
          { name: 'api', endpoints: [checked], health_check: { timeout: '1h' } },
          { name: 'other', endpoints: [unchecked] },
        ],
        routes: [
          { prefix: '/', cluster: 'api' },
          { prefix: '/o', cluster: 'other' },
        ],
      },
      workers === undefined ? {} : { workers },
    );
    const starting = bed.proxy.start();
    await upstream.connections(1);

    const { state, listeners, clusters, routeCount } = await bed.proxy.snapshot();
    const change = bed.proxy.setEndpoint({ cluster: 'api', address: checked.address, isEnabled: false });

    await expect(change).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('INITIALIZING'),
    });
    expect([state, listeners.map(({ name }) => name), routeCount]).toEqual(['INITIALIZING', ['web'], 2]);
    expect(clusters).toMatchObject([
      { name: 'api', endpoints: [{ ...checked, healthy: false, activeRequests: 0 }] },
      { name: 'other', endpoints: [{ ...unchecked, healthy: true, activeRequests: 0 }] },
    ]);
    await bed.stop();
    await starting;
    await upstream.stop();
  });
});

describe.each([undefined, 2])('a drain during the start, with workers: %s', (workers) => {
  it('calls off the start: the proxy is never live, and serves nothing', async () => {
    const upstream = await ScriptedUpstream.start();
    const address = `127.0.0.1:${await freePort()}`;
    const bed = new ProxyBed(
      {
        ...(workers === undefined ? {} : { workers }),
        listeners: [{ name: 'web', address }],
        clusters: [
          { name: 'api', endpoints: [{ address: upstream.address }], health_check: { timeout: '1h' } },
        ],
        routes: [{ prefix: '/', cluster: 'api' }],
        drain: { grace: '1h', timeout: '2h' },
      },
      { timers: new TurnedTimers(), ...(workers === undefined ? {} : { workers }) },
    );
    const starting = bed.proxy.start();
    const check = await upstream.connections(1);
    const isCanceled = once(check, 'end');

    const draining = bed.proxy.drain();
    const { state } = await bed.proxy.snapshot();
    const cut = await draining;
    await starting;
    await isCanceled;

    const states = bed.events.flatMap((event) => (event.type === 'server_state' ? [event.state] : []));
    expect([state, cut]).toEqual(['DRAINING', { cutConnections: 0, cutRequests: 0 }]);
    expect(states).toEqual(['INITIALIZING', 'DRAINING']);
    await expect(RawClient.to(Number(address.split(':')[1]))).rejects.toThrow(/ECONN(REFUSED|RESET)/);
    await bed.stop();
    await upstream.stop();
  });
});

describe('drain of the proxy', () => {
  let timers: TurnedTimers;
  let upstream: ScriptedUpstream;
  let bed: ProxyBed;

  beforeEach(async () => {
    timers = new TurnedTimers();
    upstream = await ScriptedUpstream.start();
    bed = await ProxyBed.start(
      {
        listeners: [
          { name: 'web', address: '127.0.0.1:0' },
          { name: 'db', address: '127.0.0.1:0', protocol: 'tcp', cluster: 'api' },
        ],
        clusters: [{ name: 'api', endpoints: [{ address: upstream.address }] }],
        routes: [{ prefix: '/', cluster: 'api', timeout: '29s' }],
        drain: { grace: '5s', timeout: '30s' },
      },
      { timers },
    );
  });

  afterEach(async () => {
    await bed.stop();
    await upstream.stop();
  });

  it('accepts connections during the grace period, and closes each after its response', async () => {
    const port = await bed.port('web');
    const draining = bed.proxy.drain();
    expect((await bed.proxy.snapshot()).state).toBe('DRAINING');
    await timers.turn(4_000);

    const client = await RawClient.to(port);
    client.send(GET);
    answering(OK)(await upstream.connections(1));
    await upstream.until((seen) => seen.includes('\r\n\r\n'));
    upstream.sockets[0]?.write(OK);
    await client.ended();
    expect(client.received).toMatch(/Connection: close\r\n\r\nok$/);
    client.socket.destroy();
    await timers.turn(1_000);

    expect(await draining).toEqual({ cutConnections: 0, cutRequests: 0 });
    await expect(RawClient.to(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('waits for requests in flight, and closes idle connections after the grace period', async () => {
    const port = await bed.port('web');
    const [idle, slow] = [await RawClient.to(port), await RawClient.to(port)];
    idle.send(GET);
    const first = await upstream.connections(1);
    await upstream.until((seen) => seen.includes('\r\n\r\n'));
    first.write(OK);
    await idle.until((received) => received.endsWith('ok'));
    upstream.seen = '';
    slow.send(GET);
    await upstream.until((seen) => seen.includes('\r\n\r\n'));

    const draining = bed.proxy.drain();
    await timers.turn(4_999);
    expect(idle.hasEnded).toBe(false);
    await timers.turn(1);
    await idle.ended();
    await timers.turn(20_000);
    for (const socket of upstream.sockets) if (!socket.destroyed) socket.write(OK);
    await slow.ended();
    for (const client of [idle, slow]) client.socket.destroy();

    expect(slow.received).toMatch(/Connection: close\r\n\r\nok$/);
    expect(await draining).toEqual({ cutConnections: 0, cutRequests: 0 });
  });

  it('closes connections that have sent nothing soon after the grace period', async () => {
    const port = await bed.port('web');
    const [unused, late] = [await RawClient.to(port), await RawClient.to(port)];
    await bed.until(({ downstreamCxActive }) => downstreamCxActive === 2);

    const draining = bed.proxy.drain();
    await timers.turn(5_000);
    expect([unused.hasEnded, late.hasEnded]).toEqual([false, false]);
    late.send(GET);
    await upstream.until((seen) => seen.includes('\r\n\r\n'));
    await timers.turn(1_000);
    await unused.ended();
    upstream.sockets[0]?.write(OK);
    await late.ended();
    for (const client of [unused, late]) client.socket.destroy();

    expect([unused.received, late.statusCode]).toEqual(['', 200]);
    expect(await draining).toEqual({ cutConnections: 0, cutRequests: 0 });
  });

  it('cuts and counts the rest at its time-out', async () => {
    const slow = await RawClient.to(await bed.port('web'));
    const stream = await RawClient.to(await bed.port('db'));
    slow.send(GET);
    stream.send('hello');
    await upstream.until((seen) => seen.includes('\r\n\r\n') && seen.includes('hello'));

    const draining = bed.proxy.drain();
    await timers.turn(28_000);
    expect((await bed.proxy.snapshot()).downstreamCxActive).toBe(2);
    await timers.turn(1_000);
    await slow.ended();
    await bed.until(({ downstreamCxActive }) => downstreamCxActive === 1);
    await timers.turn(1_000);
    await stream.ended();

    expect(slow.statusCode).toBe(504);
    expect(await draining).toEqual({ cutConnections: 1, cutRequests: 0 });
    expect((await bed.proxy.snapshot()).drain).toEqual({ cutConnections: 1, cutRequests: 0 });
    slow.socket.destroy();
  });

  it('runs once, for any number of requests', async () => {
    const both = [bed.proxy.drain(), bed.proxy.drain()];
    await timers.turn(5_000);

    const [first, second] = await Promise.all(both);

    expect(first).toBe(second);
  });

  it.each([
    ['a TCP connection', { protocol: 'tcp', cluster: 'api' }, 'hello', 'hello'],
    [
      'a WebSocket',
      {},
      GET.replace('\r\n\r\n', '\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
      SWITCH,
    ],
  ])(
    'cuts %s on both sides whose client has ended, and whose upstream has not',
    async (_, listener, say, hear) => {
      const upstream = await ScriptedUpstream.start((socket) => {
        socket.once('data', () => socket.write(hear));
      });
      const bed = await ProxyBed.start({
        listeners: [{ name: 'in', address: '127.0.0.1:0', ...listener }],
        clusters: [{ name: 'api', endpoints: [{ address: upstream.address }] }],
        ...('protocol' in listener ? {} : { routes: [{ prefix: '/', cluster: 'api', websocket: true }] }),
        drain: { grace: '0s', timeout: '0s' },
      });
      const client = await RawClient.to(await bed.port('in'));
      client.send(say);
      await client.until((received) => received !== '');
      const ended = once(upstream.sockets[0]!, 'end');
      client.socket.end();
      await ended;

      await bed.proxy.drain();
      const { clusters } = await bed.until(
        (snapshot) => snapshot.clusters[0]?.endpoints[0]?.connectionsActive === 0,
      );

      expect(clusters[0]?.endpoints[0]).toMatchObject({ connectionsTotal: 1, activeRequests: 0 });
      await bed.stop();
      await upstream.stop();
    },
  );
});

it(
  `loses nothing in ${DRAINS} drains under load`,
  async () => {
    const upstream = await HttpUpstream.start((_, response) => response.end('hello'));
    for (let count = 1; count <= DRAINS; count++) {
      const bed = await ProxyBed.start({
        listeners: [{ name: 'web', address: '127.0.0.1:0' }],
        clusters: [{ name: 'api', endpoints: [{ address: upstream.address }] }],
        routes: [{ prefix: '/', cluster: 'api' }],
        drain: { grace: '20ms', timeout: '10s' },
      });
      let isReady = true;
      bed.proxy.onEvent(() => (isReady = false));
      const load = new KeepAliveLoad(await bed.port('web'), 8, 'hello', () => isReady);
      await load.answers(20);

      const { cutConnections, cutRequests } = await bed.proxy.drain();
      await load.ended();

      expect([cutConnections, cutRequests, load.lost]).toEqual([0, 0, 0]);
      const { downstreamCxTotal, listeners } = await bed.atRest();
      expect(downstreamCxTotal).toBe(load.connections);
      expect(listeners[0]?.requestsByClass['2xx']).toBe(load.answered);
      await bed.stop();
    }
    await upstream.stop();
  },
  TIMEOUT_MS,
);
