import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import { ESTATE } from './support/estate.ts';
import { type Json, TestService } from './support/test-service.ts';

const NDJSON = { 'Content-Type': 'application/x-ndjson' };
const lines = (...operations: object[]): string =>
  operations.map((line) => `${JSON.stringify(line)}\n`).join('');
const host = (key: string, properties: object = {}): object => ({ type: 'host', key, properties });

describe('ingest', () => {
  let service: TestService;

  beforeEach(async () => {
    service = await TestService.start();
  });
  afterEach(() => service.stop());

  const sync = (body: object, search = ''): Promise<Json> =>
    service.json(200, 'POST', `/v1/ingest/sync${search}`, body);
  const bulk = (
    body: string | Uint8Array,
    headers: Record<string, string> = {},
    search = '',
  ): Promise<Json> => service.json(200, 'POST', `/v1/ingest/bulk${search}`, body, { ...NDJSON, ...headers });

  it('applies a sync as a diff, and returns the stored reply for a repeated one', async () => {
    const first = await sync(ESTATE);
    const replayed = await sync({ ...ESTATE, entities: [], relationships: [] });
    const second = await sync({ ...ESTATE, sync_id: 'estate-2' });

    expect(first).toMatchObject({ sync_id: 'estate-1', entities_created: 16, relationships_created: 16 });
    expect(replayed).toEqual(first);
    expect(second).toMatchObject({
      entities_created: 0,
      entities_unchanged: 16,
      relationships_unchanged: 16,
    });
  });

  it('says of a stored reply that nothing was written', async () => {
    const write = { connector_id: 'c', write_id: 'w', entities: [host('a', { size: 1 })] };
    const session = { connector_id: 'c', sync_id: 's' };
    const { session_id: id } = await service.json(201, 'POST', '/v1/ingest/sessions', session);
    const isReplayed = async (path: string, body?: object): Promise<readonly [number, boolean]> => {
      const { status, headers } = await service.call('POST', `/v1/ingest/${path}`, body);
      return [status, headers.get('idempotent-replayed') === 'true'];
    };
    const commit = `sessions/${String(id)}/commit`;
    const replies: (readonly [number, boolean])[] = [];
    for (const [path, body] of [
      ['sync', ESTATE],
      ['sync', { ...ESTATE, entities: [host('other')], relationships: [] }],
      ['sync?dry_run=true', ESTATE],
      ['write', write],
      ['write', { ...write, entities: [host('a', { size: 2 })] }],
      ['write', { entities: [host('b')] }],
      [commit],
      [commit],
    ] as const)
      replies.push(await isReplayed(path, body));
    const stats = await service.call('GET', '/v1/stats');

    expect(replies).toEqual([false, true, false, false, true, false, false, true].map((is) => [200, is]));
    expect(stats.headers.has('idempotent-replayed')).toBe(false);
    expect((await service.query('FIND host WITH size = 2'))['count']).toBe(0);
  });

  it('counts the changes of a sync in a dry run', async () => {
    const dry = await sync(ESTATE, '?dry_run=true');
    const stats = await service.json(200, 'GET', '/v1/stats');

    expect(dry['entities_created']).toBe(16);
    expect(stats['total_entities']).toBe(0);
  });

  it('merges in patch mode, and null removes a property', async () => {
    const scope = { connector_id: 'c', mode: 'patch' };
    await sync({ ...scope, sync_id: '1', entities: [host('h', { a: 1, b: 2 }), host('i')] });
    const patched = await sync({ ...scope, sync_id: '2', entities: [host('h', { b: null, c: 3 })] });

    const reply = await service.query('FIND host');

    expect(patched).toMatchObject({ entities_updated: 1, entities_deleted: 0 });
    expect(reply['entities']).toMatchObject([{ properties: { a: 1, c: 3 }, version: 2 }, { key: 'i' }]);
  });

  it('writes upserts and deletes, with their relationships', async () => {
    await sync(ESTATE);
    const reply = await service.json(200, 'POST', '/v1/ingest/write', {
      write_id: 'w1',
      entities: [host('web-09')],
      relationships: [
        { from: { type: 'host', key: 'web-09' }, verb: 'runs', to: { type: 'service', key: 'nginx' } },
      ],
      delete: { entities: [{ type: 'host', key: 'web-01' }] },
    });

    expect(reply).toEqual({
      write_id: 'w1',
      entities_written: 1,
      relationships_written: 1,
      entities_deleted: 1,
      relationships_deleted: 2,
      warnings: [],
    });
  });

  it('flattens nested properties on request', async () => {
    const body = { entities: [host('h', { a: { b: 1 } })] };

    const refused = await service.json(400, 'POST', '/v1/ingest/write', body);
    await service.json(200, 'POST', '/v1/ingest/write?flatten=true', body);
    const found = await service.query('FIND host WITH [a.b] = 1');

    expect(refused['error']).toBe('NESTED_PROPERTY');
    expect(found['count']).toBe(1);
  });

  it.each([
    ['skip', 0, 1],
    ['stub', 1, 2],
  ])('treats a dangling relationship as %s says', async (choice, relationships, entities) => {
    const reply = await service.json(200, 'POST', `/v1/ingest/write?on_dangling=${choice}`, {
      entities: [host('a')],
      relationships: [{ from: { type: 'host', key: 'a' }, verb: 'USES', to: { type: 'secret', key: 's' } }],
    });
    const stats = await service.json(200, 'GET', '/v1/stats');

    expect(reply['relationships_written']).toBe(relationships);
    expect(stats['total_entities']).toBe(entities);
  });

  it('loads the valid bulk lines and reports the invalid ones', async () => {
    const body =
      lines({ op: 'entity', ...host('a') }) +
      '{"op":"entity","type":"host"}\n' +
      '\n' +
      'nonsense\r\n' +
      lines(
        { op: 'entity', ...host('b') },
        { op: 'relationship', from: host('a'), verb: 'USES', to: { type: 'host', key: 'missing' } },
        { op: 'delete_entity', type: 'host', key: 'a' },
      ).trimEnd();

    const reply = await bulk(body);

    expect(reply).toMatchObject({
      lines: 7,
      entities_written: 2,
      entities_deleted: 1,
      relationships_written: 0,
      error_count: 3,
    });
    expect(reply.errors.map((error) => error['line'])).toEqual([2, 4, 6]);
  });

  it('loads many batches of gzipped lines for the given connector', async () => {
    const body = lines(
      ...Array.from({ length: 3_500 }, (_, i) => ({ op: 'entity', ...host(`h${i}`, { i }) })),
    );

    const reply = await bulk(gzipSync(body), { 'Content-Encoding': 'gzip' }, '?connector_id=scan');
    const found = await service.query("FIND host WITH _source = 'scan' RETURN COUNT");

    expect(reply).toMatchObject({ lines: 3_500, entities_written: 3_500, error_count: 0, errors: [] });
    expect(found['count']).toBe(3_500);
  });

  it('reports a stream truncated within a line as an error of that line', async () => {
    const whole = lines({ op: 'entity', ...host('a') }, { op: 'entity', ...host('b') });

    const cut = await bulk(whole.slice(0, -10));
    const damaged = await bulk(gzipSync(whole).subarray(0, -12), { 'Content-Encoding': 'gzip' });

    expect(cut).toMatchObject({
      lines: 2,
      entities_written: 1,
      errors: [{ line: 2, code: 'INVALID_REQUEST' }],
    });
    expect(damaged).toMatchObject({ error_count: 1, errors: [{ code: 'INVALID_REQUEST' }] });
  });

  it('shows the first 100 errors of many', async () => {
    const reply = await bulk('x\n'.repeat(250));

    expect(reply['error_count']).toBe(250);
    expect(reply['errors']).toHaveLength(100);
  });

  it('accepts a sync in parts', async () => {
    const opened = await service.json(201, 'POST', '/v1/ingest/sessions', {
      connector_id: 'c',
      sync_id: 's',
    });
    const path = `/v1/ingest/sessions/${String(opened['session_id'])}`;
    await service.json(200, 'PUT', `${path}/batches/1`, { entities: [host('a')] });
    await service.json(200, 'PUT', `${path}/batches/2`, { entities: [host('b')] });
    const again = await service.json(200, 'PUT', `${path}/batches/2`, { entities: [host('b')] });
    const other = await service.json(409, 'PUT', `${path}/batches/2`, { entities: [host('c')] });
    const committed = await service.json(200, 'POST', `${path}/commit`);
    const repeated = await service.json(200, 'POST', `${path}/commit`, '');
    const state = await service.json(200, 'GET', path);

    expect(again).toMatchObject({ state: 'open', batches: [1, 2], entities: 2 });
    expect(other['error']).toBe('CONFLICT');
    expect(committed).toMatchObject({ sync_id: 's', entities_created: 2 });
    expect(repeated).toEqual(committed);
    expect(state['state']).toBe('committed');
  });

  it('drops the parts of an aborted session', async () => {
    const opened = await service.json(201, 'POST', '/v1/ingest/sessions', {
      connector_id: 'c',
      sync_id: 's',
    });
    const path = `/v1/ingest/sessions/${String(opened['session_id'])}`;
    await service.json(200, 'PUT', `${path}/batches/1`, { entities: [host('a')] });

    const aborted = await service.json(200, 'POST', `${path}/abort`);
    const late = await service.json(409, 'PUT', `${path}/batches/2`, { entities: [host('b')] });

    expect(aborted['state']).toBe('aborted');
    expect(late['error']).toBe('CONFLICT');
  });
});
