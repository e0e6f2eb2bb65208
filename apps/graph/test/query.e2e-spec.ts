import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { QUERY_EXAMPLES } from '#graph/api/http';
import { clique, ESTATE, SLOW_QUERY } from './support/estate.ts';
import { type Json, TestService } from './support/test-service.ts';
import { TurnedClock } from './support/turned-clock.ts';

const keysOf = (reply: Json): unknown[] => reply.entities.map((entity) => entity['key']);
const linesOf = (text: string): Json[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);

describe('POST /v1/query', () => {
  let service: TestService;
  const clock = new TurnedClock();

  beforeAll(async () => {
    service = await TestService.start({ clock });
    await service.json(200, 'POST', '/v1/ingest/sync', ESTATE);
  });
  afterAll(() => service.stop());

  it('returns full entities in (type, key) order', async () => {
    const reply = await service.query("FIND Host WITH (os = 'windows' OR os = 'linux') AND env = 'dev'");

    expect(keysOf(reply)).toEqual(['i-9', 'win-01']);
    expect(reply).toMatchObject({ count: 2, warnings: [], snapshot_version: service.graph.durableVersion });
    expect(reply.entities[1]).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      type: 'host',
      class: 'Host',
      key: 'win-01',
      display_name: 'win-01',
      properties: { os: 'windows', owner: null, cpu: 2.5 },
      source: { connector_id: 'test', sync_id: 'estate-1' },
      deleted_at: null,
      version: 1,
    });
  });

  it('returns rows for RETURN, and leaves entities complete', async () => {
    const reply = await service.query('FIND host RETURN display_name, state');

    expect(reply['columns']).toEqual(['display_name', 'state']);
    expect(reply['rows']).toEqual([
      ['db-01', 'running'],
      ['web-01', 'running'],
      ['web-02', 'stopped'],
      ['win-01', 'running'],
    ]);
    expect(keysOf(reply)).toEqual(['db-01', 'web-01', 'web-02', 'win-01']);
  });

  it('groups', async () => {
    const reply = await service.query('FIND host GROUP BY owner');

    expect(reply).toMatchObject({ count: 3, entities: [] });
    expect(reply['groups']).toMatchObject([
      { key: 'alice', count: 1 },
      { key: 'bob', count: 1 },
      { key: null, count: 2 },
    ]);
  });

  it('counts, finds paths and blast radii, and explains', async () => {
    const count = await service.query('FIND host RETURN COUNT');
    const path = await service.query(QUERY_EXAMPLES.path.value.pql);
    const blast = await service.query(QUERY_EXAMPLES.blast.value.pql);
    const plan = await service.query('EXPLAIN FIND host');

    expect(count).toMatchObject({ count: 4, entities: [] });
    expect(path.paths[0]).toMatchObject({ hops: 4 });
    expect(keysOf(path)).toHaveLength(5);
    expect(blast['impacted']).toMatchObject([
      { depth: 1, entity: { key: 'nginx' } },
      { depth: 2, entity: { key: 'postgres' } },
    ]);
    expect(blast['impacted_by_class']).toEqual({ Service: 2 });
    expect(plan).toMatchObject({ entities: [], plan: { operator: expect.any(String) } });
  });

  it('accepts named and positional parameters', async () => {
    const named = await service.query('FIND host WITH state = $1 AND os = $os', {
      params: { 1: 'running', os: 'linux' },
    });
    const placed = await service.query('FIND host WITH state = $1 AND os = $2', {
      params: ['running', 'linux'],
    });

    expect([keysOf(named), keysOf(placed)]).toEqual([
      ['db-01', 'web-01'],
      ['db-01', 'web-01'],
    ]);
  });

  it('warns about a class in neither the vocabulary nor the data', async () => {
    const reply = await service.query('FIND spaceship');

    expect(reply).toMatchObject({ count: 0, entities: [], warnings: [{ code: 'UNKNOWN_CLASS' }] });
  });

  it('pages through one snapshot during concurrent writes', async () => {
    const first = await service.query('FIND (service|Host|user)', { limit: 4 });
    const written = await service.json(200, 'POST', '/v1/ingest/write', {
      entities: [{ type: 'host', key: 'aaa-new' }],
    });
    const second = await service.json(200, 'POST', '/v1/query', { cursor: first['cursor'], limit: 4 });
    const again = await service.json(200, 'POST', '/v1/query', { cursor: first['cursor'], limit: 4 });
    const third = await service.json(200, 'POST', '/v1/query', { cursor: second['cursor'], limit: 4 });
    await service.json(200, 'POST', '/v1/ingest/write', {
      delete: { entities: [{ type: 'host', key: 'aaa-new' }] },
    });

    expect(written['entities_written']).toBe(1);
    expect(keysOf(first)).toEqual(['i-9', 'db-01', 'web-01', 'web-02']);
    expect(keysOf(second)).toEqual(['win-01', 'nginx', 'postgres', 'alice']);
    expect(keysOf(again)).toEqual(keysOf(second));
    expect(keysOf(third)).toEqual(['bob', 'carol']);
    expect([first['count'], second['count'], third['count']]).toEqual([10, 10, 10]);
    expect(third['cursor']).toBeUndefined();
    expect(second['snapshot_version']).toBe(first['snapshot_version']);
  });

  it('drops a cursor idle for 60 seconds, and keeps one in use', async () => {
    const idle = await service.query('FIND host', { limit: 1 });
    const used = await service.query('FIND host', { limit: 1 });

    clock.turn(40_000);
    await service.json(200, 'POST', '/v1/query', { cursor: used['cursor'], limit: 1 });
    clock.turn(30_000);
    const gone = await service.json(410, 'POST', '/v1/query', { cursor: idle['cursor'] });
    const kept = await service.json(200, 'POST', '/v1/query', { cursor: used['cursor'], limit: 1 });

    expect(gone).toMatchObject({ error: 'CURSOR_EXPIRED' });
    expect(keysOf(kept)).toEqual(['web-01']);
  });

  it('rejects a cursor with another query', async () => {
    const first = await service.query('FIND host', { limit: 1 });
    const cursor = first['cursor'];

    const other = await service.json(400, 'POST', '/v1/query', { pql: 'FIND user', cursor });

    expect(other).toMatchObject({ error: 'INVALID_REQUEST', details: { field: 'pql' } });
  });

  it('streams all records as lines with a closing line', async () => {
    const answer = await service.call(
      'POST',
      '/v1/query',
      { pql: 'FIND Host' },
      { Accept: 'application/x-ndjson' },
    );
    const lines = linesOf(answer.text);

    expect(answer.headers.get('content-type')).toMatch(/^application\/x-ndjson/);
    expect(lines.map((line) => line['key'])).toEqual([
      'i-9',
      'db-01',
      'web-01',
      'web-02',
      'win-01',
      undefined,
    ]);
    expect(lines.at(-1)).toEqual({ end: true, count: 5 });
  });

  it('streams rows as objects', async () => {
    const body = { pql: 'FIND host RETURN _key, state' };
    const answer = await service.call('POST', '/v1/query', body, { Accept: 'application/x-ndjson' });

    expect(linesOf(answer.text)[0]).toEqual({ _key: 'db-01', state: 'running' });
  });

  it('finds deleted records on request', async () => {
    await service.json(200, 'POST', '/v1/ingest/write', {
      entities: [{ type: 'thing', key: 'gone', class: 'Host' }],
    });
    await service.json(200, 'POST', '/v1/ingest/write', {
      delete: { entities: [{ type: 'thing', key: 'gone' }] },
    });

    const live = await service.query('FIND thing');
    const all = await service.query('FIND thing', { include_deleted: true });

    expect(live['count']).toBe(0);
    expect(all['entities']).toMatchObject([{ key: 'gone', deleted_at: expect.any(String) }]);
    const withDeleted = { include_deleted: true };
    const gone = await service.query('FIND thing WITH _deleted_at EXISTS RETURN _deleted_at', withDeleted);
    const lately = await service.query('FIND thing WITH _deleted_at > NOW - 1h', withDeleted);
    const kept = await service.query('FIND host WITH _deleted_at = null RETURN COUNT', withDeleted);
    const hosts = await service.query('FIND host RETURN COUNT');
    expect([gone['rows'], gone['warnings']]).toEqual([[[all.entities[0]?.['deleted_at']]], []]);
    expect([lately['count'], kept['count']]).toEqual([1, hosts['count']]);
  });
});

