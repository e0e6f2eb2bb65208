/** Responses of a faulty upstream, and their effect on the client; the process survives in any case. */
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Socket } from 'node:net';
import { isAtRest, ProxyBed } from './proxy-bed.ts';
import { RawClient } from './raw-client.ts';
import { answering, ScriptedUpstream } from './upstreams.ts';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const LAST = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

async function writeInParts(socket: Socket, parts: Iterable<string>): Promise<void> {
  for (const part of parts) {
    if (!socket.writable) return;
    socket.write(part, 'latin1');
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('an upstream', () => {
  let upstream: ScriptedUpstream;
  let bed: ProxyBed;

  afterEach(async () => {
    expect(isAtRest(await bed.atRest())).toBe(true);
    await bed.stop();
    await upstream.stop();
  });

  async function start(
    script: (socket: Socket) => void,
    changes: { listener?: object; cluster?: object; route?: object } = {},
  ): Promise<number> {
    upstream = await ScriptedUpstream.start(script);
    bed = await ProxyBed.start({
      listeners: [{ name: 'web', address: '127.0.0.1:0', ...changes.listener }],
      clusters: [{ name: 'api', endpoints: [{ address: upstream.address }], ...changes.cluster }],
      routes: [{ prefix: '/', cluster: 'api', ...changes.route }],
      drain: { grace: '0s', timeout: '0s' },
    });
    return bed.port('web');
  }

  async function answerTo(port: number, request = GET): Promise<string> {
    const client = await RawClient.to(port);
    client.send(request);
    await client.until((received) =>
      /\r\n\r\n/.test(received.replace(/^(?:HTTP\/1\.1 1\d\d [^]*?\r\n\r\n)+/, '')),
    );
    client.socket.destroy();
    return client.received;
  }

  it.each([
    ['Latin-1', 'N\xe3o encontrado', 'N?o encontrado'],
    ['UTF-8', Buffer.from('Не найдено').toString('latin1'), Buffer.from('Не найдено').toString('latin1')],
    ['Chinese', Buffer.from('未找到').toString('latin1'), Buffer.from('未找到').toString('latin1')],
    ['DEL', 'Not\x7fFound', 'Not?Found'],
    ['a control character', 'Not\x01Found', 'Not?Found'],
    ['nothing at all', '', 'Not Found'],
  ])('may send a reason phrase in %s', async (_, reason, cleaned) => {
    const port = await start(answering(`HTTP/1.1 404 ${reason}\r\nContent-Length: 2\r\n\r\nno`));

    const answers = [await answerTo(port), await answerTo(port)];

    for (const answer of answers) expect(answer.split('\r\n', 1)[0]).toBe(`HTTP/1.1 404 ${cleaned}`);
    expect(upstream.sockets).toHaveLength(1);
  });

  it.each([600, 777, 999])(
    'that answers with status %d: 502, counted as a protocol failure',
    async (status) => {
      const port = await start(answering(`HTTP/1.1 ${status} Odd\r\nContent-Length: 2\r\n\r\nok`));

      expect(await answerTo(port)).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/);

      const { clusters, listeners } = await bed.atRest();
      expect(clusters[0]?.upstreamFailures).toMatchObject({ protocol: 1, reset: 0 });
      expect(clusters[0]?.endpoints[0]?.resets).toBe(1);
      expect(listeners[0]?.requestsByClass['5xx']).toBe(1);
    },
  );

  it.each(['gzip, chunked', 'gzip', 'chunked, chunked', 'chunked\r\nTransfer-Encoding: chunked'])(
    'that uses the transfer coding %j: 502, and nothing of it is forwarded',
    async (coding) => {
      const answer = `HTTP/1.1 200 OK\r\nTransfer-Encoding: ${coding}\r\n\r\n2\r\nok\r\n0\r\n\r\n`;
      const port = await start(answering(answer, (socket) => socket.end()));

      expect(await answerTo(port)).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/);
    },
  );

  it('that sends 204 with a length: the length is removed, and the connection is kept', async () => {
    const port = await start(answering('HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n'));
    const client = await RawClient.to(port);

    client.send(GET + GET);
    await client.until((received) => received.split('HTTP/1.1 204').length === 3);
    client.socket.destroy();

    expect(client.received).not.toMatch(/content-length/i);
  });

  it.each([
    ['a word', 'hello\r\n\r\n'],
    ['a page', '<html>hello, there</html>'],
    ['a control character in a header', 'HTTP/1.1 200 OK\r\nX: a\x01b\r\nContent-Length: 2\r\n\r\nok'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok'],
    ['RTSP', 'RTSP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok'],
    ['RTSP behind an empty line', '\r\nRTSP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok'],
    ['ICE', 'ICE/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok'],
    ['HTTP/2.0', 'HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\nok'],
    ['HTTP/0.9', 'HTTP/0.9 200 OK\r\nContent-Length: 2\r\n\r\nok'],
    ['101 unasked', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
  ])(
    'that answers with %s: 502 as a protocol failure, complete or in parts, without a retry',
    async (_, answer) => {
      let isWhole = true;
      const port = await start((socket) => {
        socket.once(
          'data',
          () => void (isWhole ? socket.write(answer, 'latin1') : writeInParts(socket, answer)),
        );
      });

      const answers = [await answerTo(port)];
      isWhole = false;
      answers.push(await answerTo(port));

      for (const each of answers) expect(each).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/);
      const { clusters } = await bed.atRest();
      expect(clusters[0]?.upstreamFailures).toMatchObject({ protocol: 2, reset: 0 });
      expect(upstream.sockets).toHaveLength(2);
    },
  );

  it.each([
    ['an equal length twice', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: 1\r\ncontent-length: 2\r\n\r\nok'],
    [
      'an equal length in two spellings',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nCONTENT-LENGTH: 2\r\n\r\nok',
    ],
    ['a later minor version', 'HTTP/1.7 200 OK\r\nContent-Length: 2\r\n\r\nok'],
    [
      '103 that closes the connection',
      'HTTP/1.1 103 Early Hints\r\nConnection: close\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
    ],
    [
      'interim answers with lengths, codings and other versions',
      'HTTP/1.1 102 Processing\r\nContent-Length: 9\r\n\r\nHTTP/1.2 103 Hints\r\nTransfer-Encoding: chunked\r\nKeep-Alive: timeout=0\r\nLink: </a>\r\n\r\n' +
        'HTTP/1.1 100 Continue\r\nConnection: close\r\n\r\nHTTP/1.1 199 Odd\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
    ],
  ])('that answers with %s: 200 on a kept connection, complete or in parts', async (_, answer) => {
    let isWhole = true;
    const port = await start((socket) => {
      socket.on('data', () => void (isWhole ? socket.write(answer, 'latin1') : writeInParts(socket, answer)));
    });

    for (const next of [false, true]) {
      const client = await RawClient.to(port);
      client.send(GET);
      await client.until((received) => /HTTP\/1\.1 200 [^]*ok$/.test(received));
      client.socket.destroy();
      expect(client.received.replace(/HTTP\/1\.1 1[^]*?\r\n\r\n/g, '')).toMatch(
        /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nok$/,
      );
      expect(client.received.match(/content-length/gi)).toHaveLength(1);
      isWhole = next;
    }
    await bed.atRest();
    expect(upstream.sockets).toHaveLength(1);
  });

  it('that has a length among its trailers: the response is complete, without it', async () => {
    const port = await start(
      answering(
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-T: 1\r\nContent-Length: 2\r\n\r\n',
      ),
    );

    const answer = await RawClient.exchange(port, LAST);

    expect(answer).toMatch(/\r\n\r\n2\r\nok\r\n0\r\n\r\n$/);
    const { clusters } = await bed.atRest();
    expect(clusters[0]?.endpoints[0]).toMatchObject({ resets: 0, requestsByClass: { '2xx': 1 } });
  });

  it('that has an alias of a header of this hop, or of this proxy: it is not forwarded', async () => {
    const aliases = 'X_Plexus_Overloaded: evil\r\nKeep.Alive: evil\r\nX.Hop: evil\r\n';
    const port = await start(
      answering(
        `HTTP/1.1 200 OK\r\n${aliases}Connection: X-Hop\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX.Plexus.Overloaded: evil\r\nX-T: 1\r\n\r\n`,
      ),
    );

    const answer = await RawClient.exchange(port, LAST);

    expect(answer).toContain('\r\n0\r\nX-T: 1\r\n');
    expect(answer).not.toContain('evil');
  });

  it('that sends an invalid response on a reused connection gets no second request', async () => {
    const port = await start((socket) => {
      socket.once('data', () => {
        socket.write(OK);
        socket.once('data', () => socket.write('hello, this is no answer\r\n'));
      });
    });
    await answerTo(port);

    expect(await answerTo(port)).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/);

    expect(upstream.seen.match(/GET/g)).toHaveLength(2);
    expect((await bed.atRest()).clusters[0]?.upstreamFailures).toMatchObject({ protocol: 1, reset: 0 });
  });

  it('that requires several protocols with 426, in separate lines, has all forwarded', async () => {
    const port = await start(
      answering('HTTP/1.1 426 No\r\nUpgrade: TLS/1.0\r\nUpgrade: HTTP/2.0\r\nContent-Length: 0\r\n\r\n'),
    );

    expect(await answerTo(port)).toContain('\r\nUpgrade: TLS/1.0, HTTP/2.0\r\n');
  });

  it('that requires another protocol with 426 may name it', async () => {
    const port = await start(
      answering(
        'HTTP/1.1 426 Upgrade Required\r\nUpgrade: h2c\r\nConnection: Upgrade\r\nContent-Length: 0\r\n\r\n',
      ),
    );
    const client = await RawClient.to(port);

    client.send(GET + GET);
    await client.until((received) => received.split('HTTP/1.1 426').length === 3);
    client.socket.destroy();

    expect(client.received).toMatch(/\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n/);
  });

  it.each([
    ['another protocol than the requested one', 'Connection: Upgrade\r\nUpgrade: foo\r\n'],
    ['no protocol', ''],
    ['an Upgrade header without Connection', 'Upgrade: websocket\r\n'],
  ])('that answers 101 to %s: 502', async (_, headers) => {
    const switching = `HTTP/1.1 101 Go\r\n${headers}\r\n`;
    const port = await start(answering(switching), { route: { websocket: true } });

    const answer = await answerTo(
      port,
      'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    );

    expect(answer).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/);
    expect((await bed.atRest()).clusters[0]?.upstreamFailures).toMatchObject({ protocol: 1, reset: 0 });
  });

  it.each([
    ['alone', ['HTTP/1.1 100 Continue\r\n\r\n', OK]],
    ['with the answer behind it', [`HTTP/1.1 100 Continue\r\n\r\n${OK}`]],
    ['in parts', ['HTT', 'P/1.1 10', '0 Continue\r\nX: a\r\n', '\r', `\n${OK}`]],
    ['several times', [`${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(3)}${OK}`]],
  ])('that sends an unrequested 100 Continue, %s: the response is forwarded', async (_, parts) => {
    const port = await start((socket) => {
      socket.once('data', () => {
        void writeInParts(socket, parts);
      });
    });

    const answer = await answerTo(port);

    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).not.toContain('100 Continue');
  });

  it('that sends 100 Continue around a hint: the hint and the response are forwarded', async () => {
    const more = 'HTTP/1.1 100 Continue\r\n\r\n';
    const port = await start(answering(`${more}HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${more}${OK}`));

    const answer = await answerTo(port);

    expect(answer).toMatch(/^HTTP\/1\.1 103 Early Hints\r\nLink: <\/a>\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
  });

  it('that floods a stalled client with hints: 502, in little memory', async () => {
    const hint = `HTTP/1.1 103 Early Hints\r\nLink: <${'a'.repeat(60_000)}>\r\n\r\n`;
    let isOpen = true;
    const port = await start((socket) => {
      const flood = (): void => {
        while (isOpen && socket.writable && socket.write(hint));
      };
      socket.once('data', flood);
      socket.on('drain', flood);
      socket.once('close', () => (isOpen = false));
    });
    const client = await RawClient.to(port);
    client.socket.pause();

    client.send(GET);
    const { listeners, clusters } = await bed.until(
      (snapshot) => snapshot.listeners[0]?.requestsByClass['5xx'] === 1,
    );

    expect(clusters[0]?.upstreamFailures).toMatchObject({ protocol: 1 });
    // The socket's buffers, not all of the 60 MB.
    expect(listeners[0]?.bytesSent).toBeLessThan(8_000_000);
    client.socket.destroy();
  });

  it.each([
    ['100 Continue', 'HTTP/1.1 100 Continue\r\nX: ', 'a'.repeat(65_536)],
    ['empty lines', '', '\r\n'.repeat(32_768)],
  ])('that never ends its %s: 502', async (_, beginning, part) => {
    const port = await start(
      (socket) => {
        const flood = (): void => {
          while (socket.writable && socket.write(part));
        };
        socket.once('data', () => {
          socket.write(beginning);
          flood();
        });
        socket.on('drain', flood);
      },
      { route: { timeout: '0s' } },
    );

    expect(await answerTo(port)).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/);

    expect((await bed.atRest()).clusters[0]?.upstreamFailures).toMatchObject({ protocol: 1 });
  });

  it('that closes an idle connection during a request: the request is sent on a new one', async () => {
    let count = 0;
    const port = await start((socket) => {
      count += 1;
      const isFirst = count === 1;
      let requests = 0;
      socket.on('data', () => {
        requests += 1;
        if (isFirst && requests === 2) socket.resetAndDestroy();
        else socket.write(OK);
      });
    });
    await answerTo(port);

    const answer = await answerTo(port, 'PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello');

    expect(answer).toMatch(/ok$/);
    expect(upstream.sockets).toHaveLength(2);
    expect(upstream.seen.match(/hello/g)).toHaveLength(2);
    const { clusters } = await bed.atRest();
    expect(clusters[0]?.retries.made).toBe(0);
    expect(clusters[0]?.endpoints[0]).toMatchObject({ requestsTotal: 2, resets: 0 });
  });

  it.each<[string, string, number]>([
    ['a POST', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n', 1],
    ['a request that also fails on a new connection', GET, 2],
  ])('that closes its connections does not get the request again: %s', async (_, request, connections) => {
    let requests = 0;
    const port = await start((socket) => {
      socket.on('data', () => {
        requests += 1;
        if (requests === 1) socket.write(OK);
        else socket.resetAndDestroy();
      });
    });
    await answerTo(port);

    expect(await answerTo(port, request)).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/);

    expect(upstream.sockets).toHaveLength(connections);
    expect((await bed.atRest()).clusters[0]?.upstreamFailures).toMatchObject({ reset: 1 });
  });

  it('receives the head of a request before its body, and its early response reaches the client', async () => {
    const port = await start((socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno'));
    });
    const client = await RawClient.to(port);

    client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n');
    await client.until((received) => received.endsWith('no'));

    expect(client.statusCode).toBe(401);
    expect(upstream.seen).toMatch(/\r\n\r\n$/);
    client.socket.destroy();
  });

  it('and a client may alternate within one request', async () => {
    const port = await start((socket) => {
      socket.on('data', (chunk: Buffer) => {
        const text = chunk.toString('latin1');
        if (text.includes('HTTP/1.1')) socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
        const [word] = /ping\d/.exec(text) ?? [];
        if (word !== undefined) socket.write(`5\r\n${word}\r\n`);
        if (text.endsWith('0\r\n\r\n')) socket.write('0\r\n\r\n');
      });
    });
    const client = await RawClient.to(port);

    client.send('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    await client.until((received) => received.includes('\r\n\r\n'));
    for (const word of ['ping1', 'ping2', 'ping3']) {
      client.send(`5\r\n${word}\r\n`);
      await client.until((received) => received.includes(word));
    }
    client.send('0\r\n\r\n');
    await client.until((received) => received.endsWith('0\r\n\r\n'));
    client.send(GET);
    await client.until((received) => received.split('HTTP/1.1 200').length === 3);

    expect(upstream.sockets).toHaveLength(1);
    client.socket.destroy();
  });
});
