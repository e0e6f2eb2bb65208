import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { freePort } from '#testing';
import { makeCertificate } from './certificate.ts';
import { ProxyBed } from './proxy-bed.ts';
import { RawClient } from './raw-client.ts';
import { answering, ScriptedUpstream } from './upstreams.ts';

const GET = 'GET /x?secret HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n';

describe('access log', () => {
  const stops: (() => Promise<unknown>)[] = [];
  let bed: ProxyBed;

  afterEach(async () => {
    await bed.stop();
    for (const stop of stops.splice(0)) await stop();
  });

  async function start(
    listener: object,
    address: string,
    files: Record<string, string> = {},
    route: object = {},
  ): Promise<number> {
    const isTcp = 'protocol' in listener;
    bed = await ProxyBed.start(
      {
        listeners: [{ name: 'in', address: '127.0.0.1:0', access_log: true, ...listener }],
        clusters: [{ name: 'api', endpoints: [{ address }] }],
        ...(isTcp ? {} : { routes: [{ prefix: '/', cluster: 'api', websocket: true, ...route }] }),
        drain: { grace: '0s', timeout: '0s' },
      },
      { files },
    );
    return bed.port('in');
  }

  async function upstream(script: (socket: Socket) => void): Promise<string> {
    const started = await ScriptedUpstream.start(script);
    stops.push(() => started.stop());
    return started.address;
  }

  /** Resolves with the lines when there are that many. */
  async function lines(count: number): Promise<readonly object[]> {
    await bed.until(() => bed.logged.length >= count);
    return bed.logged;
  }

  const TCP = { protocol: 'tcp', cluster: 'api' };

  it('has a line for a closed TCP connection: client, target, duration, bytes', async () => {
    const address = await upstream((socket) => void socket.pipe(socket));
    const client = await RawClient.to(await start(TCP, address));
    client.send('hello');
    await client.until((received) => received === 'hello');
    client.socket.end();
    await client.closed;

    expect(await lines(1)).toEqual([
      {
        msg: 'connection closed',
        event: 'tcp.connection',
        listener: 'in',
        peer: '127.0.0.1',
        durationMs: expect.any(Number),
        bytesReceived: 5,
        bytesSent: 5,
        cluster: 'api',
        endpoint: address,
      },
    ]);
  });

  it.each([
    ['X : 1', 'HPE_INVALID_HEADER_TOKEN'],
    ['Content-Length: x', 'HPE_INVALID_CONTENT_LENGTH'],
  ])("has the parser's code for %s", async (header, code) => {
    const port = await start({}, await upstream(answering('')));

    await RawClient.exchange(port, `GET / HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n`);

    expect(await lines(1)).toEqual([
      expect.objectContaining({ event: 'http.refused', statusCode: 400, code }),
    ]);
  });

  it('reports why a TCP connection failed', async () => {
    const client = await RawClient.to(await start(TCP, `127.0.0.1:${await freePort()}`));
    await client.ended();
    client.socket.destroy();

    expect(await lines(1)).toEqual([
      expect.objectContaining({ event: 'tcp.connection', listener: 'in', reason: 'connection_refused' }),
    ]);
  });

  it('reports that the upstream broke a TCP connection', async () => {
    const address = await upstream((socket) => void socket.once('data', () => socket.resetAndDestroy()));
    const client = await RawClient.to(await start(TCP, address));
    client.send('hello');
    await client.closed;

    expect(await lines(1)).toEqual([expect.objectContaining({ event: 'tcp.connection', reason: 'reset' })]);
    expect((await bed.atRest()).clusters[0]?.upstreamFailures).toMatchObject({ reset: 1 });
  });

  it.each([
    ['its client', { reason: 'client_gone' }],
    ['the upstream', { reason: 'reset' }],
  ])('has the status of a WebSocket that was ended by %s, and the reason', async (who, reason) => {
    const peers: Socket[] = [];
    const address = await upstream((socket) => {
      peers.push(socket);
      answering('HTTP/1.1 101 Yes\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')(socket);
    });
    const client = await RawClient.to(await start({}, address));
    client.send('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    await client.until((received) => received.endsWith('\r\n\r\n'));
    if (who === 'its client') client.socket.resetAndDestroy();
    else peers[0]?.resetAndDestroy();
    await client.closed;

    const fields = { event: 'http.request', statusCode: 101, cluster: 'api', endpoint: address };
    expect(await lines(1)).toMatchObject([{ ...fields, ...reason }]);
  });

  const BEGUN = 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello';
  const UPGRADE = GET.replace('close', 'Upgrade\r\nUpgrade: websocket');
  const SWITCHED = 'HTTP/1.1 101 Yes\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello';
  const POST = 'POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx';
  const [SHORT, NEVER] = [{ timeout: '50ms', stream_timeout: '50ms' }, {}];

  it.each<[string, { request: string; answer: string }, object, object]>([
    ['a response that is late', { request: GET, answer: '' }, SHORT, { statusCode: 504, reason: 'timeout' }],
    [
      'a response that stops',
      { request: GET, answer: BEGUN },
      SHORT,
      { statusCode: 200, reason: 'timeout', isIncomplete: true },
    ],
    ['a body that stops', { request: POST, answer: '' }, NEVER, { statusCode: 408, reason: 'idle_timeout' }],
    [
      'a WebSocket that is silent',
      { request: UPGRADE, answer: SWITCHED },
      NEVER,
      { statusCode: 101, reason: 'idle_timeout' },
    ],
    [
      'a malformed body',
      { request: POST.replace('Content-Length: 9', 'Transfer-Encoding: chunked'), answer: '' },
      NEVER,
      { statusCode: 400, reason: 'malformed' },
    ],
  ])('has the reason of the proxy to end %s', async (_, { request, answer }, route, line) => {
    const address = await upstream(answering(answer));
    const client = await RawClient.to(await start({ idle_timeout: '100ms' }, address, {}, route));
    client.send(request);
    await client.ended();
    client.socket.destroy();

    expect(await lines(1)).toEqual([expect.objectContaining({ event: 'http.request', ...line })]);
    const { clusters } = await bed.atRest();
    expect(clusters[0]?.upstreamFailures).toMatchObject({ timeout: route === SHORT ? 1 : 0 });
    const events = bed.events.filter(({ type }) => type === 'upstream_failure');
    expect(events).toMatchObject(route === SHORT ? [{ reason: 'timeout', target: address }] : []);
  });

  it.each<[string, string, string, object]>([
    ['a request', GET, '', { statusCode: 0 }],
    ['a response', GET, BEGUN, { statusCode: 200, isIncomplete: true }],
    ['a WebSocket', UPGRADE, SWITCHED, { statusCode: 101 }],
    ['a TCP connection', GET, 'hello', { event: 'tcp.connection' }],
  ])('tells a client that leaves from a drain that cuts: %s', async (_, request, answer, line) => {
    const seen: Socket[] = [];
    const address = await upstream((socket) => {
      answering(answer, (asked) => seen.push(asked))(socket);
    });
    const port = await start('event' in line ? TCP : {}, address);
    const [leaving, staying] = [await RawClient.to(port), await RawClient.to(port)];
    for (const client of [leaving, staying]) client.send(request);
    await bed.until(() => seen.length === 2);
    if (answer !== '')
      await Promise.all([leaving, staying].map((client) => client.until((text) => text.endsWith('hello'))));

    leaving.socket.resetAndDestroy();
    await lines(1);
    await bed.proxy.drain();
    await staying.ended();
    staying.socket.destroy();

    expect(await lines(2)).toEqual([
      expect.objectContaining({ ...line, reason: 'client_gone' }),
      expect.objectContaining({ ...line, reason: 'drain_cut' }),
    ]);
  });

  it('has the reason of a silent TCP connection that is closed', async () => {
    const address = await upstream(() => undefined);
    const client = await RawClient.to(await start({ ...TCP, idle_timeout: '50ms' }, address));
    await client.ended();
    client.socket.destroy();

    expect(await lines(1)).toEqual([expect.objectContaining({ reason: 'idle_timeout' })]);
  });

  it('has no reason for a TCP connection through TLS that both sides have ended', async () => {
    const address = await upstream((socket) => void socket.pipe(socket));
    const { cert, key } = makeCertificate('localhost');
    const tls = { cert_file: 'cert.pem', key_file: 'key.pem' };
    const port = await start({ ...TCP, tls }, address, { 'cert.pem': cert, 'key.pem': key });
    const client = connectTls({ port, ca: cert, servername: 'localhost' });
    client.end('hello');
    client.resume();
    await once(client, 'close');

    const [line] = await lines(1);
    expect(line).toMatchObject({ event: 'tcp.connection', endpoint: address });
    expect(line).not.toHaveProperty('reason');
  });

  it('reports why a request failed', async () => {
    await RawClient.exchange(await start({}, `127.0.0.1:${await freePort()}`), GET);

    expect(await lines(1)).toEqual([
      expect.objectContaining({
        event: 'http.request',
        listener: 'in',
        peer: '127.0.0.1',
        client: '127.0.0.1',
        path: '/x',
        statusCode: 502,
        cluster: 'api',
        reason: 'connection_refused',
      }),
    ]);
  });

  it('has a line for malformed input', async () => {
    const port = await start({}, '127.0.0.1:1');
    await RawClient.exchange(port, 'nonsense\r\n\r\n');
    await RawClient.exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n');
    await RawClient.exchange(port, 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n');

    expect(await lines(3)).toMatchObject([
      { event: 'http.refused', listener: 'in', peer: '127.0.0.1', statusCode: 400 },
      {
        event: 'http.refused',
        listener: 'in',
        peer: '127.0.0.1',
        statusCode: 400,
        reason: 'bad request: more than one host',
      },
      { event: 'http.refused', listener: 'in', peer: '127.0.0.1', statusCode: 405 },
    ]);
  });

  it.each([
    ['GET http://user:secret@a/e', 'a', 'a target for another host'],
    ['GET http://user:secret@a/e', 'user:secret@a', 'an invalid host'],
    ['GET /e', 'user:secret@a', 'an invalid host'],
    ['GET /e#secret', 'a', 'a fragment in the target'],
    ['CONNECT user:secret@a:443', 'a', 'CONNECT is not supported'],
  ])('has no credentials: %s with the host %s', async (line, host, reason) => {
    const port = await start({}, '127.0.0.1:1');
    await RawClient.exchange(port, `${line} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);

    const logged = await lines(1);

    expect(logged).toMatchObject([{ event: 'http.refused', reason: expect.stringContaining(reason) }]);
    expect(JSON.stringify([logged, bed.events])).not.toContain('secret');
  });

  it('names the client behind a trusted proxy', async () => {
    const address = await upstream(answering('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
    const port = await start({ trusted_proxies: ['127.0.0.1'] }, address);
    await RawClient.exchange(port, GET.replace('\r\n\r\n', '\r\nX-Forwarded-For: 192.0.2.7\r\n\r\n'));

    expect(await lines(1)).toMatchObject([{ peer: '127.0.0.1', client: '192.0.2.7', statusCode: 200 }]);
  });

  it('has a line for a connection over max_connections', async () => {
    const address = await upstream(answering('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
    const port = await start({ max_connections: 1 }, address);
    const first = await RawClient.to(port);
    await bed.until(({ downstreamCxActive }) => downstreamCxActive === 1);
    const second = await RawClient.to(port);
    await second.ended();
    second.socket.destroy();

    expect(await lines(1)).toEqual([
      {
        msg: 'connection refused',
        event: 'cx.refused',
        listener: 'in',
        peer: '127.0.0.1',
        reason: 'max_connections',
      },
    ]);
    first.socket.destroy();
  });

  it('has a line for a failed TLS handshake', async () => {
    const { cert, key } = makeCertificate('proxy.example');
    const tls = { cert_file: 'cert.pem', key_file: 'key.pem' };
    const port = await start({ tls }, '127.0.0.1:1', { 'cert.pem': cert, 'key.pem': key });
    const client = await RawClient.to(port);
    client.send('GET / HTTP/1.1\r\n\r\n');
    await client.ended();
    client.socket.destroy();

    expect(await lines(1)).toEqual([
      expect.objectContaining({
        event: 'cx.refused',
        reason: 'tls',
        code: expect.stringMatching(/^ERR_SSL_/),
      }),
    ]);
  });

  it('names the client of a connection that was closed during the TLS handshake', async () => {
    const { cert, key } = makeCertificate('proxy.example');
    const tls = { cert_file: 'cert.pem', key_file: 'key.pem' };
    const port = await start({ tls }, '127.0.0.1:1', { 'cert.pem': cert, 'key.pem': key });
    const client = await RawClient.to(port);
    client.socket.end();
    await client.closed;

    expect(await lines(1)).toEqual([
      expect.objectContaining({ event: 'cx.refused', peer: '127.0.0.1', reason: 'tls', code: 'ECONNRESET' }),
    ]);
    expect((await bed.listener('in')).tlsErrors).toBe(1);
  });

  it('stays empty when it is disabled', async () => {
    const port = await start({ access_log: false }, `127.0.0.1:${await freePort()}`);
    await RawClient.exchange(port, GET);
    await RawClient.exchange(port, 'nonsense\r\n\r\n');
    await bed.atRest();

    expect(bed.logged).toEqual([]);
  });
});
