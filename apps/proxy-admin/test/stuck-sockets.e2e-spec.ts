import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { ADMIN_LIMITS } from '#proxy/admin';
import { clusterSnapshot, endpointSnapshot, proxySnapshot } from '#proxy/testing';
import { everythingFrom, rawAnswer, TestAdmin } from './support/test-admin.ts';

const MANY = 200;
/** Longer than the test: no time-out fires. */
const NEVER_MS = 600_000;

const HEAD = 'Host: localhost\r\nContent-Type: application/json\r\n';

describe('the admin server, with many stuck connections', () => {
  const sockets: Socket[] = [];
  let admin: TestAdmin;

  beforeEach(async () => {
    const limits = { headersTimeoutMs: NEVER_MS, requestTimeoutMs: NEVER_MS, idleTimeoutMs: NEVER_MS };
    admin = await TestAdmin.scripted({ admin: { extensions: true }, limits });
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await admin.stop();
  });

  /** Opens this many connections, each with these bytes; the server may close them. */
  async function stick(bytes: string, count = MANY): Promise<void> {
    for (let index = 0; index < count; index++) {
      const socket = connect(admin.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.pause();
      socket.write(bytes);
      sockets.push(socket);
      await once(socket, 'connect');
    }
  }

  it.each([
    ['nothing', ''],
    ['seven bytes', 'GET /re'],
    ['half a head', `GET /ready HTTP/1.1\r\n${HEAD}X: `],
    ['half a body', `POST /admin/v1/reload HTTP/1.1\r\n${HEAD}Content-Length: 9\r\n\r\n{`],
    ['a request, and nothing more', `GET /ready HTTP/1.1\r\n${HEAD}\r\n`],
    ['a malformed request', 'nonsense\r\n\r\n'],
  ])('answers at once: each sent %s', async (_, bytes) => {
    await stick(bytes);

    const answer = await admin.ask('GET', '/ready');

    expect([answer.status, answer.body]).toEqual([200, 'LIVE']);
    expect(sockets).toHaveLength(MANY);
  });

  it('answers at once: each requests much and reads nothing', async () => {
    const endpoints = Array.from({ length: 10_000 }, (_, index) => endpointSnapshot(`10.0.0.1:${index + 1}`));
    admin.source.current = proxySnapshot({ clusters: [clusterSnapshot('api', { endpoints })] });
    await stick(`GET /clusters HTTP/1.1\r\n${HEAD}\r\n`.repeat(8), 66);
    admin.source.current = proxySnapshot();

    const answer = await admin.ask('GET', '/ready');

    expect([answer.status, answer.body]).toEqual([200, 'LIVE']);
  });

  it('begins one request of a packet at a time, in order', async () => {
    let begun = 0;
    const releases: (() => void)[] = [];
    jest.spyOn(admin.source, 'snapshot').mockImplementation(async () => {
      begun += 1;
      await new Promise<void>((resolve) => releases.push(resolve));
      return admin.source.current;
    });
    const socket = await admin.open();
    const answers = everythingFrom(socket);
    socket.write(`GET /config HTTP/1.1\r\n${HEAD}\r\n`.repeat(9));
    socket.write(`GET /config HTTP/1.1\r\n${HEAD}Connection: close\r\n\r\n`);

    for (let count = 1; count <= 10; count++) {
      while (begun < count) await new Promise((resolve) => setImmediate(resolve));
      // Meanwhile another connection is served completely.
      expect((await admin.ask('GET', '/nope')).status).toBe(404);
      expect(begun).toBe(count);
      releases.shift()?.();
    }

    expect((await answers).match(/HTTP\/1\.1 200/g)).toHaveLength(10);
  });

  it('keeps no more connections than the limit', async () => {
    await stick('GET /re');
    await admin.ask('GET', '/ready');

    const closed = sockets.slice(0, MANY - ADMIN_LIMITS.connectionsMax);
    await Promise.all(closed.map((socket) => everythingFrom(socket.resume())));

    expect(closed.every(({ destroyed }) => destroyed)).toBe(true);
    expect(sockets.at(-1)?.destroyed).toBe(false);
  });

  it('keeps an active reader of events', async () => {
    const reader = await admin.open();
    reader.write(`GET /admin/v1/events HTTP/1.1\r\n${HEAD}\r\n`);
    await once(reader, 'data');
    await stick('GET /re');
    await admin.ask('GET', '/ready');

    admin.source.emit({ type: 'server_state', at: 1, state: 'LIVE' });
    const [chunk] = (await once(reader, 'data')) as [Buffer];

    expect(chunk.toString()).toContain('server_state');
    reader.destroy();
  });

  it('answers CONNECT with 404, and closes', async () => {
    const answer = rawAnswer(
      await admin.exchange('CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n'),
    );

    expect([answer.status, answer.headers['connection']]).toEqual([404, 'close']);
    expect(answer.body).toMatch(/^Not Found: a\.example:443\nGET \/stats - /);
  });
});

describe('an idle time-out of the admin server', () => {
  /** Much shorter than the reload of the test, which ends after a connection with the same time-out. */
  const idleTimeoutMs = 50;

  it('does not apply to a request whose answer is being prepared', async () => {
    const limits = { headersTimeoutMs: NEVER_MS, requestTimeoutMs: NEVER_MS, idleTimeoutMs };
    const admin = await TestAdmin.scripted({ admin: { extensions: true }, limits });
    const reload = Promise.withResolvers<undefined>();
    const begun = Promise.withResolvers<undefined>();
    jest.spyOn(admin.source, 'reload').mockImplementation(async () => {
      begun.resolve(undefined);
      await reload.promise;
      return admin.source.reloadResult;
    });
    const answer = admin.ask('POST', '/admin/v1/reload', { 'Content-Type': 'application/json' });
    await begun.promise;

    // An idle connection is closed, later than the first would be.
    await everythingFrom(await admin.open());
    reload.resolve(undefined);

    expect(await answer).toMatchObject({ status: 200, body: JSON.stringify(admin.source.reloadResult) });
    await admin.stop();
  });

  it('closes a connection after its answer', async () => {
    const limits = { keepAliveTimeoutMs: idleTimeoutMs, idleTimeoutMs: NEVER_MS };
    const admin = await TestAdmin.scripted({ limits });

    const received = await admin.exchange(`GET /ready HTTP/1.1\r\n${HEAD}\r\n`);

    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    await admin.stop();
  });
});
