import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { ProxyBed } from './proxy-bed.ts';
import { RawClient } from './raw-client.ts';
import { TurnedTimers } from './turned-timers.ts';
import { answering, ScriptedUpstream } from './upstreams.ts';

const UPGRADE =
  'GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
const SWITCH =
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-A: b\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

describe('a WebSocket', () => {
  const stops: (() => Promise<unknown>)[] = [];
  let timers: TurnedTimers;
  let bed: ProxyBed;

  afterEach(async () => {
    await bed.atRest();
    await bed.stop();
    for (const stop of stops.splice(0)) await stop();
  });

  async function start(address: string, route: object = { websocket: true }): Promise<number> {
    timers = new TurnedTimers();
    bed = await ProxyBed.start(
      {
        listeners: [{ name: 'web', address: '127.0.0.1:0', idle_timeout: '60s' }],
        clusters: [{ name: 'api', endpoints: [{ address }] }],
        routes: [{ prefix: '/', cluster: 'api', ...route }],
        drain: { grace: '0s', timeout: '0s' },
      },
      { timers },
    );
    return bed.port('web');
  }

  async function scripted(script: (socket: Socket) => void): Promise<ScriptedUpstream> {
    const upstream = await ScriptedUpstream.start((socket) => {
      socket.once('end', () => socket.end());
      script(socket);
    });
    stops.push(() => upstream.stop());
    return upstream;
  }

  it('forwards messages in both directions', async () => {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    stops.push(() => new Promise((resolve) => server.close(resolve)));
    server.on('connection', (socket) => socket.on('message', (data) => socket.send(data)));
    const port = await start(`127.0.0.1:${(server.address() as AddressInfo).port}`);

    const client = new WebSocket(`ws://127.0.0.1:${port}/chat`);
    await once(client, 'open');
    const text = 'x'.repeat(300_000);
    client.send(text);
    const [data] = (await once(client, 'message')) as [Buffer];
    client.close();
    await once(client, 'close');

    expect(data.toString()).toBe(text);
    const { listeners, clusters } = await bed.atRest();
    expect(listeners[0]?.requestsByClass).toMatchObject({ '1xx': 1, '2xx': 0 });
    expect(clusters[0]?.endpoints[0]).toMatchObject({ requestsTotal: 1, resets: 0, clientAborts: 0 });
  });

  it('counts as an active request until it is closed', async () => {
    const upstream = await scripted(answering(SWITCH));
    const client = await RawClient.to(await start(upstream.address));
    client.send(UPGRADE);
    await client.until((received) => received.includes('\r\n\r\n'));

    const { listeners, clusters } = await bed.proxy.snapshot();

    expect(listeners[0]?.requestsActive).toBe(1);
    expect(clusters[0]?.endpoints[0]?.activeRequests).toBe(1);
    expect(client.received).toBe(SWITCH);
    client.socket.destroy();
  });

  it('forwards data sent right after the request', async () => {
    const upstream = await scripted((socket) => {
      socket.on('data', (chunk: Buffer) => {
        if (chunk.toString().includes('\r\n\r\n')) socket.write(SWITCH);
      });
    });
    const client = await RawClient.to(await start(upstream.address));

    client.send(`${UPGRADE}early`);
    await upstream.until((seen) => seen.endsWith('early'));
    upstream.sockets[0]?.write('late');
    await client.until((received) => received.endsWith('late'));

    client.socket.destroy();
  });

  it('rejected by the upstream gets its response', async () => {
    const upstream = await scripted(
      answering('HTTP/1.1 403 Forbidden\r\nDate: then\r\nContent-Length: 2\r\n\r\nno'),
    );
    const client = await RawClient.to(await start(upstream.address));

    client.send(UPGRADE);
    await client.ended();
    client.socket.destroy();

    expect(client.received).toBe(
      'HTTP/1.1 403 Forbidden\r\nDate: then\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno',
    );
    expect((await bed.atRest()).listeners[0]?.requestsByClass['4xx']).toBe(1);
  });

  it('without a healthy endpoint is answered with 503', async () => {
    const upstream = await scripted(answering(SWITCH));
    const client = await RawClient.to(await start(upstream.address));
    await bed.proxy.setEndpoint({ cluster: 'api', address: upstream.address, isEnabled: false });

    client.send(UPGRADE);
    await client.ended();
    client.socket.destroy();

    expect(client.statusCode).toBe(503);
  });

  it('without a response in time is answered with 504', async () => {
    const upstream = await scripted(() => undefined);
    const client = await RawClient.to(await start(upstream.address));

    client.send(UPGRADE);
    await upstream.until((seen) => seen.includes('\r\n\r\n'));
    await timers.turn(15_000);
    await client.ended();
    client.socket.destroy();

    expect(client.statusCode).toBe(504);
  });

  it('on a route without upgrades is forwarded as an ordinary request', async () => {
    const upstream = await scripted(answering(OK));
    const client = await RawClient.to(await start(upstream.address, {}));

    client.send(UPGRADE);
    await client.until((received) => received.endsWith('ok'));
    client.socket.destroy();

    expect(upstream.seen).not.toMatch(/upgrade/i);
  });

  it.each([
    [
      'an offer of HTTP/2',
      'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n',
    ],
    ['an upgrade with a body', 'Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 2\r\n'],
  ])('is not opened for %s', async (_, headers) => {
    const upstream = await scripted(answering(OK));
    const client = await RawClient.to(await start(upstream.address));

    client.send(
      `GET / HTTP/1.1\r\nHost: a\r\n${headers}\r\nhi`.slice(0, headers.includes('Length') ? undefined : -2),
    );
    await client.until((received) => received.endsWith('ok'));
    client.socket.destroy();

    expect(upstream.seen).not.toMatch(/upgrade|http2-settings/i);
  });

  it('is not opened while a response is pending', async () => {
    const upstream = await scripted(answering(OK));
    const client = await RawClient.to(await start(upstream.address));

    client.send(`GET / HTTP/1.1\r\nHost: a\r\n\r\n${UPGRADE}`);
    await client.until((received) => received.split('HTTP/1.1 200').length === 3 && received.endsWith('ok'));

    client.socket.destroy();
  });

  it('is closed on both sides when one disconnects', async () => {
    const upstream = await scripted(answering(SWITCH));
    const client = await RawClient.to(await start(upstream.address));
    client.send(UPGRADE);
    await client.until((received) => received.includes('\r\n\r\n'));

    upstream.sockets[0]?.resetAndDestroy();
    await client.ended();

    expect(client.fault?.code).toBe('ECONNRESET');
  });

  it('may be silent for long, but not beyond the idle time-out', async () => {
    const upstream = await scripted(answering(SWITCH));
    const client = await RawClient.to(await start(upstream.address));
    client.send(UPGRADE);
    await client.until((received) => received.includes('\r\n\r\n'));

    await timers.turn(59_000);
    expect((await bed.listener('web')).cxActive).toBe(1);
    await timers.turn(1_000);
    await client.ended();
    client.socket.destroy();

    expect((await bed.listener('web')).idleTimeouts).toBe(1);
  });
});
