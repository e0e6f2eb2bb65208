import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SharedStore } from '#graph/cluster';
import { CuttingRelay, PostgresServer } from '#graph/testing';
import { pause } from '#platform/foundation';
import { asking, hostsOf, tokenOf } from './support/seq-token.ts';
import { type Answer, bodyOf, TestService } from './support/test-service.ts';

const RULE = {
  id: 'hosts-are-owned',
  name: 'Hosts are owned',
  query: 'FIND host WITH owner = null',
};

const CSV = 'id,name\n1,web\n';

type Body = Readonly<Record<string, unknown>>;

const CLIENTS = 6;
const STEPS = 12;
const LONG_MS = 30_000;

/** Two services over one database, like two machines. */
describe('services over one shared store', () => {
  let server: PostgresServer;
  let relay: CuttingRelay;
  let directory: string;
  let schemas = 0;
  let a: TestService;
  let b: TestService;

  const start = (
    name: string,
    {
      port = relay.port,
      schema = `s${String(schemas)}`,
      folder = join(directory, `${String(schemas)}-${name}`),
    } = {},
  ): Promise<TestService> =>
    TestService.start({
      environment: {
        PLEXUS_STORE_URL: `postgres://postgres@127.0.0.1:${String(port)}/postgres`,
        PLEXUS_STORE_PASSWORD: server.password,
        PLEXUS_STORE_SCHEMA: schema,
        PLEXUS_CACHE_DIR: folder,
      },
    });
  const write = (service: TestService, key: string): Promise<Body> =>
    service.json(200, 'POST', '/v1/ingest/write', {
      entities: [{ type: 'host', key, class: 'Host', display_name: key, properties: {} }],
      relationships: [],
    });
  /** Polls until the answer matches: the write of one service reaches the other. */
  const comes = async (
    service: TestService,
    path: string,
    isThere: (body: Body) => boolean,
  ): Promise<Body> => {
    for (;;) {
      const body = (await service.json(200, 'GET', path)) as Body;
      if (isThere(body)) return body;
      await pause(20);
    }
  };
  /** Polls until one of them leads: the first lease may be acquired after the first write. */
  const leaderOf = async (...services: readonly TestService[]): Promise<TestService> => {
    for (;;) {
      for (const one of services) {
        const { role } = (await one.json(200, 'GET', '/v1/health')) as Body;
        if (role === 'leader') return one;
      }
      await pause(20);
    }
  };
  beforeAll(async () => {
    server = await PostgresServer.start();
    relay = await CuttingRelay.start(server.port);
    directory = await mkdtemp(join(tmpdir(), 'plexus-cluster-'));
  });
  afterAll(async () => {
    await relay.stop();
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });
  beforeEach(async () => {
    schemas++;
    a = await start('a');
    b = await start('b');
  });
  afterEach(async () => {
    await a.stop();
    await b.stop();
  });

  it('report their node and position in the health, and one of them leads', async () => {
    await write(a, 'web');
    const leader = await leaderOf(a, b);
    const first = await comes(a, '/v1/health', ({ seq, published }) => seq === 1 && published === 1);
    const second = await comes(b, '/v1/health', ({ seq }) => seq === 1);

    expect(first).toMatchObject({ status: 'healthy', seq: 1, published: 1, lag_ms: 0 });
    expect(first['role']).toBe(leader === a ? 'leader' : 'follower');
    expect(second['role']).toBe(leader === b ? 'leader' : 'follower');
    expect(first['node']).not.toBe(second['node']);
  });

  it('show rules, saved queries and findings written through the other', async () => {
    await write(a, 'web');
    await a.json(200, 'PUT', '/v1/queries/hosts', { text: 'FIND host' });
    await a.json(200, 'POST', '/v1/policies', { rules: [RULE] });
    await comes(b, '/v1/policies', ({ count }) => count === 1);
    const evaluated = await b.json(200, 'POST', '/v1/policies/evaluate', {});
    const history = await comes(a, '/v1/policies/evaluations', ({ count }) => count === 1);

    expect(evaluated).toMatchObject({ results: [{ rule_id: RULE.id, status: 'Fail' }] });
    expect(history).toMatchObject({ evaluations: [{ total: 1 }] });
    expect(await b.json(200, 'GET', '/v1/queries/hosts')).toMatchObject({ text: 'FIND host' });
  });

  it('find what another has acknowledged, before they answer that there is no such thing', async () => {
    await b.stop();
    // It hears of nothing: what it knows, it has looked for.
    const follow = Reflect.get(SharedStore.prototype, 'follow');
    jest.spyOn(SharedStore.prototype, 'follow').mockImplementation(function (this: SharedStore, follower) {
      Reflect.apply(follow, this, [{ ...follower, news: () => undefined }]);
    });
    b = await start('b');
    jest.restoreAllMocks();
    const statusAtB = async (method: string, path: string, body?: object): Promise<number> =>
      (await b.call(method, path, body)).status;

    await a.json(200, 'PUT', '/v1/queries/hosts', { text: 'FIND host' });
    const query = await statusAtB('GET', '/v1/queries/hosts');
    await a.json(200, 'PUT', '/v1/views/map', { text: 'FIND host', view: 'table' });
    const view = await statusAtB('GET', '/v1/views/map');
    await a.json(200, 'POST', '/v1/policies', { rules: [RULE] });
    const rule = await statusAtB('GET', `/v1/policies/${RULE.id}`);
    const { seq } = tokenOf(await a.call('POST', '/v1/ingest/write', hostsOf('web')));
    const moment = await statusAtB('POST', '/v1/query', { pql: 'FIND host', as_of: seq });
    const later = tokenOf(await a.call('POST', '/v1/ingest/write', hostsOf('db'))).seq;
    const diff = await statusAtB('GET', `/v1/diff?from=${String(seq)}&to=${String(later)}`);
    const evaluation = await a.json(200, 'POST', '/v1/policies/evaluate', {});
    const { findings } = await a.json(200, 'GET', '/v1/findings');
    const [{ finding_id: findingId } = {}] = findings as readonly Readonly<Record<string, string>>[];
    const finding = await statusAtB('PUT', `/v1/findings/${String(findingId)}/assignment`, {
      assignee: 'carol',
    });
    const again = await a.json(200, 'POST', '/v1/policies/evaluate', {});
    const ids = [evaluation, again].map((each) => String(each['evaluation_id']));
    const evaluations = await Promise.all(
      ids.map((id) => statusAtB('GET', `/v1/policies/evaluations/${id}`)),
    );
    await a.json(200, 'POST', '/v1/imports', { source: 'inventory', file_name: 'i.csv', content: CSV });
    const kind = await statusAtB('POST', '/v1/imports', {
      source: 'inventory',
      file_name: 'i.json',
      content: '[{"id": "2"}]',
    });
    await a.json(200, 'POST', '/v1/imports', { source: 'other', file_name: 'i.csv', content: CSV });
    const source = await statusAtB('DELETE', '/v1/imports/other');
    const missing = await statusAtB('GET', '/v1/queries/none');

    expect({ query, view, rule, moment, diff, finding, evaluations, kind, source, missing }).toEqual({
      query: 200,
      view: 200,
      rule: 200,
      moment: 200,
      diff: 200,
      finding: 200,
      evaluations: [200, 200],
      kind: 409,
      source: 204,
      missing: 404,
    });
  });

  it('decide findings together: a waiver of one holds in the evaluations of the other', async () => {
    await write(a, 'web');
    await a.json(200, 'POST', '/v1/policies', { rules: [RULE] });
    await a.json(200, 'POST', '/v1/policies/evaluate', {});
    const { findings } = await comes(b, '/v1/findings', ({ count }) => count === 1);
    const [{ finding_id: id } = {}] = findings as readonly Readonly<Record<string, string>>[];
    const path = `/v1/findings/${encodeURIComponent(String(id))}`;
    const until = new Date(Date.now() + 3_600_000).toISOString();

    await Promise.all([
      a.json(200, 'PUT', `${path}/decision`, { state: 'waived', reason: 'a test', until }),
      b.json(200, 'PUT', `${path}/assignment`, { assignee: 'carol' }),
    ]);
    for (const service of [a, b]) {
      await comes(service, path, ({ state, assignment }) => state === 'waived' && assignment !== undefined);
    }

    expect(await b.json(200, 'POST', '/v1/policies/evaluate', {})).toMatchObject({ fail: 0, waived: 1 });
    expect(await a.json(200, 'GET', '/v1/policies/posture')).toMatchObject({ rules_waived: 1 });
  });

  it('keep all other files of the folder of their copy when the copy is dropped', async () => {
    const folder = join(directory, `${String(schemas)}-a`);
    await write(a, 'web');
    await a.stop();
    await writeFile(join(folder, 'MANIFEST'), 'of another store');
    await writeFile(join(folder, 'notes.txt'), 'of somebody');

    a = await start('a', { folder, schema: 'another' });

    expect(await a.json(200, 'GET', '/v1/stats')).toMatchObject({ total_entities: 0 });
    expect((await readdir(folder)).sort()).toEqual(['MANIFEST', 'notes.txt', 'plexus-copy']);
    expect(await readFile(join(folder, 'MANIFEST'), 'utf8')).toBe('of another store');
  });

  it('change each other’s rules without losing one', async () => {
    const rules = Array.from({ length: 12 }, (_, at) => ({ ...RULE, id: `rule-${String(at)}` }));
    await Promise.all(
      rules.map((rule, at) =>
        (at % 2 === 0 ? a : b).json(200, 'POST', '/v1/policies?mode=merge', { rules: [rule] }),
      ),
    );

    for (const service of [a, b]) await comes(service, '/v1/policies', ({ count }) => count === rules.length);
  });

  it('serve reads and reject writes with the reason while the database is down, and recover', async () => {
    await write(a, 'web');
    await comes(b, '/v1/health', ({ seq }) => seq === 1);
    relay.down();
    await comes(b, '/v1/health', ({ status }) => status === 'degraded');
    const found = await b.query('FIND host');
    const refused = await b.call('POST', '/v1/ingest/write', { entities: [], relationships: [] });
    relay.up();
    await comes(b, '/v1/health', ({ status }) => status === 'healthy');
    await write(b, 'db');
    await comes(a, '/v1/health', ({ seq }) => seq === 2);

    expect(found).toMatchObject({ snapshot_version: 1, entities: [{ key: 'web' }] });
    expect([refused.status, bodyOf(refused)['error']]).toMatchObject([503, 'STORE_UNAVAILABLE']);
  });

  it('are alive but not ready while they read another history, and ready without the database', async () => {
    const statuses = async (): Promise<readonly unknown[]> => {
      const [live, ready] = [await a.call('GET', '/v1/health'), await a.call('GET', '/v1/health?ready')];
      return [live.status, ready.status, bodyOf(ready)['reason']];
    };
    const schema = `s${String(schemas)}`;
    await write(a, 'web');
    const before = await statuses();
    const reading = await server.session('postgres', async (query) => {
      await query(`BEGIN; LOCK TABLE ${schema}.frame`);
      await server.run('postgres', `UPDATE ${schema}.head SET epoch = 'another'`);
      while (a.graph.unready === undefined) await pause(5);
      return statuses();
    });
    while (a.graph.unready !== undefined) await pause(5);
    const after = await statuses();
    relay.down();
    await comes(a, '/v1/health', ({ status }) => status === 'degraded');
    const without = await statuses();
    const invalid = await a.call('GET', '/v1/health?ready=yes');
    relay.up();

    expect(before).toEqual([200, 200, undefined]);
    expect(reading).toEqual([200, 503, 'another history of the store is being read']);
    expect(after).toMatchObject([200, 200]);
    expect(without).toEqual([200, 200, expect.stringContaining('the database cannot be reached')]);
    expect([invalid.status, bodyOf(invalid)['error']]).toEqual([400, 'INVALID_REQUEST']);
  });

  const send = (service: TestService, keys: readonly string[], headers = {}): Promise<Answer> =>
    service.call('POST', '/v1/ingest/write', hostsOf(...keys), headers);
  /** Has the database forget all batches after the first; resolves when the service has read it again. */
  const forget = async (service: TestService): Promise<void> => {
    const schema = `s${String(schemas)}`;
    const { epoch } = service.graph;
    await server.run(
      'postgres',
      `BEGIN;
       DELETE FROM ${schema}.batch WHERE seq > 1; DELETE FROM ${schema}.frame WHERE seq > 1;
       UPDATE ${schema}.head SET seq = 1; UPDATE ${schema}.published SET seq = 1;
       COMMIT`,
    );
    await server.run(
      'postgres',
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE '%watch'`,
    );
    while (service.graph.durableVersion !== 1 || service.graph.epoch === epoch) await pause(5);
  };

  it('give a page of a result from before a reload the number and the epoch of its snapshot', async () => {
    await send(a, ['a']);
    const written = tokenOf(await send(a, ['b']));
    const { cursor } = bodyOf(await a.call('POST', '/v1/query', { pql: 'FIND host', limit: 1 }));
    await forget(a);

    const page = await a.call('POST', '/v1/query', { cursor });

    expect(bodyOf(page)).toMatchObject({ entities: [{ key: 'b' }] });
    expect(tokenOf(page)).toEqual(written);
  });

  it('reject a request whose number is reached only by another history', async () => {
    await send(a, ['a']);
    await send(a, ['b']);
    const token = `${a.graph.epoch}.3`;
    const waiting = a.call('POST', '/v1/query', { pql: 'FIND host', timeout_ms: LONG_MS }, asking(token));
    await forget(a);
    for (const key of ['c', 'd']) await send(a, [key]);

    const answer = await waiting;

    expect([answer.status, bodyOf(answer)]).toMatchObject([409, { error: 'CONFLICT' }]);
    expect(a.graph.durableVersion).toBe(3);
  });
  const find = (service: TestService, token: string, more: object = {}): Promise<Answer> =>
    service.call('POST', '/v1/query', { pql: 'FIND host', ...more }, token === '' ? {} : asking(token));

  it('wait for the position in Plexus-Seq of the other, then show it', async () => {
    const own = await CuttingRelay.start(server.port);
    const late = await start('late', { port: own.port });
    own.down();
    const { text } = tokenOf(await send(a, ['web']));
    const before = await find(late, '');
    const waits = Promise.withResolvers<undefined>();
    const reached = late.graph.reached.bind(late.graph);
    jest.spyOn(late.graph, 'reached').mockImplementation((...parts) => {
      waits.resolve(undefined);
      return reached(...parts);
    });
    const after = find(late, text, { timeout_ms: LONG_MS });
    await waits.promise;
    own.up();
    const shown = await after;
    await late.stop();
    await own.stop();

    expect(bodyOf(before)).toMatchObject({ snapshot_version: 0, count: 0 });
    expect(bodyOf(shown)).toMatchObject({ snapshot_version: 1, entities: [{ key: 'web' }] });
    expect(tokenOf(shown).text).toBe(text);
  });

  it('never go backwards for a client that passes Plexus-Seq on, whichever node serves it', async () => {
    const both = [a, b];
    const client = async (name: string): Promise<readonly unknown[]> => {
      const seen: unknown[] = [];
      let last = { text: '', seq: 0 };
      for (let at = 0; at < STEPS; at++) {
        const headers = last.text === '' ? {} : asking(last.text);
        const written = tokenOf(await send(both[at % 2] ?? a, [`${name}-${String(at)}`], headers));
        const query = { pql: `FIND host WITH _key ^= '${name}-'`, timeout_ms: LONG_MS };
        const found = await find(both[(at + 1) % 2] ?? b, written.text, query);
        seen.push([bodyOf(found)['count'], written.seq > last.seq, tokenOf(found).seq >= written.seq]);
        last = tokenOf(found);
      }
      return seen;
    };
    const runs = await Promise.all(Array.from({ length: CLIENTS }, (_, at) => client(`c${String(at)}`)));

    const expected = Array.from({ length: STEPS }, (_, at) => [at + 1, true, true]);
    for (const run of runs) expect(run).toEqual(expected);
  });

  it('reject a token ahead of the log, and one of another history', async () => {
    const { epoch } = tokenOf(await send(a, ['web']));
    const ahead = await find(b, `${epoch}.99`, { timeout_ms: 1 });
    const other = await find(b, 'another.1');

    expect([ahead.status, bodyOf(ahead)]).toMatchObject([
      503,
      { error: 'NOT_CAUGHT_UP', details: { asked: 99, at: expect.any(Number) } },
    ]);
    expect([other.status, bodyOf(other)]).toMatchObject([409, { error: 'CONFLICT', details: { epoch } }]);
  });

  it('answer a cursor of the other with 410 and the name of its node', async () => {
    const { text } = tokenOf(await send(a, ['web', 'db']));
    const { cursor } = await a.query('FIND host', { limit: 1 });
    const answer = await find(b, text, { pql: undefined, cursor, timeout_ms: LONG_MS });

    expect([answer.status, bodyOf(answer)]).toMatchObject([
      410,
      { error: 'CURSOR_EXPIRED', details: { node: String(cursor).split('.')[0] } },
    ]);
  });
});
