import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { everythingFrom, rawAnswer, TestAdmin } from './support/test-admin.ts';

const HOST = 'Host: a\r\n';

describe('the admin server, with malformed input', () => {
  let admin: TestAdmin;

  beforeAll(async () => {
    admin = await TestAdmin.scripted({ admin: { extensions: true } });
  });
  afterAll(() => admin.stop());

  it.each([
    ['a word', 'nonsense\r\n\r\n'],
    ['bytes', Buffer.from([0, 1, 2, 255, 254, 13, 10, 13, 10])],
    ['TLS', Buffer.from('16030100a5010000a10303', 'hex')],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['another version', `GET /ready HTTP/3.0\r\n${HOST}\r\n`],
    ['no Host', 'GET /ready HTTP/1.1\r\n\r\n'],
    ['two Hosts', `GET /ready HTTP/1.1\r\n${HOST}Host: b\r\n\r\n`],
    ['the same Host twice', `GET /ready HTTP/1.1\r\n${HOST}hOST: a\r\n\r\n`],
    [
      'two lengths',
      `POST /admin/v1/reload HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
    ],
    [
      'a length and chunks',
      `POST /stats HTTP/1.1\r\n${HOST}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['an invalid length', `POST /stats HTTP/1.1\r\n${HOST}Content-Length: -1\r\n\r\n`],
    ['a space before the colon', `GET /ready HTTP/1.1\r\n${HOST}X : 1\r\n\r\n`],
    ['a folded header', `GET /ready HTTP/1.1\r\n${HOST}X: 1\r\n 2\r\n\r\n`],
    ['a NUL in a header', `GET /ready HTTP/1.1\r\n${HOST}X: \0\r\n\r\n`],
    ['two spaces before the path', `GET  /ready HTTP/1.1\r\n${HOST}\r\n`],
    ['another protocol', `GET /ready RTSP/1.0\r\n${HOST}\r\n`],
    ['a space in the path', `GET /re ady HTTP/1.1\r\n${HOST}\r\n`],
    ['a NUL in the path', `GET /\0 HTTP/1.1\r\n${HOST}\r\n`],
    ['letters that are not encoded', Buffer.from(`GET /é HTTP/1.1\r\n${HOST}\r\n`)],
    ['a broken absolute form', `GET http:/ready HTTP/1.1\r\n${HOST}\r\n`],
    ['a method of its own without a path', `FROB HTTP/1.1\r\n${HOST}\r\n`],
  ])('answers 400 to %s, and closes', async (_, request) => {
    const answer = rawAnswer(await admin.exchange(request));

    expect(answer.status).toBe(400);
    expect(answer.headers['connection']).toBe('close');
    expect(admin.source.orders).toEqual([]);
  });

  it.each([
    ['FROB /nowhere?x=1', 404, /^Not Found: \/nowhere\nGET \/stats - /],
    ['FROB /stats', 405, /^Method Not Allowed: FROB \/stats\nGET \/stats - /],
    ['PRO-BE /stats/', 404, /^Not Found: \/stats\/\n/],
  ])('answers a method that is none of HTTP with the list of endpoints: %s', async (line, status, body) => {
    const answer = rawAnswer(await admin.exchange(`${line} HTTP/1.1\r\n${HOST}\r\n`));

    expect(answer.status).toBe(status);
    expect(answer.headers['connection']).toBe('close');
    expect(answer.body).toMatch(body);
  });

  it('answers 431 to headers over the limit, and closes', async () => {
    const answer = rawAnswer(
      await admin.exchange(`GET /ready HTTP/1.1\r\n${HOST}X: ${'x'.repeat(17_000)}\r\n\r\n`),
    );

    expect([answer.status, answer.headers['connection']]).toEqual([431, 'close']);
  });

  it('answers 431 to a path over the limit', async () => {
    const answer = rawAnswer(await admin.exchange(`GET /${'x'.repeat(17_000)} HTTP/1.1\r\n${HOST}\r\n`));

    expect(answer.status).toBe(431);
  });

  it('rejects CONNECT', async () => {
    const answer = await admin.exchange(`CONNECT a:443 HTTP/1.1\r\n${HOST}\r\n`);

    expect(answer).not.toMatch(/^HTTP\/1\.1 2/);
  });

  it('ignores an upgrade', async () => {
    const answer = await admin.ask('GET', '/ready', { Upgrade: 'websocket' });

    expect([answer.status, answer.body]).toEqual([200, 'LIVE']);
  });

  it('rejects bodies over the limit', async () => {
    const body = 'x'.repeat(5_000);
    const answer = rawAnswer(
      await admin.exchange(
        `POST /admin/v1/reload HTTP/1.1\r\n${HOST.replace('a', '127.0.0.1')}Content-Type: application/json\r\n` +
          `Connection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      ),
    );

    expect(answer.status).toBe(413);
    expect(admin.source.orders).toEqual([]);
  });

  it('survives clients that disconnect at any point', async () => {
    const request = `GET /clusters HTTP/1.1\r\n${HOST}\r\n`;
    for (let length = 0; length <= request.length; length++) {
      const socket = await admin.open();
      socket.on('error', () => undefined);
      socket.write(request.slice(0, length));
      if (length % 2 === 0) socket.resetAndDestroy();
      else socket.destroy();
    }

    const answer = await admin.ask('GET', '/ready');

    expect(answer.status).toBe(200);
  });
});

describe('time-outs of the admin server', () => {
  let admin: TestAdmin;

  afterEach(() => admin.stop());

  it.each([
    ['nothing', ''],
    ['half a head', `GET /ready HTTP/1.1\r\n${HOST}X: `],
  ])('close a connection that sends %s', async (_, beginning) => {
    admin = await TestAdmin.scripted({ limits: { headersTimeoutMs: 100, timeoutCheckMs: 20 } });
    const socket = await admin.open();
    socket.write(beginning);

    const answer = await everythingFrom(socket);

    expect(answer).toMatch(/^(HTTP\/1\.1 408 |$)/);
  });

  it('close a connection whose body stalls', async () => {
    const limits = { headersTimeoutMs: 100, requestTimeoutMs: 200, timeoutCheckMs: 20 };
    admin = await TestAdmin.scripted({ admin: { extensions: true }, limits });
    const socket = await admin.open();
    socket.write(
      `POST /admin/v1/reload HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
    );

    await everythingFrom(socket);

    expect(admin.source.orders).toEqual([]);
  });

  it('close the longest waiting connection above the limit', async () => {
    admin = await TestAdmin.scripted({ limits: { connectionsMax: 2 } });
    const [first, second] = [await admin.open(), await admin.open()];
    const third = await admin.open();

    const answer = await everythingFrom(first);
    const seen = await admin.ask('GET', '/ready');

    expect([answer, seen.status]).toEqual(['', 200]);
    for (const socket of [second, third]) socket.destroy();
  });
});
