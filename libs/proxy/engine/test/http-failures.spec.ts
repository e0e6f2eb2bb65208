import { afterEach, describe, expect, it } from '@jest/globals';
import type { Socket } from 'node:net';
import type { ClusterSnapshot, EndpointSnapshot, ListenerSnapshot } from '#proxy/engine';
import { freePort } from '#testing';
import { ProxyBed } from './proxy-bed.ts';
import { RawClient } from './raw-client.ts';
import { TurnedTimers } from './turned-timers.ts';
import { answering, ScriptedUpstream } from './upstreams.ts';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

interface Numbers {
  readonly listener: ListenerSnapshot;
  readonly cluster: ClusterSnapshot;
  readonly endpoint: EndpointSnapshot;
}

describe('HTTP failures', () => {
  const upstreams: ScriptedUpstream[] = [];
  let bed: ProxyBed;
  let timers: TurnedTimers;

  afterEach(async () => {
    await bed.stop();
    await Promise.all(upstreams.splice(0).map((upstream) => upstream.stop()));
  });

  async function upstream(script?: (socket: Socket) => void): Promise<ScriptedUpstream> {
    const started = await ScriptedUpstream.start(script);
    upstreams.push(started);
    return started;
  }

  async function start(
    endpoints: readonly string[],
    changes: { cluster?: object; route?: object; listener?: object } = {},
  ): Promise<number> {
    timers = new TurnedTimers();
    bed = await ProxyBed.start(
      {
        listeners: [{ name: 'web', address: '127.0.0.1:0', ...changes.listener }],
        clusters: [{ name: 'api', endpoints: endpoints.map((address) => ({ address })), ...changes.cluster }],
        routes: [{ prefix: '/', cluster: 'api', ...changes.route }],
        drain: { grace: '0s', timeout: '0s' },
      },
      { timers },
    );
    return bed.port('web');
  }

  /** Resolves when nothing is open any more. */
  async function numbers(): Promise<Numbers> {
    const { listeners, clusters } = await bed.atRest();
    return { listener: listeners[0]!, cluster: clusters[0]!, endpoint: clusters[0]!.endpoints[0]! };
  }

  async function answerTo(port: number, request = GET): Promise<string> {
    const client = await RawClient.to(port);
    client.send(request);
    await client.until((received) => received.includes('\r\n\r\n'));
    client.socket.destroy();
    return client.received;
  }

  describe('of an endpoint', () => {
    it('that refuses connections: 502, a connect failure', async () => {
      const port = await start([`127.0.0.1:${await freePort()}`]);

      expect(await answerTo(port)).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/);

      const { listener, cluster, endpoint } = await numbers();
      expect(endpoint.connectFailures).toBe(1);
      expect(cluster.upstreamFailures).toMatchObject({ connection_refused: 1, reset: 0, protocol: 0 });
      expect(bed.events).toContainEqual(
        expect.objectContaining({ type: 'upstream_failure', reason: 'connection_refused', failures: 1 }),
      );
      expect(listener.requestsByClass['5xx']).toBe(1);
    });

    it.each<[string, (socket: Socket) => void]>([
      ['hangs up before its answer', (socket) => socket.on('data', () => socket.end())],
      ['resets before its answer', (socket) => socket.on('data', () => socket.resetAndDestroy())],
      ['hangs up in the head of its answer', answering('HTTP/1.1 200 O', (socket) => socket.end())],
      ['does not speak HTTP', answering('220 mail.example ESMTP\r\n')],
      [
        'answers with two lengths',
        answering('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nok'),
      ],
      [
        'answers with a length and chunks',
        answering('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
      ],
      ['answers with a folded header', answering('HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n')],
      ['answers with a NUL', answering('HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n')],
      ['answers with an invalid status', answering('HTTP/1.1 099 No\r\nContent-Length: 0\r\n\r\n')],
      [
        'changes the protocol unasked',
        answering('HTTP/1.1 101 Go\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
      ],
      ['answers with a head without end', answering(`HTTP/1.1 200 OK\r\nX: ${'a'.repeat(80_000)}\r\n`)],
    ])('that %s: 502, a reset', async (_, script) => {
      const port = await start([(await upstream(script)).address]);

      expect(await answerTo(port)).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/);

      const { listener, endpoint } = await numbers();
      expect(endpoint.resets).toBe(1);
      expect(listener.requestsByClass['5xx']).toBe(1);
    });

    it('that does not answer in time: 504, and the request is cancelled', async () => {
      const silent = await upstream();
      const port = await start([silent.address], { route: { timeout: '15s' } });
      const client = await RawClient.to(port);

      client.send(GET);
      const socket = await silent.connections(1);
      const gone = new Promise((resolve) => socket.once('close', resolve));
      await silent.until((seen) => seen.includes('\r\n\r\n'));
      await timers.turn(15_000);
      await client.until((received) => received.includes('no response'));
      client.socket.destroy();
      socket.end();
      await gone;

      expect(client.statusCode).toBe(504);
      const { listener, endpoint } = await numbers();
      expect(endpoint.timeouts).toBe(1);
      expect(listener.requestTimeouts).toBe(1);
      expect(listener.requestsByClass['5xx']).toBe(1);
    });

    it('that accepts and never speaks TLS: 502 after the connect time-out', async () => {
      const silent = await upstream();
      const port = await start([silent.address], { cluster: { tls: {}, connect_timeout: '1s' } });
      const client = await RawClient.to(port);

      client.send(GET);
      await silent.until((seen) => seen !== '');
      await timers.turn(1_000);
      await client.until((received) => received.includes('\r\n\r\n'));
      client.socket.destroy();

      expect(client.statusCode).toBe(502);
      expect((await numbers()).endpoint.connectFailures).toBe(1);
    });

    it('that stalls in its response for longer than the heartbeats of event streams: the connection is cut', async () => {
      const half = await upstream(answering('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'));
      const port = await start([half.address], { route: { timeout: '15s' } });
      const client = await RawClient.to(port);

      client.send(GET);
      await client.until((received) => received.endsWith('half'));
      await timers.turn(59_000);
      expect((await bed.proxy.snapshot()).clusters[0]?.endpoints[0]?.timeouts).toBe(0);
      await timers.turn(1_000);
      await client.ended();
      client.socket.destroy();

      const { listener, endpoint } = await numbers();
      expect(endpoint.timeouts).toBe(1);
      expect(listener.requestsByClass['2xx']).toBe(1);
    });

    it.each([
      [{ timeout: '15s', stream_timeout: '5s' }, 5_000],
      [{ timeout: '120s' }, 120_000],
    ])('that stalls in its response, with %j: the connection is cut after %d ms', async (route, ms) => {
      const half = await upstream(answering('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'));
      const port = await start([half.address], { route });
      const client = await RawClient.to(port);

      client.send(GET);
      await client.until((received) => received.endsWith('half'));
      await timers.turn(ms - 1);
      expect((await bed.proxy.snapshot()).clusters[0]?.endpoints[0]?.timeouts).toBe(0);
      await timers.turn(1);
      await client.ended();
      client.socket.destroy();

      expect((await numbers()).endpoint.timeouts).toBe(1);
    });

    it('that keeps sending may exceed its time-out in total', async () => {
      const slow = await upstream(answering('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n'));
      const port = await start([slow.address], { route: { timeout: '15s' } });
      const client = await RawClient.to(port);

      client.send(GET);
      for (const part of ['a', 'b', 'c']) {
        const socket = await slow.connections(1);
        await client.until((received) => received.includes('\r\n\r\n'));
        await timers.turn(14_000);
        socket.write(part);
        await client.until((received) => received.endsWith(part));
      }
      slow.sockets[0]!.write('d');
      await client.until((received) => received.endsWith('abcd'));
      client.socket.destroy();

      expect((await numbers()).endpoint.timeouts).toBe(0);
    });

    it.each<[string, string]>([
      ['of known length', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'],
      ['in chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n'],
    ])('that disconnects within a response %s: the response does not end cleanly', async (_, half) => {
      const port = await start([(await upstream(answering(half, (socket) => socket.end()))).address]);
      const client = await RawClient.to(port);

      client.send(GET);
      await client.ended();
      client.socket.destroy();

      expect(client.received).toContain('half');
      expect(client.received).not.toContain('0\r\n\r\n');
      const { listener, endpoint } = await numbers();
      expect(endpoint.resets).toBe(1);
      expect(listener.requestsByClass['2xx']).toBe(1);
    });

    it('that disconnects within a response to HTTP/1.0: the client receives a reset', async () => {
      const half = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n';
      const cut = await upstream(answering(half));
      const port = await start([cut.address]);
      const client = await RawClient.to(port);

      client.send('GET / HTTP/1.0\r\n\r\n');
      await client.until((received) => received.endsWith('half'));
      cut.sockets[0]!.end();
      await client.ended();

      expect(client.hasEnded).toBe(false);
      expect(client.fault?.code).toBe('ECONNRESET');
      await numbers();
    });

    it('that resets a response delimited by its connection: the response does not end cleanly', async () => {
      const cut = await upstream(answering('HTTP/1.1 200 OK\r\n\r\nhalf'));
      const port = await start([cut.address]);
      const client = await RawClient.to(port);

      client.send(GET);
      await client.until((received) => received.includes('half'));
      cut.sockets[0]!.resetAndDestroy();
      await client.ended();
      client.socket.destroy();

      expect(client.received).not.toContain('0\r\n\r\n');
      expect((await numbers()).endpoint.resets).toBe(1);
    });

    it('that sends more than its response: nothing of it reaches the next client', async () => {
      const chatty = await upstream(answering(`${OK}HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil`));
      const port = await start([chatty.address]);

      const answers = [await answerTo(port), await answerTo(port)];

      expect(answers.join('')).not.toContain('evil');
      expect(answers.map((answer) => answer.slice(-2))).toEqual(['ok', 'ok']);
      await numbers();
    });

    it('that closes the connection after each response: the next request gets another one', async () => {
      const closing = await upstream(answering(OK, (socket) => socket.end()));
      const port = await start([closing.address]);

      for (let count = 1; count <= 3; count++) expect(await answerTo(port)).toMatch(/ok$/);

      expect(closing.sockets).toHaveLength(3);
      await numbers();
    });
  });

  describe('of a cluster', () => {
    it('without a healthy endpoint: 503', async () => {
      const only = await upstream(answering(OK));
      const port = await start([only.address]);
      await bed.proxy.setEndpoint({ cluster: 'api', address: only.address, isEnabled: false });

      const answer = await answerTo(port);

      expect(answer).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
      expect(answer).not.toMatch(/x-plexus-overloaded/i);
      expect((await numbers()).cluster.noHealthyEndpoint).toBe(1);
    });

    it('without a healthy endpoint: an event of its own, also after one about a limit', async () => {
      const silent = await upstream();
      const port = await start([silent.address], { cluster: { circuit_breaker: { max_requests: 1 } } });
      const first = await RawClient.to(port);
      first.send(GET);
      await silent.connections(1);
      await answerTo(port);
      await bed.proxy.setEndpoint({ cluster: 'api', address: silent.address, isEnabled: false });

      await answerTo(port);
      first.socket.destroy();
      await numbers();

      const failures = bed.events.filter(({ type }) => type === 'upstream_failure');
      expect(failures).toMatchObject([
        { reason: 'no_free_place', code: 'max_requests', failures: 1 },
        { reason: 'no_free_place', code: 'no_healthy_endpoint', failures: 1 },
      ]);
    });

    const EXPECTING = 'POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n';

    it('without a free place: 503 in place of 100 Continue, as the last response', async () => {
      const silent = await upstream();
      const port = await start([silent.address], { cluster: { circuit_breaker: { max_requests: 1 } } });
      const first = await RawClient.to(port);
      first.send(GET);
      await silent.connections(1);

      const client = await RawClient.to(port);
      client.send(EXPECTING);
      await client.until((received) => received.endsWith('overloaded\n'));
      for (const { socket } of [first, client]) socket.destroy();

      expect(client.received).toMatch(/^HTTP\/1\.1 503 [^]*\r\nConnection: close\r\n/);
      await numbers();
    });

    it('that has to wait for a place: 100 Continue with the place, and the response', async () => {
      const held = await upstream();
      const port = await start([held.address], { cluster: { circuit_breaker: { max_connections: 1 } } });
      const first = await RawClient.to(port);
      first.send(GET);
      const socket = await held.connections(1);
      await held.until((seen) => seen.includes('\r\n\r\n'));
      const client = await RawClient.to(port);
      client.send(EXPECTING);
      await bed.until(({ clusters }) => clusters[0]?.breaker.max_pending_requests.used === 1);
      const before = client.received;

      held.seen = '';
      socket.write(OK);
      await client.until((received) => received.includes('100 Continue\r\n\r\n'));
      client.send('hi');
      await held.until((seen) => seen.endsWith('\r\n\r\nhi'));
      for (const each of held.sockets) each.write(OK);
      await client.until((received) => received.endsWith('ok'));
      for (const each of [first, client]) each.socket.destroy();

      expect(before).toBe('');
      await numbers();
    });

    it.each([
      ['max_requests', { max_requests: 1 }],
      ['max_connections', { max_connections: 1, max_pending_requests: 0 }],
    ])('whose %s are all in use: 503 with the limit', async (limit, limits) => {
      const silent = await upstream();
      const port = await start([silent.address], { cluster: { circuit_breaker: limits } });
      const first = await RawClient.to(port);
      first.send(GET);
      await silent.connections(1);

      const answer = await answerTo(port);

      expect(answer).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
      expect(answer).toContain(`x-plexus-overloaded: ${limit} cluster=api limit=1\r\n`);
      first.socket.destroy();
      const { cluster } = await numbers();
      expect(
        Object.values(cluster.breaker)
          .map(({ rejected }) => rejected)
          .sort(),
      ).toEqual([0, 0, 1]);
      expect((await bed.proxy.snapshot()).circuitBreakerRejected).toBe(1);
    });

    it('whose connections are all in use: a request waits for its turn', async () => {
      const slow = await upstream();
      const port = await start([slow.address], { cluster: { circuit_breaker: { max_connections: 1 } } });
      const [first, second] = [await RawClient.to(port), await RawClient.to(port)];

      first.send(GET);
      const socket = await slow.connections(1);
      await slow.until((seen) => seen.includes('\r\n\r\n'));
      second.send('GET /2 HTTP/1.1\r\nHost: a\r\n\r\n');
      await bed.until(({ clusters }) => clusters[0]?.breaker.max_pending_requests.used === 1);
      socket.write(OK);
      await first.until((received) => received.endsWith('ok'));
      await slow.until((seen) => seen.includes('GET /2 '));
      socket.write(OK);
      await second.until((received) => received.endsWith('ok'));

      expect(slow.sockets).toHaveLength(1);
      for (const client of [first, second]) client.socket.destroy();
      await numbers();
    });

    it('in whose line the time-out of the route expires: 504, and the place is free', async () => {
      const silent = await upstream();
      const limits = { max_connections: 1 };
      const port = await start([silent.address], {
        cluster: { circuit_breaker: limits },
        route: { timeout: '15s' },
      });
      const [first, second] = [await RawClient.to(port), await RawClient.to(port)];

      first.send(GET);
      await silent.connections(1);
      await timers.turn(5_000);
      second.send(GET);
      await bed.until(({ clusters }) => clusters[0]?.breaker.max_pending_requests.used === 1);
      second.socket.destroy();
      await bed.until(({ clusters }) => clusters[0]?.breaker.max_pending_requests.used === 0);
      await timers.turn(15_000);
      await first.until((received) => received.includes('\r\n\r\n'));

      expect(first.statusCode).toBe(504);
      first.socket.destroy();
      expect((await numbers()).listener.clientAborts).toBe(1);
    });
  });

  describe('with retries', () => {
    it('succeeds on another endpoint after a connect failure', async () => {
      const sound = await upstream(answering(OK));
      const port = await start([`127.0.0.1:${await freePort()}`, sound.address], { cluster: { retry: {} } });

      const answers = [await answerTo(port), await answerTo(port)];

      expect(answers.every((answer) => answer.endsWith('ok'))).toBe(true);
      const { cluster } = await numbers();
      expect(cluster.retries.made).toBeGreaterThanOrEqual(1);
      expect(cluster.endpoints[1]?.requestsTotal).toBe(2);
    });

    it('succeeds after a reset, with its body', async () => {
      let count = 0;
      const flaky = await upstream((socket) => {
        count += 1;
        if (count === 1) socket.on('data', () => socket.resetAndDestroy());
        else answering(OK)(socket);
      });
      const port = await start([flaky.address], { cluster: { retry: {} } });

      const answer = await answerTo(port, 'PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello');

      expect(answer).toMatch(/ok$/);
      expect(flaky.seen.match(/hello/g)).toHaveLength(2);
      expect((await numbers()).cluster.retries.made).toBe(1);
    });

    it('succeeds after a 503', async () => {
      let count = 0;
      const busy = await upstream((socket) => {
        socket.on('data', () => {
          count += 1;
          socket.write(count === 1 ? 'HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy' : OK);
        });
      });
      const port = await start([busy.address], { cluster: { retry: {} } });

      const answer = await answerTo(port);

      expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      const { endpoint, listener } = await numbers();
      expect(endpoint.requestsByClass).toMatchObject({ '2xx': 1, '5xx': 1 });
      expect(listener.requestsByClass).toMatchObject({ '2xx': 1, '5xx': 0 });
    });

    it.each<[string, string]>([
      ['a POST', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello'],
      [
        'a body over 64 KiB',
        `PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 65537\r\n\r\n${'x'.repeat(65_537)}`,
      ],
    ])('does not retry after a reset: %s', async (_, request) => {
      const broken = await upstream((socket) => socket.on('data', () => socket.resetAndDestroy()));
      const port = await start([broken.address], { cluster: { retry: {} } });

      expect(await answerTo(port, request)).toMatch(/^HTTP\/1\.1 502 /);

      expect(broken.sockets).toHaveLength(1);
      expect((await numbers()).cluster.retries.made).toBe(0);
    });

    it('forwards the last response when all attempts fail', async () => {
      const busy = await upstream(answering('HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy'));
      const port = await start([busy.address], { cluster: { retry: { max: 2 } } });

      const answer = await answerTo(port);

      expect(answer).toMatch(/^HTTP\/1\.1 503 Busy\r\n/);
      expect(answer).toMatch(/busy$/);
      expect((await numbers()).cluster.retries.made).toBe(2);
    });
  });

  describe('with a client that disconnects', () => {
    const request = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n';

    it('before its request: only the connection is counted', async () => {
      const port = await start([(await upstream()).address]);

      (await RawClient.to(port)).socket.destroy();
      await bed.until(({ downstreamCxTotal }) => downstreamCxTotal === 1);

      const { listener } = await numbers();
      expect(listener.clientAborts).toBe(0);
      expect(Object.values(listener.requestsByClass)).toEqual([0, 0, 0, 0, 0]);
    });

    it('in the head of its request: nothing is forwarded', async () => {
      const silent = await upstream();
      const port = await start([silent.address]);
      const client = await RawClient.to(port);

      const half = 'GET / HTTP/1.1\r\nHos';
      client.send(half);
      await bed.until(({ listeners }) => listeners[0]?.bytesReceived === half.length);
      client.socket.destroy();

      expect((await numbers()).listener.parseErrors).toBe(0);
      expect(silent.sockets).toHaveLength(0);
    });

    it.each<[string, string, string]>([
      ['in the body of its request', `${request}he`, 'he'],
      ['before the answer', `${request}hello`, 'hello'],
    ])('%s: the request is cancelled', async (_, sent, seenLast) => {
      const silent = await upstream();
      const port = await start([silent.address]);
      const client = await RawClient.to(port);

      client.send(sent);
      await silent.until((seen) => seen.endsWith(seenLast));
      const socket = await silent.connections(1);
      const gone = new Promise((resolve) => socket.once('close', resolve));
      client.socket.destroy();
      await bed.atRest();
      socket.end();
      await gone;

      const { listener, endpoint } = await numbers();
      expect(listener.clientAborts).toBe(1);
      expect(endpoint.clientAborts).toBe(1);
    });

    it('within the response: the request is cancelled', async () => {
      const half = await upstream(answering('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'));
      const port = await start([half.address]);
      const client = await RawClient.to(port);

      client.send(GET);
      await client.until((received) => received.endsWith('half'));
      client.socket.destroy();

      const { listener, endpoint } = await numbers();
      expect(listener.clientAborts).toBe(1);
      expect(endpoint.clientAborts).toBe(1);
    });
  });

  it('forwards a response before the end of the request, and discards the rest', async () => {
    const early = await upstream((socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno'));
    });
    const port = await start([early.address]);
    const client = await RawClient.to(port);

    client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\nbegin');
    await client.until((received) => received.endsWith('no'));
    client.send('x'.repeat(300_000 - 5));
    client.send(GET);
    await client.until((received) => received.split('HTTP/1.1 413').length === 3);

    client.socket.destroy();
    await numbers();
  });
});
