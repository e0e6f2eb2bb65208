import { describe, expect, it } from '@jest/globals';
import { entity, FIXTURE, NaiveReader, relationship, TextSink, type GraphData } from '#graph/testing';
import { completed, type Clock } from '#platform/foundation';
import { encodeEnd, encodeResult, LineEncoder } from '../../result/encode-result.ts';
import { QueryEngine } from './query-engine.ts';

const vocabulary = { hasClass: () => true, hasVerb: () => true };
const reader = new NaiveReader(FIXTURE);

/** Each reading of the clock advances it by one second. */
function steppingClock(): Clock {
  let ms = 0;
  return { nowMs: () => 0, monotonicMs: () => (ms += 1_000) };
}

/** Every node linked with every other: many rows from few nodes. */
function meshOf(size: number): NaiveReader {
  return new NaiveReader(meshData(size));
}

function meshData(size: number): GraphData {
  const entities = Array.from({ length: size }, (_, at) => entity('host', 'Host', `h${String(at)}`));
  return {
    entities,
    relationships: entities.flatMap((from) => entities.map((to) => relationship(from, 'USES', to))),
  };
}

const FAR_ROUND = 'FIND host AS a THAT USES{9..10} host AS b WHERE a = b';

/** Every pair of nodes linked once. */
function cliqueData(size: number): GraphData {
  const { entities } = meshData(size);
  const relationships = entities.flatMap((from, at) =>
    entities.slice(at + 1).map((to) => relationship(from, 'USES', to)),
  );
  return { entities, relationships };
}

/** Layers of nodes, each linked with all of the next. */
function layered(layers: number, width: number): NaiveReader {
  const rows = Array.from({ length: layers }, (_, layer) =>
    Array.from({ length: width }, (__, at) => entity('host', 'Host', `h${String(layer)}-${String(at)}`)),
  );
  const relationships = rows
    .slice(1)
    .flatMap((row, above) =>
      row.flatMap((to) => (rows[above] ?? []).map((from) => relationship(from, 'USES', to))),
    );
  return new NaiveReader({ entities: rows.flat(), relationships });
}

const TRIANGLES =
  'FIND host AS a THAT USES >> host AS b THAT USES >> host AS c RETURN a._key, b._key, c._key';

