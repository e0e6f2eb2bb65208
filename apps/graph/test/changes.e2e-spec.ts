import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GRAPH_ACCESS } from '#platform/auth';
import { keysOfRoles, secretOf } from '#testing';
import { runProgram } from './support/built-program.ts';
import { tokenOf } from './support/seq-token.ts';
import { serverEvents } from './support/server-events.ts';
import { bodyOf, TestService } from './support/test-service.ts';

let directory: string;
let service: TestService;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plexus-changes-'));
  service = await TestService.start({ directory });
});

afterEach(async () => {
  await service.stop();
  await rm(directory, { recursive: true, force: true });
});

interface Line {
  readonly id?: string;
  readonly seq?: number;
  readonly change?: string;
  readonly who?: string;
  readonly fields?: readonly unknown[];
  readonly entity?: { readonly key: string };
  readonly position?: { readonly next: string };
  readonly end?: { readonly next: string };
}

async function write(key: string, properties: object, of = service): Promise<number> {
  const entities = [{ type: 'host', key, class: 'Host', properties }];
  return tokenOf(await of.call('POST', '/v1/ingest/write', { entities, relationships: [] })).seq;
}

async function lines(query: string): Promise<readonly Line[]> {
  const answer = await service.call('GET', `/v1/changes?${query}`);
  expect(answer.status).toBe(200);
  return answer.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

/** What happened to which entity. */
function shown(all: readonly Line[]): readonly unknown[] {
  return all.flatMap(({ change, entity }) =>
    change === undefined ? [] : [`${change} ${entity?.key ?? ''}`],
  );
}

const events = (path: string, headers: Record<string, string> = {}): ReturnType<typeof serverEvents> =>
  serverEvents(service.url + path, headers);

describe('GET /v1/changes', () => {
  it('has each change with what it was before and is after, and says where to go on', async () => {
    const first = await write('web', { state: 'up', cpu: 4 });
    const second = await write('web', { state: 'down', cpu: 4 });
    await service.call('POST', '/v1/ingest/write', {
      entities: [],
      relationships: [],
      delete: { entities: [{ type: 'host', key: 'web' }], relationships: [] },
    });

    const all = await lines('from=0');
    const later = await lines(`from=${String(first)}`);
    const end = all.at(-1)?.end?.next ?? '';

    expect(shown(all)).toEqual(['created web', 'changed web', 'deleted web']);
    expect(all[2]).toMatchObject({
      seq: second,
      fields: [{ name: 'state', old: 'up', new: 'down' }],
      source: { connector_id: 'api' },
      entity: { properties: { state: 'down', cpu: 4 } },
    });
    expect(later.slice(1)).toEqual(all.slice(2));
    expect(await lines(`from=${all[2]?.id ?? ''}`)).toEqual([
      { position: { next: all[2]?.id } },
      ...all.slice(3),
    ]);
    expect(await lines(`from=${end}`)).toEqual([{ position: { next: end } }, { end: { next: end } }]);
  });

  it('names the key that wrote, as the difference of two moments does, also after a restart', async () => {
    await write('web', { state: 'up' });
    await service.stop();
    const keys = join(directory, 'keys.yaml');
    await writeFile(keys, keysOfRoles(GRAPH_ACCESS));
    service = await TestService.start({ directory, environment: { PLEXUS_KEYS: keys } });
    const as = { Authorization: `Bearer ${secretOf('admin')}` };
    const entities = [{ type: 'host', key: 'web', class: 'Host', properties: { state: 'down' } }];
    await service.json(200, 'POST', '/v1/ingest/write', { entities, relationships: [] }, as);
    await service.stop();
    service = await TestService.start({ directory });

    const { changes } = await service.json(200, 'GET', '/v1/diff?from=0');

    expect((await lines('from=0')).flatMap(({ change, who }) => (change === undefined ? [] : [who]))).toEqual(
      [undefined, 'admin'],
    );
    expect(changes).toMatchObject([{ change: 'created', who: 'admin' }]);
  });

  it('selects by class and by query, as an entity was or as it is', async () => {
    await write('web', { env: 'prod' });
    await write('web', { env: 'dev' });
    await write('web', { env: 'test' });
    await service.call('POST', '/v1/ingest/write', {
      entities: [{ type: 'user', key: 'ann', class: 'User' }],
      relationships: [{ from: { type: 'user', key: 'ann' }, verb: 'OWNS', to: { type: 'host', key: 'web' } }],
    });
    const ofQuery = async (pql: string): Promise<readonly unknown[]> =>
      shown(await lines(`from=0&query=${encodeURIComponent(pql)}`));

    expect(shown(await lines('from=0&class=User'))).toEqual(['created ann']);
    expect(await ofQuery("FIND Host WITH env = 'prod'")).toEqual(['created web', 'changed web']);
    expect(await ofQuery("FIND Host WITH env = 'dev'")).toEqual(['changed web', 'changed web']);
    expect(await ofQuery("FIND * WITH _key LIKE 'a%'")).toEqual(['created ann']);
    expect(shown(await lines('from=0'))).toHaveLength(5);
  });

  it('sends a following reader what comes, and goes on behind its last event', async () => {
    const stream = events('/v1/changes');
    const start = [await stream.next(), await stream.next()].map(({ value }) =>
      Object.keys(value as Record<string, string>),
    );
    await write('web', { state: 'up' });
    const seen = (await stream.next()).value as Record<string, string>;
    await stream.return(undefined);
    await write('web', { state: 'down' });
    const again = events('/v1/changes?from=0', { 'Last-Event-ID': seen['id'] ?? '' });
    await again.next();
    const position = (await again.next()).value as Record<string, string>;
    const next = (await again.next()).value as Record<string, string>;
    await again.return(undefined);

    expect(start).toEqual([['retry'], ['id', 'event', 'data']]);
    expect(seen).toMatchObject({ event: 'change' });
    expect(JSON.parse(seen['data'] ?? '')).toMatchObject({ change: 'created', id: seen['id'] });
    expect(position).toMatchObject({ event: 'position', id: seen['id'] });
    expect(JSON.parse(next['data'] ?? '')).toMatchObject({
      fields: [{ name: 'state', old: 'up', new: 'down' }],
    });
  });

  it('gives a slow reader everything in the end, and holds up no other', async () => {
    const text = 'x'.repeat(20_000);
    for (let batch = 0; batch < 20; batch++) {
      const entities = Array.from({ length: 50 }, (_, at) => ({
        type: 'host',
        key: `h${batch}-${at}`,
        class: 'Host',
        properties: { text },
      }));
      await service.json(200, 'POST', '/v1/ingest/write', { entities, relationships: [] });
    }
    const slow = await fetch(`${service.url}/v1/changes?from=0`);
    const others = await lines('from=0');
    await write('late', {});
    const slowly = (await slow.text()).trim().split('\n');

    expect(shown(others)).toHaveLength(1_000);
    expect(shown(slowly.map((line) => JSON.parse(line) as Line)).slice(0, 1_000)).toEqual(shown(others));
  });

  it('ends when the service stops, with the place to go on', async () => {
    const seq = await write('web', {});
    const stream = events('/v1/changes');
    await stream.next();
    await stream.next();
    const stopping = service.stop();
    const last = (await stream.next()).value as Record<string, string>;
    const isDone = (await stream.next()).done;
    await stopping;
    service = await TestService.start({ directory });

    expect(last).toMatchObject({ event: 'end', id: `${service.graph.epoch}.${String(seq)}` });
    expect(isDone).toBe(true);
  });

  it('refuses a place that is no place, in the future, and of another history', async () => {
    const seq = await write('web', {});
    const refusal = async (query: string): Promise<unknown> => {
      const answer = await service.call('GET', `/v1/changes?${query}`);
      return [answer.status, bodyOf(answer)];
    };

    for (const from of ['x', '-1', '1.5.', 'a.b.c', '1e3', '99999999999999999', ''])
      expect(await refusal(`from=${from}`)).toMatchObject([
        400,
        { error: 'INVALID_REQUEST', details: { field: 'from' } },
      ]);
    expect(await refusal(`from=${String(seq + 1)}`)).toMatchObject([
      400,
      { error: 'INVALID_REQUEST', details: { last: seq } },
    ]);
    expect(await refusal(`from=another.${String(seq)}`)).toMatchObject([409, { error: 'CONFLICT' }]);
    expect(await refusal('follow=maybe')).toMatchObject([400, { error: 'INVALID_REQUEST' }]);
  });

  it.each([
    ['FIND Host WITH', 14],
    ['FIND Host THAT RUNS Service', 10],
    ['FIND Host RETURN COUNT', 9],
    ["FIND Host AS OF '2026-01-01'", 10],
    ['FIND Host WITH env = $env', 21],
    ['FIND Host LIMIT 1', 9],
    ['FIND SHORTEST PATH FROM a TO b', 0],
    ['EXPLAIN FIND Host', 0],
  ])('refuses the query %s at %d', async (query, position) => {
    const answer = await service.call('GET', `/v1/changes?query=${encodeURIComponent(query)}`);

    expect([answer.status, bodyOf(answer)]).toMatchObject([
      400,
      { error: 'PQL_SYNTAX', details: { position } },
    ]);
  });

  it('is refused without history, by the name of the setting', async () => {
    await service.stop();
    service = await TestService.start({ directory, environment: { PLEXUS_HISTORY: 'off' } });

    const answer = await service.call('GET', '/v1/changes?from=0');

    expect([answer.status, bodyOf(answer)]).toMatchObject([410, { error: 'BEYOND_HISTORY' }]);
    expect(answer.text).toContain('PLEXUS_HISTORY');
  });

  it('admits so many streams of one key, and another one after one of them is gone', async () => {
    const open = await Promise.all(
      Array.from({ length: 16 }, async () => {
        const stream = events('/v1/changes');
        await stream.next();
        return stream;
      }),
    );
    const refused = await service.call('GET', '/v1/changes');
    await Promise.all(open.map((stream) => stream.return(undefined)));
    let admitted = refused;
    while (admitted.status !== 200) admitted = await service.call('GET', '/v1/changes');

    expect(bodyOf(refused)).toMatchObject({ error: 'TOO_BUSY' });
    expect(admitted.status).toBe(200);
  });
});

describe('plexus changes', () => {
  it('shows the changes of a server, one a line', async () => {
    await write('web', { state: 'up' });
    const { stdout } = await runProgram(['changes', '--from', '0', '--class', 'Host', '--url', service.url]);

    const seen = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    expect(shown(seen)).toEqual(['created web']);
    expect(seen.at(-1)).toHaveProperty('end.next');
  });
});
