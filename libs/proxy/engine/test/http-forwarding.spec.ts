import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describeUnless, freePort } from '#testing';
import { isAtRest, ProxyBed } from './proxy-bed.ts';
import { RawClient } from './raw-client.ts';
import { answering, ScriptedUpstream } from './upstreams.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const CLOSE = 'Connection: close\r\n';

/** Head and body of a message, with line ends unchanged. */
function parts(message: string): readonly [head: string, body: string] {
  const end = message.indexOf('\r\n\r\n');
  return [message.slice(0, end + 2), message.slice(end + 4)];
}

describe('a forwarded request', () => {
  let upstream: ScriptedUpstream;
  let bed: ProxyBed;
  let script: (socket: Socket) => void;

  beforeEach(async () => {
    script = answering(OK);
    upstream = await ScriptedUpstream.start((socket) => script(socket));
  });

  afterEach(async () => {
    await bed.stop();
    await upstream.stop();
  });

  async function start(
    changes: { listener?: object; route?: object; cluster?: object } = {},
  ): Promise<number> {
    bed = await ProxyBed.start({
      listeners: [{ name: 'web', address: '127.0.0.1:0', ...changes.listener }],
      clusters: [{ name: 'api', endpoints: [{ address: upstream.address }], ...changes.cluster }],
      routes: [{ prefix: '/', cluster: 'api', ...changes.route }],
      drain: { grace: '0s', timeout: '2s' },
    });
    return bed.port('web');
  }

  it('keeps order and spelling of its headers, and identifies the client', async () => {
    const port = await start();

    await RawClient.exchange(
      port,
      `GET /a?b=c%20d HTTP/1.1\r\nHOST: A.example:80\r\nx-Odd: 1\r\nAccept: */*\r\nX-Odd: 2\r\n${CLOSE}\r\n`,
    );

    const [head] = parts(upstream.seen);
    expect(head).toBe(
      'GET /a?b=c%20d HTTP/1.1\r\nHOST: A.example:80\r\n' +
        'x-Odd: 1\r\nAccept: */*\r\nX-Odd: 2\r\n' +
        'X-Forwarded-For: 127.0.0.1\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Host: A.example:80\r\n' +
        'Via: 1.1 plexus\r\n',
    );
  });

  const elsewhere = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

  describeUnless(elsewhere === undefined ? 'this machine has no address but loopback' : undefined)(
    'through a second listener of the proxy',
    () => {
      it.each([
        ['127.0.0.1', {}, true],
        [elsewhere ?? '', {}, false],
        [elsewhere ?? '', { trusted_proxies: [elsewhere] }, true],
      ])('names a limit in its response to %s, %j: %j', async (host, listener, isNamed) => {
        const inner = `127.0.0.1:${await freePort()}`;
        const loaded = { name: 'full', endpoints: [{ address: upstream.address }] };
        bed = await ProxyBed.start({
          listeners: [
            { name: 'outer', address: '0.0.0.0:0', ...listener },
            { name: 'inner', address: inner },
          ],
          clusters: [
            { name: 'chain', endpoints: [{ address: inner }] },
            { ...loaded, circuit_breaker: { max_connections: 1, max_pending_requests: 0 } },
          ],
          routes: [
            { prefix: '/', listeners: ['outer'], cluster: 'chain' },
            { prefix: '/', listeners: ['inner'], cluster: 'full' },
          ],
          drain: { grace: '0s', timeout: '0s' },
        });
        script = () => undefined;
        const held = await RawClient.to(await bed.port('inner'));
        held.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
        await upstream.connections(1);

        const client = await RawClient.to(await bed.port('outer'), host);
        client.send(`GET / HTTP/1.1\r\nHost: a\r\n${CLOSE}\r\n`);
        await client.ended();
        for (const { socket } of [held, client]) socket.destroy();

        expect(client.statusCode).toBe(503);
        expect(/x-plexus-overloaded: max_connections cluster=full/.test(client.received)).toBe(isNamed);
      });
    },
  );

  it('loses hop-by-hop headers, and those named by Connection', async () => {
    const port = await start();

    await RawClient.exchange(
      port,
      'GET / HTTP/1.1\r\nHost: a\r\nConnection: close, X-Hop, host, content-length\r\nX-Hop: 1\r\n' +
        'Keep-Alive: timeout=5\r\nTE: gzip\r\nProxy-Connection: keep-alive\r\nTrailer: X-T\r\n' +
        'Upgrade: h2c\r\nX-Kept: 1\r\n\r\n',
    );

    const [head] = parts(upstream.seen);
    expect(head).toMatch(/^GET \/ HTTP\/1\.1\r\nHost: a\r\nX-Kept: 1\r\nX-Forwarded/);
    expect(head).not.toMatch(/x-hop|timeout=5|^te:|trailer|upgrade|proxy-connection/im);
  });

  it.each([
    ['TE: trailers', 'Connection: TE, close'],
    ['te: gzip;q=0.5, trailers', 'Connection: close'],
  ])('says that its client accepts trailers: %s', async (te, connection) => {
    const port = await start();

    await RawClient.exchange(port, `GET / HTTP/1.1\r\nHost: a\r\n${te}\r\n${connection}\r\n\r\n`);

    const [head] = parts(upstream.seen);
    expect(head).toMatch(/\r\nConnection: TE\r\nTE: trailers(?:\r\n|$)/);
    expect(head).not.toMatch(/gzip/);
  });

  it.each(['2', '7'])('of HTTP/1.%s is read as one of 1.1, also in parts', async (minor) => {
    const port = await start();
    const request = `GET / HTTP/1.${minor}\r\nHost: a\r\n${CLOSE}\r\n`;

    for (const at of [0, 13, 14, 15]) {
      const client = await RawClient.to(port);
      client.send(request.slice(0, at));
      const { bytesReceived } = await bed.listener('web');
      await bed.until(({ listeners }) => listeners[0]!.bytesReceived >= bytesReceived);
      client.send(request.slice(at));
      await client.ended();
      client.socket.destroy();
      expect(client.statusCode).toBe(200);
    }
    expect(upstream.seen.match(/GET \/ HTTP\/1\.1\r\n/g)).toHaveLength(4);
  });

  it.each([
    ['OPTIONS', 204],
    ['TRACE', 405],
  ])(
    '%s with Max-Forwards: 0 is answered here, and with 2 it is forwarded with 1',
    async (method, status) => {
      const port = await start();
      const request = (left: number): string =>
        `${method} / HTTP/1.1\r\nHost: a\r\nMax-Forwards: ${left}\r\n${CLOSE}\r\n`;

      expect(await RawClient.exchange(port, request(0))).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(upstream.seen).toBe('');

      await RawClient.exchange(port, request(2));
      expect(upstream.seen).toMatch(/\r\nMax-Forwards: 1\r\n/);
    },
  );

  it.each(['X_User', 'X.User', 'x-USER', 'x_user'])(
    'loses the alias %s of a header of its route',
    async (alias) => {
      const port = await start({
        route: { request_headers: { set: { 'X-User': 'me' }, remove: ['X-Role'] } },
      });
      const role = alias.replace(/user/i, 'Role');

      await RawClient.exchange(
        port,
        `GET / HTTP/1.1\r\nHost: a\r\n${alias}: evil\r\n${role}: evil\r\n${CLOSE}\r\n`,
      );

      expect(upstream.seen).not.toContain('evil');
      expect(upstream.seen).toContain('\r\nx-user: me\r\n');
    },
  );

  it('loses the aliases of headers that are named by Connection, frame it, or tell of its client', async () => {
    const port = await start();
    const names =
      'X_Hop, X.Hop, Keep_Alive, Transfer_Encoding, Content.Length, X.Forwarded.For, X_Real.IP, X.Client_IP';
    const aliases = names.split(', ').map((name) => `${name}: evil\r\n`);

    await RawClient.exchange(
      port,
      `GET / HTTP/1.1\r\nHost: a\r\n${aliases.join('')}Connection: close, X-Hop\r\n\r\n`,
    );

    expect(upstream.seen).not.toContain('evil');
  });

  it('loses an alias of X-Forwarded-For from a trusted peer', async () => {
    const port = await start({ listener: { trusted_proxies: ['127.0.0.0/8'] } });

    await RawClient.exchange(
      port,
      `GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.1.1.1\r\nX_Forwarded_For: evil\r\n${CLOSE}\r\n`,
    );

    expect(upstream.seen).toContain('\r\nX-Forwarded-For: 1.1.1.1, 127.0.0.1\r\n');
    expect(upstream.seen).not.toContain('evil');
  });

  it.each([
    ['/api', '/api//evil.example/x', '/evil.example/x'],
    ['/api/', '/api////x?y=//', '/x?y=//'],
    ['/api', '/api/a/../b', '/a/../b'],
    ['/api', '/api\\evil', '/evil'],
    ['/api', '/api', '/'],
  ])('is forwarded without its prefix %s: %s as %s', async (prefix, path, forwarded) => {
    const port = await start({ route: { prefix, strip_prefix: true } });

    await RawClient.exchange(port, `GET ${path} HTTP/1.1\r\nHost: a\r\n${CLOSE}\r\n`);

    expect(upstream.seen.slice(0, upstream.seen.indexOf('\r'))).toBe(`GET ${forwarded} HTTP/1.1`);
  });

  it.each([
    '/api/../secret',
    '/api../secret',
    '/api/%2e%2E/secret',
    '/api/a/..%2f../secret',
    '/api/.%2e;x/secret',
  ])('that would leave its stripped prefix gets 400: %s', async (path) => {
    const port = await start({ route: { prefix: '/api', strip_prefix: true } });

    const answer = await RawClient.exchange(port, `GET ${path} HTTP/1.1\r\nHost: a\r\n${CLOSE}\r\n`);

    expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*bad request: a path that leaves its prefix\n$/);
    expect(upstream.seen).toBe('');
  });

  it.each([
    '/a/../b',
    '/a/.',
    '/%2e/',
    '/a/%2E%2e',
    '/..;x/',
    '//a',
    '/a//',
    '/%41',
    '/%7e',
    '/%2f',
    '/%5C',
    '/a\\b',
    '/%zz',
    '/%',
    '/%00',
  ])(
    'has its ambiguous path rejected where the listener says so, and forwarded elsewhere: %s',
    async (path) => {
      const request = `GET ${path}?q=/../ HTTP/1.1\r\nHost: a\r\n${CLOSE}\r\n`;

      const rejected = await RawClient.exchange(
        await start({ listener: { paths: 'reject_ambiguous' } }),
        request,
      );
      expect(rejected).toMatch(/^HTTP\/1\.1 400 /);
      expect(upstream.seen).toBe('');
      await bed.stop();

      await RawClient.exchange(await start(), request);
      expect(upstream.seen).toContain(`GET ${path}?q=/../ HTTP/1.1\r\n`);
    },
  );

  it.each(['/', '/a/b.c/..d/', '/%C3%A9?x=//', '/a:b@c;d=1'])(
    'keeps an unambiguous path: %s',
    async (path) => {
      const port = await start({ listener: { paths: 'reject_ambiguous' } });

      await RawClient.exchange(port, `GET ${path} HTTP/1.1\r\nHost: a\r\n${CLOSE}\r\n`);

      expect(upstream.seen).toContain(`GET ${path} HTTP/1.1\r\n`);
    },
  );

  it('has the forwarding headers of an untrusted peer replaced', async () => {
    const port = await start();

    await RawClient.exchange(
      port,
      'GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 6.6.6.6\r\nx_forwarded_for: 6.6.6.6\r\n' +
        `X-Forwarded-Proto: https\r\nX-Forwarded-Host: evil\r\nForwarded: for=6.6.6.6\r\n${CLOSE}\r\n`,
    );

    const [head] = parts(upstream.seen);
    expect(head).not.toMatch(/6\.6\.6\.6|evil|https/);
    expect(head.match(/x.forwarded.for/gi)).toHaveLength(1);
  });

  it('keeps the forwarding headers of a trusted proxy, with that proxy added', async () => {
    const port = await start({ listener: { trusted_proxies: ['127.0.0.0/8'] } });

    await RawClient.exchange(
      port,
      `GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.2.3.4\r\nX-Forwarded-Proto: https\r\n${CLOSE}\r\n`,
    );

    const [head] = parts(upstream.seen);
    expect(head).toContain('X-Forwarded-For: 1.2.3.4, 127.0.0.1\r\n');
    expect(head).toContain('X-Forwarded-Proto: https\r\n');
    expect(head).toContain('X-Forwarded-Host: a\r\n');
  });

  it('is changed by the rules of its route', async () => {
    const requestHeaders = { set: { 'x-team': 'blue', 'user-agent': 'proxy' }, remove: ['cookie'] };
    const port = await start({
      route: { prefix: '/v1', strip_prefix: true, request_headers: requestHeaders },
    });

    await RawClient.exchange(
      port,
      `GET /v1?x=1 HTTP/1.1\r\nHost: a\r\nCookie: c\r\nUser-Agent: curl\r\n${CLOSE}\r\n`,
    );

    const [head] = parts(upstream.seen);
    expect(head).toMatch(/^GET \/\?x=1 HTTP\/1\.1\r\n/);
    expect(head).not.toMatch(/cookie|curl/i);
    expect(head).toContain('x-team: blue\r\n');
    expect(head).toContain('user-agent: proxy\r\n');
  });

  it('is answered with 404 without a route', async () => {
    const port = await start({ route: { host: 'b.example' } });

    const answer = await RawClient.exchange(port, `GET / HTTP/1.1\r\nHost: a\r\n${CLOSE}\r\n`);

    expect(answer).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/);
    expect((await bed.listener('web')).unrouted).toBe(1);
    expect(upstream.sockets).toHaveLength(0);
  });

  it('is redirected to the same URL under https', async () => {
    const port = await start({ route: { prefix: '/', cluster: undefined, redirect: 'https' } });

    const answer = await RawClient.exchange(
      port,
      `GET /a?b HTTP/1.1\r\nHost: a.example:8080\r\n${CLOSE}\r\n`,
    );

    expect(answer).toMatch(/^HTTP\/1\.1 308 Permanent Redirect\r\nlocation: https:\/\/a\.example\/a\?b\r\n/);
  });

  it('in absolute form for its own host is forwarded by its path', async () => {
    const port = await start();

    await RawClient.exchange(port, `GET http://A.example?q HTTP/1.1\r\nHost: a.example\r\n${CLOSE}\r\n`);

    expect(upstream.seen).toMatch(/^GET \/\?q HTTP\/1\.1\r\n/);
  });

  it('for the options of the server is answered by the proxy', async () => {
    const port = await start();

    const answer = await RawClient.exchange(port, `OPTIONS * HTTP/1.1\r\nHost: a\r\n${CLOSE}\r\n`);

    expect(answer).toMatch(/^HTTP\/1\.1 204 No Content\r\n/);
  });

  it('with a small body is sent in one part with its length', async () => {
    const port = await start();

    const body = '3\r\nabc\r\n2\r\nde\r\n0\r\nX-Trailer: 1\r\n\r\n';
    await RawClient.exchange(
      port,
      `POST / HTTP/1.1\r\nHost: a\r\n${CLOSE}Transfer-Encoding: chunked\r\n\r\n${body}`,
    );

    expect(upstream.seen).toMatch(/\r\nContent-Length: 5\r\n\r\nabcde$/);
  });

  it.each([
    ['length', 'Content-Length: 5\r\n\r\nhello'],
    ['chunks', 'Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n'],
  ])('keeps its %s, whatever Connection names', async (_, rest) => {
    const port = await start();

    const named = 'Connection: close, host, content-length, transfer-encoding, x-forwarded-for\r\n';
    await RawClient.exchange(port, `POST / HTTP/1.1\r\nHost: a\r\n${named}${rest}`);

    expect(upstream.seen).toMatch(/^POST \/ HTTP\/1\.1\r\nHost: a\r\n/);
    expect(upstream.seen).toContain('\r\nX-Forwarded-For: 127.0.0.1\r\n');
    expect(upstream.seen).toMatch(/\r\nContent-Length: 5\r\n(?:[^]*\r\n)?\r\nhello$/);
  });

  it.each(['h2c', 'websocket, h2c', 'TLS/1.0'])(
    'that offers to upgrade to %s is not upgraded',
    async (offer) => {
      const port = await start();

      const upgrade = `Connection: close, Upgrade, HTTP2-Settings\r\nUpgrade: ${offer}\r\nHTTP2-Settings: AAMA\r\n`;
      await RawClient.exchange(port, `GET / HTTP/1.1\r\nHost: a\r\n${upgrade}\r\n`);

      expect(upstream.seen).not.toMatch(/upgrade|http2-settings/i);
    },
  );

  it('with a slow body is forwarded as it arrives', async () => {
    script = () => undefined;
    const port = await start();
    const client = await RawClient.to(port);

    client.send('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n');
    await upstream.until((seen) => seen.endsWith('\r\n3\r\nabc\r\n'));
    client.send('2\r\nde\r\n0\r\n\r\n');
    await upstream.until((seen) => seen.endsWith('abc\r\n2\r\nde\r\n0\r\n\r\n'));
    upstream.sockets[0]!.write(OK);

    await client.until((received) => received.endsWith('ok'));
    client.socket.destroy();
  });

  it('that expects 100 Continue gets it from the proxy, without the upstream', async () => {
    const port = await start();
    const client = await RawClient.to(port);

    client.send(`POST / HTTP/1.1\r\nHost: a\r\n${CLOSE}Content-Length: 3\r\nExpect: 100-continue\r\n\r\n`);
    await client.until((received) => received === 'HTTP/1.1 100 Continue\r\n\r\n');
    client.send('abc');
    await client.ended();

    expect(client.received).toContain('\r\n\r\nHTTP/1.1 200 OK\r\n');
    expect(upstream.seen).not.toMatch(/expect/i);
    expect(upstream.seen).toMatch(/abc$/);
  });

  it('of HTTP/1.0 without a host is forwarded, and its connection closed', async () => {
    script = answering('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n');
    const port = await start();

    const answer = await RawClient.exchange(port, 'GET / HTTP/1.0\r\n\r\n');

    const [head, body] = parts(answer);
    expect(head).toContain('Connection: close\r\n');
    expect(head).not.toMatch(/transfer-encoding/i);
    expect(body).toBe('ok');
    expect(upstream.seen).toMatch(new RegExp(`^GET / HTTP/1\\.1\r\nHost: ${upstream.address}\r\n`));
  });

  it('of HTTP/1.0 may keep its connection', async () => {
    const port = await start();
    const client = await RawClient.to(port);

    client.send('GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n');
    await client.until((received) => received.endsWith('ok'));
    client.send('GET / HTTP/1.0\r\n\r\n');
    await client.ended();

    expect(client.received.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
  });

  it('is answered in order when several are sent at once', async () => {
    script = (socket) => {
      socket.on('data', (chunk: Buffer) => {
        const path = /^GET \/(\d+)/.exec(chunk.toString('latin1'))?.[1] ?? '';
        // The first one is answered last.
        const answer = (): void => void socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n#${path}`);
        if (path === '1') setImmediate(() => setImmediate(answer));
        else answer();
      });
    };
    const port = await start();
    const get = (path: number): string => `GET /${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

    const client = await RawClient.to(port);
    client.send(get(1) + get(2) + get(3));
    await client.until((received) => received.includes('#3'));

    expect(client.received.match(/#\d/g)).toEqual(['#1', '#2', '#3']);
    client.socket.destroy();
  });

  it('shares connections with earlier and later ones', async () => {
    const port = await start();
    const client = await RawClient.to(port);

    for (let index = 1; index <= 5; index++) {
      client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      await client.until((received) => received.split('\r\n\r\nok').length === index + 1);
    }

    expect(upstream.sockets).toHaveLength(1);
    client.socket.destroy();
    const { clusters, listeners } = await bed.atRest();
    expect(clusters[0]?.endpoints[0]?.requestsTotal).toBe(5);
    expect(listeners[0]?.requestsByClass['2xx']).toBe(5);
    expect(listeners[0]?.cxTotal).toBe(1);
  });
});

describe('a forwarded response', () => {
  let upstream: ScriptedUpstream;
  let bed: ProxyBed;

  afterEach(async () => {
    expect(isAtRest(await bed.atRest())).toBe(true);
    await bed.stop();
    await upstream.stop();
  });

  async function answerTo(request: string, script: (socket: Socket) => void): Promise<string> {
    upstream = await ScriptedUpstream.start(script);
    bed = await ProxyBed.start({
      listeners: [{ name: 'web', address: '127.0.0.1:0' }],
      clusters: [{ name: 'api', endpoints: [{ address: upstream.address }] }],
      routes: [{ prefix: '/', cluster: 'api' }],
      drain: { grace: '0s', timeout: '2s' },
    });
    return RawClient.exchange(await bed.port('web'), request);
  }

  const GET = `GET / HTTP/1.1\r\nHost: a\r\n${CLOSE}\r\n`;

  it('keeps its status, its reason and its headers, and loses hop-by-hop headers', async () => {
    const answer = await answerTo(
      GET,
      answering(
        'HTTP/1.1 299 Odd One\r\nServer: origin\r\nDate: then\r\nset-cookie: a=1\r\nSet-Cookie: b=2\r\nX-Hop: 1\r\n' +
          'Connection: keep-alive, x-hop\r\nKeep-Alive: timeout=5\r\nETag: "\xe9"\r\nContent-Length: 2\r\n\r\nok',
      ),
    );

    expect(answer).toBe(
      'HTTP/1.1 299 Odd One\r\nServer: origin\r\nDate: then\r\nset-cookie: a=1\r\nSet-Cookie: b=2\r\nETag: "\xe9"\r\n' +
        'Content-Length: 2\r\nConnection: close\r\n\r\nok',
    );
  });

  it('without a date gets one', async () => {
    const answer = await answerTo(GET, answering(OK));

    expect(answer).toMatch(/\r\nDate: [A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT\r\n/);
  });

  it('of unknown length is sent in chunks, with its trailers', async () => {
    const answer = await answerTo(
      GET,
      answering(
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n' +
          '3\r\nabc\r\n2;ext=1\r\nde\r\n0\r\nX-Sum: 7\r\nTransfer-Encoding: x\r\n\r\n',
      ),
    );

    const [head, body] = parts(answer);
    expect(head).toContain('Transfer-Encoding: chunked\r\n');
    expect(body).toBe('3\r\nabc\r\n2\r\nde\r\n0\r\nX-Sum: 7\r\n\r\n');
  });

  it('delimited by its connection is complete', async () => {
    const answer = await answerTo(
      GET,
      answering('HTTP/1.1 200 OK\r\n\r\nuntil the end', (socket) => socket.end()),
    );

    expect(parts(answer)[1]).toBe('d\r\nuntil the end\r\n0\r\n\r\n');
  });

  it('of HTTP/1.0 is forwarded as HTTP/1.1', async () => {
    const answer = await answerTo(
      GET,
      answering('HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok', (socket) => socket.end()),
    );

    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toMatch(/\r\n\r\nok$/);
  });

  it('to HEAD has the length of a body and none', async () => {
    const answer = await answerTo(
      `HEAD / HTTP/1.1\r\nHost: a\r\n${CLOSE}\r\n`,
      answering('HTTP/1.1 200 OK\r\nDate: then\r\nContent-Length: 1234\r\n\r\n'),
    );

    expect(answer).toBe('HTTP/1.1 200 OK\r\nDate: then\r\nContent-Length: 1234\r\nConnection: close\r\n\r\n');
  });

  it.each([204, 304])('with status %d has no body and no chunks', async (status) => {
    const answer = await answerTo(GET, answering(`HTTP/1.1 ${status} X\r\nDate: then\r\nETag: "a"\r\n\r\n`));

    expect(answer).toBe(`HTTP/1.1 ${status} X\r\nDate: then\r\nETag: "a"\r\nConnection: close\r\n\r\n`);
  });

  it('follows its early hints', async () => {
    const answer = await answerTo(
      GET,
      answering(`HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n${OK}`),
    );

    expect(answer).toMatch(
      /^HTTP\/1\.1 103 Early Hints\r\nLink: <\/a\.css>; rel=preload\r\n\r\nHTTP\/1\.1 200 OK\r\n/,
    );
  });

  it('is sent as soon as its head has arrived', async () => {
    upstream = await ScriptedUpstream.start(
      answering('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n'),
    );
    bed = await ProxyBed.start({
      listeners: [{ name: 'web', address: '127.0.0.1:0' }],
      clusters: [{ name: 'api', endpoints: [{ address: upstream.address }] }],
      routes: [{ prefix: '/', cluster: 'api' }],
      drain: { grace: '0s', timeout: '2s' },
    });
    const client = await RawClient.to(await bed.port('web'));

    client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await client.until((received) => received.includes('\r\n\r\n'));
    upstream.sockets[0]!.write('data: 1\n\n');
    await client.until((received) => received.includes('data: 1\n\n'));

    client.socket.destroy();
  });
});