describe('the engine', () => {
  it('answers a cheap query before run returns control', async () => {
    let isDone = false;
    const running = new QueryEngine({ vocabulary }).run(reader, 'FIND host').then(() => (isDone = true));
    await Promise.resolve();
    await Promise.resolve();

    expect(isDone).toBe(true);
    await running;
  });

  it('does not block the event loop during a long query', async () => {
    const mesh = meshOf(30);
    let turns = 0;
    let isRunning = true;
    const turn = (): void => {
      turns++;
      if (isRunning) setImmediate(turn);
    };
    setImmediate(turn);

    const result = await new QueryEngine({ vocabulary, clock: steppingClock() }).run(mesh, TRIANGLES, {
      timeoutMs: 1e9,
    });
    isRunning = false;

    expect(result.count).toBe(27_000);
    expect(turns).toBeGreaterThan(10);
  });

  it('stops a query past its deadline', async () => {
    const running = new QueryEngine({ vocabulary, clock: steppingClock() }).run(meshOf(30), TRIANGLES, {
      timeoutMs: 5_000,
    });

    await expect(running).rejects.toMatchObject({ code: 'QUERY_TIMEOUT' });
  });

  it('rejects a query above the limit of trails without a partial result', () => {
    const run = (trailLinksMax: number) => () =>
      new QueryEngine({ vocabulary }).runSync(new NaiveReader(cliqueData(8)), FAR_ROUND, { trailLinksMax });

    expect(run(100)).toThrow(expect.objectContaining({ code: 'QUERY_TOO_LARGE' }));
    expect(run(100_000)().count).toBe(8);
  });

  it('counts each entity along a trail, including trails of one relationship', () => {
    const { entities } = meshData(3);
    const relationships = entities.map((from, at) => relationship(from, 'USES', entities.at(at - 1) ?? from));
    const ring = new NaiveReader({ entities, relationships });
    const pql = 'FIND host AS a THAT USES{9..10} >> host AS b WHERE a = b';
    const run = (trailLinksMax: number) => () =>
      new QueryEngine({ vocabulary }).runSync(ring, pql, { trailLinksMax });

    expect(run(1)).toThrow(expect.objectContaining({ code: 'QUERY_TOO_LARGE' }));
    expect(run(1_000)().count).toBe(0);
  });

  it('stops following trails past its deadline', () => {
    const engine = new QueryEngine({ vocabulary, clock: steppingClock() });

    expect(() => engine.runSync(layered(8, 11), FAR_ROUND, { timeoutMs: 5_000 })).toThrow(
      expect.objectContaining({ code: 'QUERY_TIMEOUT' }),
    );
  });

  it('stops a query whose signal is aborted', async () => {
    const controller = new AbortController();
    const engine = new QueryEngine({ vocabulary, clock: steppingClock() });
    const running = engine.run(meshOf(30), TRIANGLES, { timeoutMs: 1e9, signal: controller.signal });
    controller.abort();

    await expect(running).rejects.toMatchObject({ code: 'QUERY_TIMEOUT' });
  });

  it('rejects a query that holds more rows than allowed', () => {
    const run = () => new QueryEngine({ vocabulary }).runSync(meshOf(10), TRIANGLES, { slotsMax: 2_999 });

    expect(run).toThrow(expect.objectContaining({ code: 'QUERY_TOO_LARGE' }));
    expect(new QueryEngine({ vocabulary }).runSync(meshOf(10), TRIANGLES, { slotsMax: 3_000 }).count).toBe(
      1_000,
    );
  });

  it.each([
    ['FIND host THAT USES{2..10} host', 12],
    ['FIND host AS a THAT USES{2..10} host AS b RETURN COUNT', 144],
    ['FIND host AS a THAT USES{2..10} >> host AS b RETURN COUNT', 55],
  ])('answers %s over a clique of 12 by distance', (pql, count) => {
    const clique = new NaiveReader(cliqueData(12));

    const result = new QueryEngine({ vocabulary }).runSync(clique, pql, { trailLinksMax: 20_000 });

    expect(result.count).toBe(count);
  });

  it.each([
    ['{1..10} >>', 28 * 11 * 11],
    ['{1..10}', 88 * 88],
    ['{5..10} >>', 6 * 11 * 11],
    ['{2..10} <<', 21 * 11 * 11],
  ])('answers %s between two aliases of 88 nodes in layers by distance', (hop, count) => {
    const pql = `FIND host AS a THAT USES${hop} host AS b RETURN COUNT`;

    const result = new QueryEngine({ vocabulary }).runSync(layered(8, 11), pql, { trailLinksMax: 500_000 });

    expect(result.count).toBe(count);
  });

  it.each([
    [
      'FIND host AS a THAT USES >> host AS b THAT USES >> host AS c THAT USES >> host AS d RETURN COUNT',
      10_000,
    ],
    [
      'FIND host AS a (THAT USES >> host AS b) (THAT USES >> host AS c)? THAT USES >> host AS d RETURN COUNT',
      10_000,
    ],
    ['FIND host AS a THAT USES >> host AS b THAT USES >> host AS c WHERE a != c RETURN COUNT', 900],
    ['FIND host AS a THAT USES >> host AS b WHERE NOT (b THAT USES a) RETURN COUNT', 0],
  ])('counts the rows of %s without holding any', (pql, count) => {
    const result = new QueryEngine({ vocabulary }).runSync(meshOf(10), pql, { slotsMax: 0 });

    expect(result.count).toBe(count);
  });

  it('groups rows without holding any', () => {
    const pql = `${TRIANGLES.replace(/ RETURN .*/, '')} WHERE a != c GROUP BY a._key`;

    const result = new QueryEngine({ vocabulary }).runSync(meshOf(10), pql, { slotsMax: 0 });

    expect(result.page(0, 100).groups?.map(({ count }) => count)).toEqual(Array<number>(10).fill(90));
  });

  it('makes no row for each pair of neighbours of a hub where only their values are shown', () => {
    const hub = entity('hub', 'Hub', 'h');
    const ends = Array.from({ length: 200 }, (_, at) =>
      entity(at % 2 === 0 ? 'spoke' : 'rim', 'End', `e${at}`, { g: at % 10 }),
    );
    const relationships = ends.map((end) => relationship(end, 'JOINS', hub));
    const round = new NaiveReader({ entities: [hub, ...ends], relationships });
    const pairs = 'FIND spoke AS p THAT JOINS hub THAT JOINS rim AS q';
    const engine = new QueryEngine({ vocabulary });

    // Two slots for each spoke and each of the five values of the rims.
    const rows = engine.runSync(round, `${pairs} RETURN DISTINCT p.g, q.g`, { slotsMax: 1_000 });
    const groups = engine.runSync(round, `${pairs} GROUP BY p.g, q.g`, { slotsMax: 0 });
    const all = engine.runSync(round, `${pairs} GROUP BY p.g, q.g`, { planner: 'off' });

    expect(rows.page(0, 100).rows).toHaveLength(25);
    expect(rows.page(0, 100).entities).toHaveLength(100);
    expect(groups.page(0, 100)).toEqual(all.page(0, 100));
  });

  it('enumerates no more rows than LIMIT requires', () => {
    const engine = new QueryEngine({ vocabulary });

    const first = engine.runSync(meshOf(10), `${TRIANGLES} SKIP 95 LIMIT 10`, { slotsMax: 315 });
    const all = engine.runSync(meshOf(10), TRIANGLES);

    expect(first.page(0, 100).rows).toEqual(all.page(95, 10).rows);
  });

  it.each([
    ['', 10, 315],
    ['ORDER BY c._key', 20, 3 * 4_400],
  ])('makes no more rows for the entities that LIMIT leaves (%j)', (order, size, slotsMax) => {
    const engine = new QueryEngine({ vocabulary });
    const reader = meshOf(size);
    const pql = TRIANGLES.replace(/ RETURN .*/, '');

    const cut = engine.runSync(reader, `${pql} ${order} SKIP 95 LIMIT 10`, { slotsMax });
    const all = engine.runSync(reader, `${pql} RETURN a._key ${order}`);

    const keys = Array.from(cut.page(0, 100).entities, (node) => reader.entity(node).key);
    expect(keys).toEqual([...new Set(all.page(95, 10).rows?.map(([key]) => key))]);
  });

  it.each(['c._key DESC, a._key', 'b'])('holds a few rows at a time for LIMIT with ORDER BY %s', (keys) => {
    const engine = new QueryEngine({ vocabulary });
    const pql = `${TRIANGLES} ORDER BY ${keys}`;

    const first = engine.runSync(meshOf(20), `${pql} SKIP 95 LIMIT 10`, { slotsMax: 3 * 4_400 });
    const all = engine.runSync(meshOf(20), pql);

    expect(all.count).toBe(8_000);
    expect(first.page(0, 100).rows).toEqual(all.page(95, 10).rows);
  });

  it('holds a few rows at a time for LIMIT with ORDER BY if all start from one entity', () => {
    const hub = entity('hub', 'Hub', 'hub');
    const hosts = Array.from({ length: 3_000 }, (_, at) => entity('host', 'Host', `h${String(10_000 - at)}`));
    const relationships = hosts.map((host) => relationship(hub, 'USES', host));
    const star = new NaiveReader({ entities: [hub, ...hosts], relationships });
    const pql = 'FIND hub AS a THAT USES >> host AS b RETURN b._key ORDER BY b._key LIMIT 3';
    const engine = new QueryEngine({ vocabulary });

    const first = engine.runSync(star, pql, { planner: 'off', slotsMax: 2 * 1_100 });

    expect(first.page(0, 100).rows).toEqual([['h10000'], ['h7001'], ['h7002']]);
  });

  it('holds each distinct row once', () => {
    const pql = `${TRIANGLES.replace(/RETURN .*/, '')} WHERE a != c RETURN DISTINCT a._key`;

    const result = new QueryEngine({ vocabulary }).runSync(meshOf(10), pql, { slotsMax: 10 });

    expect(result.count).toBe(10);
  });

  it('rejects a count beyond the exact integers', () => {
    const hops = Array.from({ length: 17 }, (_, at) => `THAT USES >> host AS h${String(at)}`).join(' ');
    const run = (pql: string) => () => new QueryEngine({ vocabulary }).runSync(meshOf(10), pql);

    expect(run(`FIND host ${hops} RETURN COUNT`)).toThrow(
      expect.objectContaining({ code: 'QUERY_TOO_LARGE' }),
    );
  });

  it('rejects a pattern that is too long to plan, at the first element above the limit', () => {
    const hop = ' THAT USES host';
    const pql = `FIND host${hop.repeat(64)}`;

    expect(() => new QueryEngine({ vocabulary }).prepare(pql)).toThrow(
      expect.objectContaining({ code: 'PQL_SYNTAX' }),
    );
    expect(new QueryEngine({ vocabulary }).prepare(`FIND host${hop.repeat(63)}`).bound.body.kind).toBe(
      'find',
    );
  });

  it('caches a query without the values of NOW and parameters', () => {
    let nowMs = Date.UTC(2026, 0, 1);
    const engine = new QueryEngine({ vocabulary, clock: { nowMs: () => nowMs, monotonicMs: () => 0 } });
    const count = (pql: string, params = {}) => engine.runSync(reader, pql, { params }).count;

    expect(count('FIND host WITH _created_at < NOW')).toBe(0);
    expect(count('FIND host WITH os = $os', { os: 'linux' })).toBe(3);
    nowMs = Date.UTC(2026, 1, 1);
    expect(count('FIND host WITH _created_at < NOW')).toBe(4);
    expect(count('FIND host WITH os = $os', { os: 'windows' })).toBe(1);
  });
});

