/**
 * Upstreams and clients that send anything. The process survives, every client receives a response or a
 * close, and no resource leaks.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Socket } from 'node:net';
import { isAtRest, ProxyBed } from './proxy-bed.ts';
import { RawClient } from './raw-client.ts';
import { answering, ScriptedUpstream } from './upstreams.ts';

const RUNS = 25;
const AT_ONCE = 12;
const TIMEOUT_MS = 120_000;
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const SOUND = 'GET /sound HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
const LAST = 'GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

/** Any byte, as a string of Latin-1. */
const bytes = (maxLength: number): fc.Arbitrary<string> =>
  fc.uint8Array({ maxLength }).map((some) => Buffer.from(some).toString('latin1'));
const line = bytes(40).map((text) => text.replaceAll(/[\r\n]/g, ''));
const utf8 = fc.string({ unit: 'binary', maxLength: 20 }).map((text) => Buffer.from(text).toString('latin1'));

const reason = fc.oneof(
  fc.constantFrom('OK', '', 'N\xe3o encontrado', 'a\x7fb', 'a\x01b', 'a\tb', 'a\0b', 'a\rb'),
  line,
  utf8.map((text) => text.replaceAll(/[\r\n]/g, '')),
);
const status = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom('200', '204', '304', '404', '426', '500', '503', '101', '100', '103'),
  },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 1_200 }).map(String) },
);
const version = fc.oneof(
  { weight: 9, arbitrary: fc.constant('HTTP/1.1') },
  { weight: 1, arbitrary: fc.constantFrom('HTTP/1.0', 'HTTP/2.0', 'RTSP/1.0', 'ICY', 'HTTP/1.10', '') },
);
const header = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('Content-Length: 2', 'Transfer-Encoding: chunked', 'Content-Length: 5'),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      'Transfer-Encoding: gzip, chunked',
      'Content-Length: -1',
      'Content-Length: 99999999999999999999',
      'Connection: close',
      'Connection: upgrade, content-length, x',
      'Upgrade: foo',
      'Keep-Alive: timeout=0',
      'Keep-Alive: timeout=99999999999',
      'Trailer: X-T',
      'Set-Cookie: \xe9',
      'Location: /\xff',
      'X: a\x7f',
      ' folded',
    ),
  },
  { weight: 1, arbitrary: fc.tuple(line, line).map(([name, value]) => `${name}: ${value}`) },
);
const head = fc
  .tuple(version, status, reason, fc.array(header, { maxLength: 4 }))
  .map(
    ([http, code, phrase, headers]) => `${[`${http} ${code} ${phrase}`, ...headers].join('\r\n')}\r\n\r\n`,
  );
const body = fc.oneof(
  fc.constantFrom(
    '',
    'ok',
    '2\r\nok\r\n0\r\n\r\n',
    '2\r\nok\r\n0\r\nX-T: \xe9\r\nContent-Length: 1\r\n\r\n',
    '-1\r\n',
    OK,
  ),
  bytes(200),
);
const hints = fc
  .tuple(fc.constantFrom(0, 0, 0, 1, 3, 2_000), fc.constantFrom('100', '102', '103', '199'))
  .map(([count, code]) => `HTTP/1.1 ${code} Hint\r\nX: y\r\n\r\n`.repeat(count));
const ending = fc.constantFrom('end', 'reset', 'wait');
const reply = fc.record({
  parts: fc.tuple(hints, head, body).chain(([before, first, rest]) => {
    const text = before + first + rest;
    return fc.array(fc.nat({ max: text.length }), { maxLength: 3 }).map((cuts) => pieces(text, cuts));
  }),
  ending,
});

const method = fc.constantFrom(
  'GET',
  'POST',
  'PUT',
  'HEAD',
  'DELETE',
  'OPTIONS',
  'BREW',
  'get',
  'CONNECT',
  'SOURCE',
  'PRI',
);
const target = fc.oneof(
  fc.constantFrom(
    '/',
    '/a?b',
    '*',
    'http://a/x',
    'http://b/',
    '//',
    '/a b',
    '/\xe9',
    '',
    `/${'a'.repeat(40_000)}`,
  ),
  line.map((text) => `/${text}`),
);
const field = fc.oneof(
  fc.constantFrom(
    'Host: a',
    'Host: b, c',
    'Content-Length: 5',
    'Content-Length: 70000',
    'Content-Length: 5, 5',
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: gzip',
    'Expect: 100-continue',
    'Expect: a-pony',
    'Connection: upgrade',
    'Connection: close, host',
    'Upgrade: websocket',
    'X-Forwarded-For: 1.2.3.4, \xff, ::1',
    `X: ${'a'.repeat(40_000)}`,
  ),
  fc.tuple(line, line).map(([name, value]) => `${name}: ${value}`),
);
const request = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello',
    ),
  },
  {
    weight: 6,
    arbitrary: fc
      .tuple(method, target, version, fc.array(field, { maxLength: 5 }), bytes(100))
      .map(
        ([verb, path, http, fields, rest]) =>
          `${[`${verb} ${path} ${http}`, 'Host: a', ...fields].join('\r\n')}\r\n\r\n${rest}`,
      ),
  },
  { weight: 1, arbitrary: bytes(300) },
);
const input = fc.record({
  parts: fc.array(request, { minLength: 1, maxLength: 20 }).chain((requests) => {
    const text = requests.join('');
    return fc.array(fc.nat({ max: text.length }), { maxLength: 4 }).map((cuts) => pieces(text, cuts));
  }),
  ending: fc.constantFrom('last', 'end', 'reset'),
});

