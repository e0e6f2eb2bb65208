/** The effect of a client on others, and its claims about itself. */
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Socket } from 'node:net';
import { isAtRest, ProxyBed } from './proxy-bed.ts';
import { RawClient } from './raw-client.ts';
import { TurnedTimers } from './turned-timers.ts';
import { answering, HttpUpstream, ScriptedUpstream } from './upstreams.ts';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const POST_HEAD = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n';

describe('a client', () => {
  const clients: RawClient[] = [];
  let upstream: ScriptedUpstream;
  let timers: TurnedTimers;
  let bed: ProxyBed;

  afterEach(async () => {
    for (const client of clients.splice(0)) client.socket.destroy();
    expect(isAtRest(await bed.atRest())).toBe(true);
    await bed.stop();
    await upstream.stop();
  });

  async function start(
    script: (socket: Socket) => void,
    changes: { listener?: object; cluster?: object; more?: readonly string[] } = {},
  ): Promise<number> {
    upstream = await ScriptedUpstream.start(script);
    const endpoints = [upstream.address, ...(changes.more ?? [])].map((address) => ({ address }));
    timers = new TurnedTimers();
    bed = await ProxyBed.start(
      {
        listeners: [{ name: 'web', address: '127.0.0.1:0', ...changes.listener }],
        clusters: [{ name: 'api', endpoints, ...changes.cluster }],
        routes: [{ prefix: '/', cluster: 'api' }],
        drain: { grace: '0s', timeout: '0s' },
      },
      { timers },
    );
    return bed.port('web');
  }

  async function clientOf(port: number): Promise<RawClient> {
    const client = await RawClient.to(port);
    clients.push(client);
    return client;
  }

  async function exchange(port: number, request: string): Promise<string> {
    const client = await clientOf(port);
    client.send(request);
    await client.until((received) => received.includes('\r\n\r\n'));
    client.socket.destroy();
    return client.received;
  }

  it('that pipelines 1,200 requests has one connection to the upstream, and responses in order', async () => {
    let open = 0;
    let most = 0;
    const port = await start((socket) => {
      socket.on('data', (chunk: Buffer) => {
        for (const [, number] of chunk.toString('latin1').matchAll(/GET \/(\d+) /g)) {
          open += 1;
          most = Math.max(most, open);
          setImmediate(() => {
            open -= 1;
            socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<${number!.padStart(4, '0')}>`);
          });
        }
      });
    });
    const client = await clientOf(port);

    client.send(
      Array.from({ length: 1_200 }, (_, index) => `GET /${index} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''),
    );
    await client.until((received) => received.includes('<1199>'));

    const numbers = Array.from(client.received.matchAll(/<(\d{4})>/g), ([, number]) => Number(number));
    expect(numbers).toEqual(Array.from({ length: 1_200 }, (_, index) => index));
    expect([most, upstream.sockets.length]).toEqual([1, 1]);
  });

  it('that sends a POST and a DELETE in one packet has them executed in this order', async () => {
    const done: string[] = [];
    const server = await HttpUpstream.start((request, response) => {
      request.resume();
      // The first is slow, and still completes before the second begins.
      setImmediate(() => {
        done.push(request.method ?? '');
        response.end('ok');
      });
    });
    const port = await start(() => undefined, { cluster: { endpoints: [{ address: server.address }] } });

    for (let count = 1; count <= 20; count++) {
      const client = await clientOf(port);
      client.send(
        'POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhelloDELETE /a HTTP/1.1\r\nHost: a\r\n\r\n',
      );
      await client.until((received) => received.split('HTTP/1.1 200').length === 3);
      client.socket.destroy();
    }

    expect(done).toEqual(Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? 'POST' : 'DELETE')));
    await server.stop();
  });

  it.each([
    [
      'chunks, cut anywhere',
      'POST /1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
    ],
    [
      'trailers, cut anywhere',
      'POST /1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\n\r\n',
    ],
    ['a length, cut anywhere', 'POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\nab\r\n\r\ncd'],
  ])('has a request behind %s read as the next one', async (_, first) => {
    const port = await start(answering(OK));
    const both = `${first}\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n`;

    for (let cut = 1; cut < both.length; cut++) {
      const client = await clientOf(port);
      client.send(both.slice(0, cut));
      await bed.until(({ listeners }) => listeners[0]?.cxActive === 1);
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
      client.send(both.slice(cut));
      await client.until((received) => received.split('HTTP/1.1 200').length === 3);
      client.socket.destroy();
      await bed.atRest();
    }

    expect(upstream.seen.match(/POST \/1 /g)).toHaveLength(both.length - 1);
    expect(upstream.seen.match(/GET \/2 /g)).toHaveLength(both.length - 1);
  });

  it('with 40 heads without a body leaves capacity for others, and is rejected by its share', async () => {
    const port = await start(
      (socket) => {
        socket.on('data', (chunk: Buffer) => {
          if (chunk.toString('latin1').startsWith('GET')) socket.write(OK);
        });
      },
      {
        listener: { trusted_proxies: ['127.0.0.1'] },
        cluster: { circuit_breaker: { max_requests: 16, max_connections: 16 } },
      },
    );
    for (let count = 0; count < 40; count++) (await clientOf(port)).send(POST_HEAD);
    await bed.until(({ breakerRejections }) => breakerRejections[0]?.rejected.max_requests_per_client === 28);

    const other = await exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n');
    const same = await exchange(port, GET);

    expect(other).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(same).toMatch(/^HTTP\/1\.1 503 /);
    expect(same).toContain('x-plexus-overloaded: max_requests_per_client cluster=api limit=12\r\n');
    const snapshot = await bed.proxy.snapshot();
    expect(snapshot.clusters[0]?.breaker.max_requests.used).toBe(12);
    expect(snapshot.circuitBreakerRejected).toBe(29);
    expect(snapshot.clusters[0]?.upstreamFailures?.no_free_place).toBe(29);
  });

  it('has no share when it is disabled', async () => {
    const port = await start(() => undefined, {
      cluster: { circuit_breaker: { max_requests: 8, max_requests_per_client: 'off' } },
    });

    for (let count = 0; count < 8; count++) (await clientOf(port)).send(GET);
    const { clusters } = await bed.until((snapshot) => snapshot.clusters[0]?.breaker.max_requests.used === 8);

    expect(clusters[0]?.breaker.max_requests.rejected).toBe(0);
  });

  it('that sends its body too slowly is answered with 408, and its place is free', async () => {
    const port = await start(() => undefined, { listener: { body_min_rate: 100 } });
    const slow = await clientOf(port);
    const fast = await clientOf(port);
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n';

    slow.send(head);
    fast.send(head);
    await bed.until(({ clusters }) => clusters[0]?.breaker.max_requests.used === 2);
    for (let second = 5; second <= 25; second += 5) {
      slow.send('x'.repeat(10));
      fast.send('x'.repeat(1_000));
      await bed.until(
        ({ listeners }) => listeners[0]?.bytesReceived === 2 * head.length + (second / 5) * 1_010,
      );
      await timers.turn(5_000);
    }
    await slow.ended();

    expect(slow.statusCode).toBe(408);
    expect(fast.received).toBe('');
    expect((await bed.proxy.snapshot()).clusters[0]?.breaker.max_requests.used).toBe(1);
  });

  it('whose request is incomplete at the time-out is answered with 408', async () => {
    const port = await start(() => undefined, { listener: { request_timeout: '30s', body_min_rate: 0 } });
    const client = await clientOf(port);

    client.send(POST_HEAD);
    await bed.until(({ clusters }) => clusters[0]?.breaker.max_requests.used === 1);
    await timers.turn(29_000);
    expect(client.received).toBe('');
    await timers.turn(1_000);
    await client.ended();

    expect(client.statusCode).toBe(408);
  });

  it('that has its response may send the rest of its body slowly', async () => {
    const port = await start(
      (socket) => socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab')),
      { listener: { request_timeout: '10s' } },
    );
    const client = await clientOf(port);

    client.send(POST_HEAD);
    await client.until((received) => received.endsWith('ab'));
    await timers.turn(50_000);
    client.send('123456789');
    await upstream.until((seen) => seen.endsWith('123456789'));
    upstream.sockets[0]!.write('cd');
    await client.until((received) => received.endsWith('abcd'));
  });

  it.each([
    ['an unknown method', 'BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n', 501],
    ['a method in small letters', 'get / HTTP/1.1\r\nHost: a\r\n\r\n', 501],
    ['a method of another protocol', 'DESCRIBE / HTTP/1.1\r\nHost: a\r\n\r\n', 501],
    ['no method', 'G@T / HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['a target without end', `GET /${'a'.repeat(40_000)}`, 414],
    ['a long target', `GET /${'a'.repeat(40_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 414],
    ['a long header', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`, 431],
  ])('that sends %s is answered with a clear reason', async (_, request, status) => {
    const port = await start(answering(OK));

    const answer = await RawClient.exchange(port, request);

    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).not.toMatch(/HPE|llhttp|span|expected|callback|Invalid/);
    expect(upstream.sockets).toHaveLength(0);
  });

  const KINDS = [
    ...['Port', 'Prefix', 'Server', 'Ssl', 'Scheme', 'User', 'By', 'Path'].map(
      (kind) => `X-Forwarded-${kind}`,
    ),
    ...['X-Real-IP', 'X_Real_IP', 'X-Client-IP', 'True-Client-IP', 'CF-Connecting-IP', 'X-Cluster-Client-IP'],
    ...['CF-Connecting-IPv6', 'Cf-Pseudo-IPv4', 'X-Appengine-User-IP', 'X-Azure-ClientIP', 'Fly-Client-IP'],
    ...[
      'X-Scheme',
      'X-Url-Scheme',
      'Front-End-Https',
      'X-Ssl',
      'X-Real-Port',
      'Remote-Addr',
      'X-Forward-For',
    ],
    ...['Forwarded', 'x_forwarded_proto', 'Via', 'X-Original-Forwarded-For', 'X-Forwarded'],
  ];

  it('that is not trusted cannot set its own identity', async () => {
    const port = await start(answering(OK));
    const lies = KINDS.map((name) => `${name}: 6.6.6.6\r\n`).join('');

    await exchange(port, `GET / HTTP/1.1\r\nHost: a\r\n${lies}X-Kept: 1\r\n\r\n`);

    expect(upstream.seen).not.toContain('6.6.6.6');
    expect(upstream.seen).toContain('\r\nX-Kept: 1\r\n');
    expect(upstream.seen).toContain('\r\nX-Forwarded-For: 127.0.0.1\r\n');
    expect(upstream.seen).toContain('\r\nVia: 1.1 plexus\r\n');
  });

  it('that is trusted keeps its forwarding headers, and is named in Via', async () => {
    const port = await start(answering(OK), { listener: { trusted_proxies: ['127.0.0.1'] } });
    const words = KINDS.map((name) => `${name}: 1.2.3.4\r\n`).join('');

    await exchange(port, `GET / HTTP/1.1\r\nHost: a\r\n${words}\r\n`);

    for (const name of KINDS) expect(upstream.seen).toContain(`\r\n${name}: 1.2.3.4`);
    expect(upstream.seen).toContain('\r\nVia: 1.2.3.4, 1.1 plexus\r\n');
  });

  it('is identified by the address behind a trusted proxy when a ring hashes addresses', async () => {
    const other = await ScriptedUpstream.start(answering(OK));
    const port = await start(answering(OK), {
      listener: { trusted_proxies: ['127.0.0.1', '10.0.0.0/8'] },
      cluster: { lb_policy: 'ring_hash' },
      more: [other.address],
    });
    const from = (chain: string): Promise<string> =>
      exchange(port, `GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${chain}\r\n\r\n`);

    for (let last = 1; last <= 40; last++) await from(`192.0.2.${last}`);
    const spread = [upstream, other].map(({ seen }) => seen.split('GET /').length - 1);
    for (let count = 0; count < 10; count++) await from(`6.6.6.${count}, 192.0.2.1, 10.1.1.${count}`);
    const after = [upstream, other].map(({ seen }) => seen.split('GET /').length - 1);

    // Forty clients are spread over both; one client, whatever its headers, is on one.
    expect(Math.min(...spread)).toBeGreaterThan(0);
    expect([after[0]! - spread[0]!, after[1]! - spread[1]!].sort()).toEqual([0, 10]);
    await other.stop();
  });
});
