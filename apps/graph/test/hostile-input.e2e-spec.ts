import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { bodyOf, TestService } from './support/test-service.ts';

const WRITE = '/v1/ingest/write';
const NDJSON = { 'Content-Type': 'application/x-ndjson' };

describe('hostile input', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start();
  });
  afterAll(() => service.stop());

  const write = async (body: unknown): Promise<[number, unknown]> => {
    const answer = await service.call('POST', WRITE, body);
    return [answer.status, bodyOf(answer)['error']];
  };

  it.each([
    ['lists', '['.repeat(1_000_000)],
    ['objects', '{"a":'.repeat(200_000)],
    ['closed lists', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ])('nested %s are refused before they are parsed', async (_what, text) => {
    const answer = await service.call('POST', WRITE, text);

    expect(answer.status).toBe(400);
    expect(bodyOf(answer)['message']).toBe('body: nested deeper than 128');
  });

  it('reports a query above 64 KiB, or nested too deep, as a syntax error', async () => {
    const long = await service.call('POST', '/v1/query', {
      pql: `FIND host WITH a = '${'x'.repeat(70_000)}'`,
    });
    const deep = await service.call('POST', '/v1/query', { pql: `FIND host WITH ${'('.repeat(20_000)}` });

    expect([long.status, bodyOf(long)['error']]).toEqual([400, 'PQL_SYNTAX']);
    expect([deep.status, bodyOf(deep)['error']]).toEqual([400, 'PQL_SYNTAX']);
  });

  it('matches regular expressions without catastrophic backtracking', async () => {
    await service.json(200, 'POST', WRITE, {
      entities: [{ type: 'regex', key: 'a', class: 'Host', properties: { text: `${'a'.repeat(5_000)}!` } }],
    });

    const reply = await service.query("FIND regex WITH text =~ '^(a+)+$'");

    expect(reply['count']).toBe(0);
  });

  it('treats names such as constructor as data, without prototype pollution', async () => {
    const properties = { constructor: 'x', toString: 'y', hasOwnProperty: true, polluted: 1 };
    await service.json(200, 'POST', WRITE, {
      entities: [{ type: 'odd', key: 'o', class: 'Host', properties }],
    });

    const reply = await service.query("FIND odd WITH constructor = 'x' AND toString = 'y'");

    expect(reply.entities).toMatchObject([{ properties }]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('rejects a property __proto__ by name, like every name that begins with _', async () => {
    const text = '{"entities":[{"type":"x","key":"p","properties":{"__proto__":"x"}}]}';

    const answer = await service.call('POST', WRITE, text);

    expect(answer.status).toBe(400);
    expect(bodyOf(answer)['message']).toMatch(/^entities\[0\]\.properties\.__proto__: /);
  });

  it.each(['{"__proto__":{"entities":[]}}', '{"constructor":{"prototype":{}}}', '{"toString":1}'])(
    'an envelope has no field of %s',
    async (text) => {
      const written = await service.call('POST', WRITE, text);
      const queried = await service.call('POST', '/v1/query', text);

      expect([written.status, queried.status]).toEqual([400, 400]);
      expect(bodyOf(written)['message']).toMatch(/unknown field/);
    },
  );

  it('rejects __proto__ in a query string', async () => {
    const answer = await service.call('POST', `${WRITE}?__proto__=x&constructor=y`, {});

    expect(answer.status).toBe(400);
  });

  it.each([
    ['a number beyond the finite', '{"entities":[{"type":"x","key":"k","properties":{"a":1e999}}]}'],
    ['a lone surrogate', '{"entities":[{"type":"x","key":"\\ud800"}]}'],
    ['NUL in a key', '{"entities":[{"type":"x","key":"a\\u0000b"}]}'],
    ['an empty key', '{"entities":[{"type":"x","key":""}]}'],
    ['a key of more than 1,024 bytes', `{"entities":[{"type":"x","key":"${'k'.repeat(1_025)}"}]}`],
    ['a mixed list', '{"entities":[{"type":"x","key":"k","properties":{"a":[1,"b"]}}]}'],
    ['a name that begins with _', '{"entities":[{"type":"x","key":"k","properties":{"_a":1}}]}'],
  ])('%s is refused', async (_what, text) => {
    expect(await write(text)).toEqual([400, 'INVALID_REQUEST']);
  });

  it('rejects invalid UTF-8 instead of replacing it', async () => {
    const body = Buffer.from('{"entities":[{"type":"x","key":"\xff\xfe"}]}', 'latin1');

    expect(await write(body)).toEqual([400, 'INVALID_REQUEST']);
  });

  it.each([
    '/v1/entities/%ff',
    '/v1/connectors/%c0%80/runs',
    '/v1/ingest/bulk?connector_id=a%ff',
    '/v1/ingest/bulk?connector_id=%ed%a0%80',
    '/v1/queries?tag=k%fe',
    '/v1/queries?tag=k%F',
  ])('rejects an address that is not UTF-8: %s', async (path) => {
    const method = path.includes('bulk') ? 'POST' : 'GET';
    const answer = await service.call(
      method,
      path,
      method === 'POST' ? '{"op":"entity","type":"x","key":"k"}\n' : undefined,
      NDJSON,
    );

    expect([answer.status, bodyOf(answer)['error']]).toEqual([400, 'INVALID_REQUEST']);
  });

  it('rejects a parameter that is not finite', async () => {
    const answer = await service.call(
      'POST',
      '/v1/query',
      '{"pql":"FIND x WITH a = $n","params":{"n":1e999}}',
    );

    expect([answer.status, bodyOf(answer)['error']]).toEqual([400, 'INVALID_REQUEST']);
  });

  it('validates a connector id in a URL like one in a body', async () => {
    const line = '{"op":"entity","type":"x","key":"k"}\n';

    const answer = await service.call('POST', '/v1/ingest/bulk?connector_id=a%00b', line, NDJSON);

    expect([answer.status, bodyOf(answer)['error']]).toEqual([400, 'INVALID_REQUEST']);
  });

  it('bounds the lines of a bulk stream: an oversized line is an error of that line', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20, 'x'));

    const reply = await service.json(200, 'POST', '/v1/ingest/bulk', bomb, {
      ...NDJSON,
      'Content-Encoding': 'gzip',
    });

    expect(reply).toMatchObject({ error_count: 1, errors: [{ line: 1, code: 'BODY_TOO_LARGE' }] });
  });

  it('survives a client that disconnects during a bulk stream', async () => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    const line = '{"op":"entity","type":"half","key":"k","class":"Host"}\n';
    socket.write(
      'POST /v1/ingest/bulk HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\n' +
        `Content-Length: 10000\r\n\r\n${line}{"op":"enti`,
    );
    await once(socket, 'connect');
    socket.destroy();
    await once(socket, 'close');

    const reply = await service.json(200, 'GET', '/v1/health');

    expect(reply['status']).toBe('healthy');
  });

  it.each([
    ['no HTTP at all', 'nonsense\r\n\r\n', 400],
    ['headers without end', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
    [
      'two lengths',
      'POST /v1/query HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
    ],
  ])('%s is answered in the envelope', async (_what, bytes, status) => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.write(bytes);
    await once(socket, 'close');

    const reply = Buffer.concat(chunks).toString('utf8');
    expect(reply.startsWith(`HTTP/1.1 ${status}`)).toBe(true);
    expect(JSON.parse(reply.slice(reply.indexOf('\r\n\r\n')))).toMatchObject({ error: 'INVALID_REQUEST' });
  });
});
