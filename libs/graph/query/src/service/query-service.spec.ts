import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Graph } from '#graph/engine';
import { createScheduler } from '#graph/execution';
import { type HangUp, systemClock } from '#platform/foundation';
import { CrashDisk } from '#testing';
import { parseQueryRequest } from './query-request.ts';
import { createQueryService, type QueryService } from './query-service.ts';

const SETTINGS = {
  queryTimeout: 60_000,
  queriesMax: 4,
  queryQueue: 10,
  queryMemory: 0,
  cursorsMax: 2,
  cursorsMemory: 2 ** 20,
};
const NEVER: HangUp = new AbortController().signal;

describe('QueryService', () => {
  let graph: Graph;
  let service: QueryService;

  beforeEach(async () => {
    graph = await Graph.open({ directory: '/data', disk: new CrashDisk(1) });
    const entities = ['a', 'b', 'c', 'd', 'e'].map((key) => ({ type: 'host', key, properties: {} }));
    await graph.write({ entities, relationships: [] });
    const scheduler = createScheduler(SETTINGS, systemClock);
    service = createQueryService({ graph, settings: SETTINGS, scheduler, clock: systemClock });
  });

  afterEach(async () => {
    service.close();
    await graph.close();
  });

  const page = async (body: object): Promise<Record<string, unknown>> => {
    const bytes = await service.page(parseQueryRequest(body), NEVER);
    return JSON.parse(bytes.toString('utf8')) as Record<string, unknown>;
  };
  const stream = (pql: string) => service.stream(parseQueryRequest({ pql }), NEVER);
  const keysOf = ({ entities }: Record<string, unknown>) =>
    (entities as { readonly key: string }[]).map(({ key }) => key);

  it('returns separate replies to queries that start at the same moment', async () => {
    const replies = await Promise.all(
      ['a', 'b', 'c'].map((key) => page({ pql: `FIND host WITH _key = '${key}'` })),
    );

    expect(replies.map(keysOf)).toEqual([['a'], ['b'], ['c']]);
  });

  it('releases the snapshot of a complete reply', async () => {
    const reply = await page({ pql: 'FIND host', limit: 5 });

    expect(keysOf(reply)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(reply['cursor']).toBeUndefined();
    expect(graph.openSnapshots).toBe(0);
  });

  it.each(['FIND host RETURN COUNT', 'EXPLAIN FIND host'])('has no further page of %s', async (pql) => {
    const reply = await page({ pql, limit: 2 });

    expect(reply['cursor']).toBeUndefined();
    expect(graph.openSnapshots).toBe(0);
  });

  it('keeps the snapshot of a result behind a cursor, up to its last page and beyond', async () => {
    const first = await page({ pql: 'FIND host', limit: 2 });
    await graph.write({ entities: [{ type: 'host', key: 'aa', properties: {} }], relationships: [] });
    const second = await page({ cursor: first['cursor'], limit: 2 });
    const third = await page({ cursor: second['cursor'], limit: 2 });
    const again = await page({ cursor: second['cursor'], limit: 2 });
    const open = graph.openSnapshots;
    service.close();

    expect([first, second, third].map(keysOf)).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    expect(third['cursor']).toBeUndefined();
    expect(keysOf(again)).toEqual(['e']);
    expect(new Set([first, second, third].map((reply) => reply['snapshot_version'])).size).toBe(1);
    expect([open, graph.openSnapshots]).toEqual([1, 0]);
  });

  it('releases the snapshot of an evicted cursor', async () => {
    for (const limit of [1, 2, 3, 4]) await page({ pql: 'FIND host', limit });

    expect(graph.openSnapshots).toBe(SETTINGS.cursorsMax);
  });

  it('releases the snapshot of a failed query', async () => {
    await expect(page({ pql: 'FIND host WITH key = $1' })).rejects.toMatchObject({
      code: 'MISSING_PARAMETER',
    });
    await expect(page({ pql: 'FIND' })).rejects.toMatchObject({ code: 'PQL_SYNTAX' });

    expect(graph.openSnapshots).toBe(0);
  });

  it('releases the snapshot of a stream at its end, or when it is abandoned', async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of await stream('FIND host')) chunks.push(chunk);
    const ended = graph.openSnapshots;
    for await (const chunk of await stream('FIND host')) {
      chunks.push(chunk);
      break;
    }

    expect([ended, graph.openSnapshots]).toEqual([0, 0]);
    expect(Buffer.concat(chunks).toString('utf8').split('\n')).toContain('{"end":true,"count":5}');
  });

  it.each([
    ['FIND host RETURN end, count', 17],
    ['FIND host RETURN [plan]', 17],
    ['FIND host RETURN _key AS error', 25],
    ['FIND host AS end RETURN end.*', 24],
    ['FIND host GROUP BY os RETURN os, COUNT(*) AS end', 45],
  ])('rejects %s as a stream, of which a row could be mistaken for the last line', async (pql, position) => {
    await expect(stream(pql)).rejects.toMatchObject({ code: 'PQL_SYNTAX', details: { position } });

    expect(graph.openSnapshots).toBe(0);
    expect(await page({ pql })).toHaveProperty('rows');
  });

  it('streams a column whose alias is not reserved', async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of await stream('FIND host RETURN end AS last, error AS fault'))
      chunks.push(chunk);

    expect(String(chunks[0]).split('\n')[0]).toBe('{"last":null,"fault":null}');
  });
});