describe('a long query', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start({ environment: { PLEXUS_QUERIES_MAX: '1', PLEXUS_QUERY_QUEUE: '1' } });
    await service.json(200, 'POST', '/v1/ingest/write', clique(60));
  });
  afterAll(() => service.stop());

  it('is cancelled at its time limit, while other queries are answered', async () => {
    const order: string[] = [];
    const slow = service.call('POST', '/v1/query', { pql: SLOW_QUERY, timeout_ms: 1_000 });
    const done = slow.then(() => order.push('slow'));

    await service.json(200, 'GET', '/v1/health').then(() => order.push('health'));
    await done;

    expect(order).toEqual(['health', 'slow']);
    expect(await slow.then(({ text }) => JSON.parse(text) as Json)).toMatchObject({
      error: 'QUERY_TIMEOUT',
    });
    expect((await slow).status).toBe(504);
  });

  it('fills the queue: one more query is rejected with a retry hint', async () => {
    const body = { pql: SLOW_QUERY, timeout_ms: 1_000 };

    const answers = await Promise.all([1, 2, 3].map(() => service.call('POST', '/v1/query', body)));

    expect(answers.map(({ status }) => status).sort()).toEqual([429, 504, 504]);
    expect(answers.find(({ status }) => status === 429)?.headers.get('retry-after')).toBe('1');
  });

  it('ends when its client disconnects', async () => {
    const hangUp = new AbortController();
    const slow = fetch(`${service.url}/v1/query`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ pql: SLOW_QUERY, timeout_ms: 600_000 }),
      signal: hangUp.signal,
    });
    await service.json(200, 'GET', '/v1/health');

    hangUp.abort();
    await expect(slow).rejects.toThrow();
    const next = await service.query('FIND node RETURN COUNT');

    expect(next['count']).toBe(60);
  });

  it('does not prevent 1,000 small queries from being answered or rejected', async () => {
    const body = { pql: 'FIND node WITH _key = "n001"' };

    const answers = await Promise.all(
      Array.from({ length: 1_000 }, () => service.call('POST', '/v1/query', body)),
    );

    const statuses = new Set(answers.map(({ status }) => status));
    expect([...statuses].every((status) => status === 200 || status === 429)).toBe(true);
    expect(statuses.has(200)).toBe(true);
  });
});
