import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import { ESTATE } from './support/estate.ts';
import { bodyOf, TestService } from './support/test-service.ts';

const UNKNOWN_ID = '0'.repeat(32);
const WRITE = '/v1/ingest/write';
const dangling = {
  relationships: [{ from: { type: 'host', key: 'web-01' }, verb: 'USES', to: { type: 'x', key: 'y' } }],
};
const twice = {
  entities: [
    { type: 'x', key: 'k', properties: { a: 1 } },
    { type: 'x', key: 'k', properties: { a: 2 } },
  ],
};

/** Status, code, method, path and body of a failing request. */
const FAILURES: readonly (readonly [number, string, string, string, unknown?])[] = [
  [400, 'INVALID_REQUEST', 'POST', '/v1/query', {}],
  [400, 'INVALID_REQUEST', 'POST', '/v1/query', []],
  [400, 'INVALID_REQUEST', 'POST', '/v1/query', { pql: 7 }],
  [400, 'INVALID_REQUEST', 'POST', '/v1/query', { pql: 'FIND host', limit: 0 }],
  [400, 'INVALID_REQUEST', 'POST', '/v1/query', { pql: 'FIND host', limit: 10_001 }],
  [400, 'INVALID_REQUEST', 'POST', '/v1/query', { pql: 'FIND host', limit: 1.5 }],
  [400, 'INVALID_REQUEST', 'POST', '/v1/query', { pql: 'FIND host', params: 'x' }],
  [400, 'INVALID_REQUEST', 'POST', '/v1/query', { pql: 'FIND host', include_deleted: 'yes' }],
  [400, 'INVALID_REQUEST', 'POST', '/v1/query', { pql: 'FIND host', timeout: 5 }],
  [400, 'INVALID_REQUEST', 'POST', '/v1/query', { cursor: 'nonsense' }],
  [400, 'INVALID_REQUEST', 'POST', '/v1/query', { pql: 'FIND host WITH a = $x', params: { x: {} } }],
  [400, 'INVALID_REQUEST', 'POST', '/v1/query', '{"pql"'],
  [400, 'INVALID_REQUEST', 'POST', '/v1/query', ''],
  [400, 'PQL_SYNTAX', 'POST', '/v1/query', { pql: 'FIND host WHERE state' }],
  [400, 'MISSING_PARAMETER', 'POST', '/v1/query', { pql: 'FIND host WITH a = $x' }],
  [410, 'CURSOR_EXPIRED', 'POST', '/v1/query', { cursor: 'AAAAAAAAAAAAAAAAAAAAAA.1' }],
  [400, 'INVALID_REQUEST', 'POST', WRITE, { entitys: [] }],
  [400, 'INVALID_REQUEST', 'POST', WRITE, { entities: [{ type: 'x' }] }],
  [400, 'INVALID_REQUEST', 'POST', `${WRITE}?on_dangling=maybe`, {}],
  [400, 'INVALID_REQUEST', 'POST', `${WRITE}?dangling=skip`, {}],
  [400, 'INVALID_REQUEST', 'POST', `${WRITE}?flatten=true&flatten=true`, {}],
  [400, 'NESTED_PROPERTY', 'POST', WRITE, { entities: [{ type: 'x', key: 'k', properties: { a: {} } }] }],
  [422, 'DANGLING_RELATIONSHIP', 'POST', WRITE, dangling],
  [422, 'DUPLICATE_KEY', 'POST', WRITE, twice],
  [409, 'SYNC_WOULD_DELETE_TOO_MUCH', 'POST', '/v1/ingest/sync', { connector_id: 'big', sync_id: '2' }],
  [400, 'INVALID_REQUEST', 'POST', '/v1/ingest/sessions', { connector_id: 'c' }],
  [404, 'NOT_FOUND', 'GET', '/v1/ingest/sessions/unknown'],
  [400, 'INVALID_REQUEST', 'PUT', '/v1/ingest/sessions/unknown/batches/0', {}],
  [404, 'NOT_FOUND', 'POST', '/v1/ingest/sessions/unknown/commit', {}],
  [400, 'INVALID_REQUEST', 'GET', '/v1/entities/short'],
  [400, 'INVALID_REQUEST', 'GET', '/v1/relationships/short'],
  [404, 'NOT_FOUND', 'GET', `/v1/entities/${UNKNOWN_ID}`],
  [404, 'NOT_FOUND', 'GET', `/v1/relationships/${UNKNOWN_ID}`],
  [404, 'NOT_FOUND', 'DELETE', `/v1/entities/${UNKNOWN_ID}`],
  [404, 'NOT_FOUND', 'DELETE', `/v1/relationships/${UNKNOWN_ID}`],
  [404, 'NOT_FOUND', 'GET', `/v1/entities/${UNKNOWN_ID}/neighbors`],
  [400, 'INVALID_REQUEST', 'GET', `/v1/entities/${UNKNOWN_ID}/neighbors?direction=up`],
  [400, 'INVALID_REQUEST', 'GET', `/v1/entities/${UNKNOWN_ID}/neighbors?limit=10001`],
  [404, 'NOT_FOUND', 'GET', '/v1/nowhere'],
  [404, 'NOT_FOUND', 'GET', '/v1/nonsense/nobody'],
  [404, 'NOT_FOUND', 'GET', '/query'],
  [404, 'NOT_FOUND', 'GET', '/index.html'],
  [404, 'NOT_FOUND', 'GET', '/assets/nothing.js'],
  [404, 'NOT_FOUND', 'GET', '/assets/..%2Findex.html'],
  [405, 'METHOD_NOT_ALLOWED', 'PUT', '/v1/query', {}],
  [405, 'METHOD_NOT_ALLOWED', 'POST', '/v1/health', {}],
  [405, 'METHOD_NOT_ALLOWED', 'OPTIONS', '/v1/query'],
];