function pieces(text: string, cuts: readonly number[]): readonly string[] {
  const at = [0, ...cuts.toSorted((a, b) => a - b), text.length];
  return at.slice(1).map((end, index) => text.slice(at[index], end));
}

async function send(socket: Socket, parts: readonly string[]): Promise<void> {
  for (const part of parts) {
    if (!socket.writable) return;
    socket.write(part, 'latin1');
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('the proxy, with arbitrary input,', () => {
  const faults: unknown[] = [];
  const note = (fault: unknown): void => void faults.push(fault);
  let upstream: ScriptedUpstream;
  let sound: ScriptedUpstream;
  let bed: ProxyBed;
  let script: (socket: Socket) => void;
  let port: number;

  beforeEach(async () => {
    process.on('uncaughtExceptionMonitor', note);
    upstream = await ScriptedUpstream.start((socket) => {
      socket.once('end', () => socket.end());
      script(socket);
    });
    sound = await ScriptedUpstream.start(answering(OK));
    bed = await ProxyBed.start({
      listeners: [
        {
          name: 'web',
          address: '127.0.0.1:0',
          trusted_proxies: ['127.0.0.1'],
          header_timeout: '1s',
          idle_timeout: '1s',
        },
      ],
      clusters: [
        {
          name: 'api',
          endpoints: [{ address: upstream.address }],
          circuit_breaker: { max_requests_per_client: 'off' },
        },
        { name: 'sound', endpoints: [{ address: sound.address }] },
      ],
      routes: [
        { prefix: '/sound', cluster: 'sound' },
        { prefix: '/', cluster: 'api', timeout: '500ms', stream_timeout: '500ms', websocket: true },
      ],
      drain: { grace: '0s', timeout: '0s' },
    });
    port = await bed.port('web');
  });

  afterEach(async () => {
    process.off('uncaughtExceptionMonitor', note);
    await bed.stop();
    await upstream.stop();
    await sound.stop();
  });

  /** Checks that a normal client is still served. */
  async function expectSound(): Promise<void> {
    expect(isAtRest(await bed.atRest())).toBe(true);
    expect(faults).toEqual([]);
    expect(await RawClient.exchange(port, SOUND)).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*ok$/);
    await bed.atRest();
  }

  it(
    'survives any reply, and every client receives a response or a close',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(reply, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (replies) => {
          let next = 0;
          script = (socket) => {
            socket.on('data', () => {
              const { parts, ending: end } = replies[next++ % replies.length]!;
              void send(socket, parts).then(() => {
                if (end === 'end') socket.end();
                else if (end === 'reset') socket.resetAndDestroy();
              });
            });
          };
          const upgrade = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

          const answers = await Promise.all(
            replies.map((_, index) => RawClient.exchange(port, index % 4 === 0 ? upgrade : LAST)),
          );

          for (const answer of answers)
            expect(answer).toMatch(/^$|^HTTP\/1\.1 [1-5]\d\d [\t\x20-\x7e\x80-\xff]*\r\n/);
          await expectSound();
        }),
        { numRuns: RUNS, endOnFailure: true },
      );
    },
    TIMEOUT_MS,
  );

  it(
    'survives any client',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(input, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (inputs) => {
          script = answering(OK);

          await Promise.all(
            inputs.map(async ({ parts, ending: end }) => {
              const client = await RawClient.to(port);
              await send(client.socket, end === 'last' ? [...parts, LAST] : parts);
              if (end === 'reset') client.socket.resetAndDestroy();
              else if (end === 'end') client.socket.end();
              await client.ended();
              client.socket.destroy();
            }),
          );

          await expectSound();
        }),
        { numRuns: RUNS, endOnFailure: true },
      );
    },
    TIMEOUT_MS,
  );
});