describe('a page', () => {
  it('contains the rows from its offset on, and their entities', () => {
    const result = new QueryEngine({ vocabulary }).runSync(reader, 'FIND host RETURN _key');
    const keys = (offset: number, limit: number) => result.page(offset, limit).rows?.flat();

    expect([...(keys(0, 3) ?? []), ...(keys(3, 3) ?? [])]).toEqual(['db-01', 'web-01', 'web-02', 'win-01']);
    expect(result.page(3, 3).entities).toHaveLength(1);
    expect(result.page(9, 3)).toMatchObject({ rows: [] });
    expect(result).toHaveLength(4);
  });

  it('is empty for a bare count', () => {
    const result = new QueryEngine({ vocabulary }).runSync(reader, 'FIND host RETURN COUNT');

    expect(result).toMatchObject({ count: 4, length: 0 });
  });
});

describe('an encoded result', () => {
  const engine = new QueryEngine({ vocabulary });
  const encoded = (pql: string) => {
    const sink = new TextSink();
    encodeResult(engine.runSync(reader, pql), reader, sink, {
      offset: 0,
      limit: 2,
      tookMs: 1.5,
      cursor: 'c"1',
    });
    return JSON.parse(sink.text) as Record<string, unknown>;
  };
  const lines = (pql: string) => {
    const sink = new TextSink();
    const result = engine.runSync(reader, pql);
    new LineEncoder(result, reader).write(sink, () => false);
    encodeEnd(result, sink);
    return sink.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  };
  const full = (key: string) => JSON.parse(JSON.stringify(entityOf(key))) as unknown;
  const entityOf = (key: string) => {
    const node =
      completed(reader.select({ names: '*' })).find((other) => reader.nodeField(other, '_key') === key) ?? 0;
    return reader.entity(node);
  };

  it('has a line for the plan of EXPLAIN and PROFILE', () => {
    const plan: unknown = expect.objectContaining({ operator: 'Find' });

    expect(lines('EXPLAIN FIND host')).toEqual([{ plan }, { end: true, count: 0 }]);
    expect(lines('PROFILE FIND host RETURN os LIMIT 1')).toEqual([
      { os: 'linux' },
      { plan },
      { end: true, count: 1 },
    ]);
  });

  it('contains full entities, the exact count and the fields added by the caller', () => {
    expect(encoded('FIND host')).toEqual({
      count: 4,
      entities: [full('db-01'), full('web-01')],
      warnings: [],
      cursor: 'c"1',
      snapshot_version: 1,
      took_ms: 1.5,
    });
  });

  it('contains rows besides entities, with whole elements in full', () => {
    const reply = encoded('FIND host AS h THAT RUNS AS r service AS s RETURN h, r.verb, s._key');

    expect(reply).toMatchObject({ columns: ['h', 'r.verb', 's._key'], count: 3 });
    expect(reply['rows']).toEqual([
      [full('db-01'), 'RUNS', 'postgres'],
      [full('web-01'), 'RUNS', 'nginx'],
    ]);
  });

  it('contains groups with one or several keys', () => {
    expect(encoded('FIND host GROUP BY os RETURN os, MAX(cpu) AS most')).toMatchObject({
      entities: [],
      groups: [
        { key: 'linux', count: 3, most: 16 },
        { key: 'windows', count: 1, most: 2.5 },
      ],
      rows: [
        ['linux', 16],
        ['windows', 2.5],
      ],
    });
    expect(encoded('FIND Host GROUP BY region, env LIMIT 1')['groups']).toEqual([
      { key: 'eu-west-1', keys: ['eu-west-1', 'dev'], count: 1 },
    ]);
  });

  it('contains a path with its nodes and relationships', () => {
    const reply = encoded(`FIND SHORTEST PATH FROM 'alice' TO role`);

    expect(reply['paths']).toMatchObject([
      { hops: 1, nodes: [full('alice'), full('admin')], relationships: [{ verb: 'ASSIGNED' }] },
    ]);
  });

  it('contains impacted entities with their `via`', () => {
    const reply = encoded(`FIND BLAST RADIUS FROM 'web-01' VIA RUNS`);

    expect(reply).toMatchObject({
      count: 2,
      impacted: [
        { entity: full('nginx'), depth: 1, via: { verb: 'RUNS', from: { key: 'web-01' } } },
        { entity: full('web-02'), depth: 2, via: { verb: 'RUNS', from: { key: 'web-02' } } },
      ],
      impacted_by_class: { Host: 1, Service: 1 },
    });
  });

  it('has a line for each entity, row or group, and an end line', () => {
    expect(lines('FIND host LIMIT 1')).toEqual([full('db-01'), { end: true, count: 1 }]);
    expect(lines('FIND host RETURN _key AS k, cpu LIMIT 1')).toEqual([
      { k: 'db-01', cpu: 16 },
      { end: true, count: 1 },
    ]);
    expect(lines(`FIND host WITH os = 'linux' GROUP BY os`)).toEqual([
      { key: 'linux', count: 3 },
      { end: true, count: 1 },
    ]);
    expect(lines('FIND host RETURN COUNT')).toEqual([{ end: true, count: 4 }]);
  });
});