describe('errors', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start();
    await service.json(200, 'POST', '/v1/ingest/sync', ESTATE);
    const entities = Array.from({ length: 30 }, (_, i) => ({ type: 'bulk', key: `k${i}` }));
    await service.json(200, 'POST', '/v1/ingest/sync', { connector_id: 'big', sync_id: '1', entities });
  });
  afterAll(() => service.stop());

  it.each(FAILURES)('%i %s for %s %s %j', async (...failure) => {
    const [status, code, method, path, body] = failure;
    const before = service.graph.durableVersion;

    const answer = await service.call(method, path, body);

    expect(answer.status).toBe(status);
    expect(bodyOf(answer)).toMatchObject({
      error: code,
      message: expect.stringMatching(/\S/),
      request_id: answer.headers.get('x-request-id'),
    });
    expect(service.graph.durableVersion).toBe(before);
  });

  it('lists the methods of a path', async () => {
    const answer = await service.call('PUT', `/v1/entities/${UNKNOWN_ID}`, {});

    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'DELETE, GET, HEAD']);
  });

  it('gives the position of an error in a query', async () => {
    const body = await service.json(400, 'POST', '/v1/query', { pql: "FIND host WHERE state = 'running'" });

    expect(body['details']).toMatchObject({ position: 10, line: 1, column: 11, length: 5 });
  });

  it('names both ends of a dangling relationship', async () => {
    const body = await service.json(422, 'POST', WRITE, dangling);

    expect(JSON.stringify(body)).toContain('web-01');
    expect(JSON.stringify(body)).toContain('"y"');
  });

  it('413 BODY_TOO_LARGE for a body above 16 MiB, plain or decompressed', async () => {
    const large = JSON.stringify({ pql: 'x'.repeat(17 * 2 ** 20) });

    const plain = await service.call('POST', '/v1/query', large);
    const bomb = await service.call('POST', '/v1/query', gzipSync(large), { 'Content-Encoding': 'gzip' });

    expect([plain.status, bodyOf(plain)['error']]).toEqual([413, 'BODY_TOO_LARGE']);
    expect([bomb.status, bodyOf(bomb)['error']]).toEqual([413, 'BODY_TOO_LARGE']);
  });

  it.each([
    ['text/plain', '/v1/query'],
    ['application/x-www-form-urlencoded', '/v1/query'],
    ['application/json', '/v1/ingest/bulk'],
    ['application/x-ndjson', '/v1/ingest/write'],
    ['multipart/form-data; boundary=x', '/v1/ingest/write'],
    ['nonsense', '/v1/query'],
  ])('415 UNSUPPORTED_MEDIA_TYPE for %s at %s', async (type, path) => {
    const answer = await service.call('POST', path, '{}', { 'Content-Type': type });

    expect([answer.status, bodyOf(answer)['error']]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  it('415 for an unsupported content encoding', async () => {
    const answer = await service.call('POST', '/v1/query', '{}', { 'Content-Encoding': 'br' });

    expect([answer.status, bodyOf(answer)['error']]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });
});
