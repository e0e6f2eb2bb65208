import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Socket } from 'node:net';
import { ProxyBed } from './proxy-bed.ts';
import { RawClient } from './raw-client.ts';
import { TurnedTimers } from './turned-timers.ts';
import { answering, ScriptedUpstream } from './upstreams.ts';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const SECOND = 1_000;

/** Header time-out 10 s, idle time-out 60 s, route time-out 15 s. */
describe('time-outs of an HTTP connection', () => {
  let timers: TurnedTimers;
  let upstream: ScriptedUpstream;
  let bed: ProxyBed;
  let client: RawClient;
  let script: (socket: Socket) => void;

  beforeEach(async () => {
    timers = new TurnedTimers();
    script = answering(OK);
    upstream = await ScriptedUpstream.start((socket) => script(socket));
    bed = await ProxyBed.start(
      {
        listeners: [
          {
            name: 'web',
            address: '127.0.0.1:0',
            header_timeout: '10s',
            idle_timeout: '60s',
            body_min_rate: 0,
          },
        ],
        clusters: [{ name: 'api', endpoints: [{ address: upstream.address }] }],
        routes: [
          { prefix: '/', cluster: 'api', timeout: '15s' },
          { prefix: '/slow', cluster: 'api', timeout: '0s' },
        ],
        drain: { grace: '0s', timeout: '0s' },
      },
      { timers },
    );
    client = await RawClient.to(await bed.port('web'));
    await bed.until(({ downstreamCxActive }) => downstreamCxActive === 1);
  });

  afterEach(async () => {
    client.socket.destroy();
    await bed.atRest();
    await bed.stop();
    await upstream.stop();
  });

  async function received(bytes: number): Promise<void> {
    await bed.until(({ listeners }) => listeners[0]?.bytesReceived === bytes);
  }

  it('close one that sends nothing', async () => {
    await timers.turn(9 * SECOND);
    expect((await bed.listener('web')).cxActive).toBe(1);
    await timers.turn(1 * SECOND);
    await client.ended();

    expect(client.received).toBe('');
    expect((await bed.listener('web')).headerTimeouts).toBe(1);
  });

  it('answer 408 to one that never completes its first head', async () => {
    client.send('GET / HTTP/1.1\r\n');
    await received(16);
    await timers.turn(5 * SECOND);
    client.send('Host: a\r\n');
    await received(25);
    await timers.turn(5 * SECOND);
    await client.ended();

    expect(client.statusCode).toBe(408);
    expect((await bed.listener('web')).headerTimeouts).toBe(1);
  });

  it('answer 408 to one that never completes a later head, despite single bytes', async () => {
    client.send(GET);
    await client.until((text) => text.endsWith('ok'));
    const begin = 'GET / HTTP/1.1\r\nX-Slow: ';

    client.send(begin);
    await received(GET.length + begin.length);
    for (let second = 1; second <= 19; second++) {
      client.send('a');
      await received(GET.length + begin.length + second);
      await timers.turn(SECOND);
    }
    expect((await bed.listener('web')).headerTimeouts).toBe(0);
    await timers.turn(SECOND);
    await client.ended();

    expect(client.received).toMatch(/HTTP\/1\.1 408 /);
    expect((await bed.listener('web')).headerTimeouts).toBe(1);
  });

  it('close one that is idle between requests', async () => {
    client.send(GET);
    await client.until((text) => text.endsWith('ok'));

    await timers.turn(59 * SECOND);
    expect((await bed.listener('web')).cxActive).toBe(1);
    await timers.turn(10 * SECOND);
    await client.ended();

    const { idleTimeouts, clientAborts } = await bed.listener('web');
    expect([idleTimeouts, clientAborts]).toEqual([1, 0]);
  });

  it('keep one whose unread request arrived before the time-out', async () => {
    client.send(GET);
    await client.until((text) => text.endsWith('ok'));
    await timers.turn(55 * SECOND);

    client.send(GET);
    timers.jump(5 * SECOND);

    await client.until((text) => text.split('HTTP/1.1 200').length === 3 && text.endsWith('ok'));
    expect((await bed.listener('web')).idleTimeouts).toBe(0);
  });

  it('keep one with continual requests', async () => {
    for (let count = 1; count <= 5; count++) {
      client.send(GET);
      await client.until((text) => text.split('HTTP/1.1 200').length === count + 1 && text.endsWith('ok'));
      await timers.turn(50 * SECOND);
    }

    expect((await bed.listener('web')).cxActive).toBe(1);
  });

  it('answer 408 to a request whose body stalls', async () => {
    script = () => undefined;
    client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe');
    await upstream.until((seen) => seen.endsWith('he'));
    await timers.turn(50 * SECOND);
    client.send('l');
    await upstream.until((seen) => seen.endsWith('l'));
    await timers.turn(59 * SECOND);
    expect(client.received).toBe('');
    await timers.turn(1 * SECOND);
    await client.ended();

    expect(client.statusCode).toBe(408);
    const { idleTimeouts, requestTimeouts } = await bed.listener('web');
    expect([idleTimeouts, requestTimeouts]).toEqual([1, 0]);
  });

  it('keep a request whose upstream stops reading its body', async () => {
    script = (socket) => void socket.pause();
    client.send(`POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: ${2 ** 30}\r\n\r\n`);
    const part = 'x'.repeat(65_536);
    const fill = (): void => {
      while (client.socket.writable && client.socket.write(part));
    };
    client.socket.on('drain', fill);
    fill();
    await nothingMoves(async () => (await bed.listener('web')).bytesReceived);

    await timers.turn(60 * SECOND);
    await timers.turn(60 * SECOND);
    client.socket.off('drain', fill);

    expect(client.received).toBe('');
    expect(await bed.listener('web')).toMatchObject({ idleTimeouts: 0, requestTimeouts: 0, cxActive: 1 });
    upstream.sockets[0]!.resetAndDestroy();
  });

  it('end a request whose client stops reading the response', async () => {
    script = () => undefined;
    client.socket.pause();
    client.send(GET);
    const socket = await upstream.connections(1);
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    const part = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    const fill = (): void => {
      while (socket.writable && socket.write(part));
    };
    socket.on('drain', fill);
    fill();
    await nothingMoves();
    const taken = await sent();

    await timers.turn(15 * SECOND);
    expect((await bed.listener('web')).requestTimeouts).toBe(0);
    await timers.turn(60 * SECOND);
    socket.off('drain', fill);

    const { listeners } = await bed.until(({ listeners }) => listeners[0]?.idleTimeouts === 1);
    expect(listeners[0]?.requestTimeouts).toBe(0);
    // It stays connected, and still reads nothing.
    await timers.turn(60 * SECOND);
    await bed.atRest();
    expect(await sent()).toBeGreaterThanOrEqual(taken);
  });

  it.each([
    ['on a kept connection', ''],
    ['on its last response', 'Connection: close\r\n'],
  ])('close a connection whose client reads no complete response, %s', async (_, close) => {
    const body = 'x'.repeat(60_000);
    script = answering(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    client.socket.pause();
    const last = GET.replace('\r\n\r\n', `\r\n${close}\r\n`);
    client.send(GET.repeat(200) + last);
    await nothingMoves();
    const taken = await sent();

    await timers.turn(60 * SECOND);
    await timers.turn(60 * SECOND);

    await bed.atRest();
    expect(await sent()).toBeGreaterThanOrEqual(taken);
  });

  /** Waits until everything that the other socket accepts has been sent. */
  async function nothingMoves(moved = sent): Promise<void> {
    let before = -1;
    let after = await moved();
    while (after !== before || after === 0) {
      before = after;
      for (let turn = 0; turn < 200; turn++) await timers.turn(0);
      after = await moved();
    }
  }

  async function sent(): Promise<number> {
    return (await bed.listener('web')).bytesSent;
  }
});
