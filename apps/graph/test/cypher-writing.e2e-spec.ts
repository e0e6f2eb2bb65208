import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestService } from './support/test-service.ts';

interface Reply {
  readonly rows: readonly (readonly unknown[])[];
  readonly counters: Readonly<Record<string, number>>;
}

describe('statements that write', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start();
  });
  afterAll(() => service.stop());

  const run = async (cypher: string, params: object = {}): Promise<Reply> => {
    const { rows: found, counters } = await service.json(200, 'POST', '/v1/cypher', { cypher, params });
    return { rows: found, counters } as Reply;
  };
  const rows = async (cypher: string, params: object = {}) => (await run(cypher, params)).rows;
  /** The counters that are not 0. */
  const changes = async (cypher: string, params: object = {}) => {
    const { counters } = await run(cypher, params);
    return Object.fromEntries(Object.entries(counters).filter(([, count]) => count > 0));
  };

  it('counts what a statement has changed, and only that', async () => {
    expect(await changes("CREATE (a:Disk {id: 'a', size: 1})-[:ON {slot: 2}]->(b:Rack {id: 'b'})")).toEqual({
      nodes_created: 2,
      relationships_created: 1,
      properties_set: 4,
      labels_added: 2,
    });
    expect(await changes('MATCH (d:Disk) SET d.size = 2, d.gone = null')).toEqual({ properties_set: 1 });
    expect(await changes('MATCH (d:Disk) REMOVE d.size, d.size')).toEqual({ properties_set: 1 });
    expect(await changes("MERGE (d:Disk {id: 'a'})")).toEqual({});
    expect(await changes('MATCH (n) WHERE n:Disk OR n:Rack DETACH DELETE n')).toEqual({
      nodes_deleted: 2,
      relationships_deleted: 1,
    });
  });

  it('makes entities that REST and PQL know by type and key', async () => {
    const { rows: created } = await run("CREATE (n:Bucket {id: 'logs', size: 3}) RETURN n");
    const { rows: unnamed } = await run('CREATE (n:Bucket {size: 4}) RETURN n._key');
    const found = await service.json(200, 'POST', '/v1/query', { pql: 'FIND Bucket WITH size = 3' });

    expect(created[0]?.[0]).toMatchObject({
      type: 'Bucket',
      class: 'Bucket',
      key: 'logs',
      source: { connector_id: 'cypher' },
      properties: { id: 'logs', size: 3 },
    });
    expect(unnamed[0]?.[0]).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(JSON.stringify(found)).toContain('"key":"logs"');
  });

  it('hides a type that is removed as a label, from Cypher only', async () => {
    await run("CREATE (:Case:Open {id: 'c1'}), (:Case {id: 'c2'}), ({id: 'c3'})");
    await run("MATCH (n:Case {id: 'c1'}) REMOVE n:Case");

    expect(await rows('MATCH (n:Case) RETURN n.id')).toEqual([['c2']]);
    expect(await rows("MATCH (n) WHERE n.id IN ['c1', 'c3'] RETURN labels(n) ORDER BY n.id")).toEqual([
      [['Open']],
      [[]],
    ]);
    expect(await service.query('FIND Case RETURN COUNT')).toMatchObject({ count: 2 });
    expect(await service.query('FIND Open RETURN COUNT')).toMatchObject({ count: 1 });

    await run("MATCH (n {id: 'c1'}) SET n:Case");
    expect(await rows('MATCH (n:Case) RETURN n.id ORDER BY n.id')).toEqual([['c1'], ['c2']]);
  });

  it('writes properties of any name, which PQL reads as [properties.…]', async () => {
    await run("CREATE (:Module {id: 'm', _module_name: 'ec2', class: 'c', display_name: 'd'})");

    expect(
      await rows("MATCH (n:Module {_module_name: 'ec2'}) RETURN n.class, n.display_name, keys(n)"),
    ).toEqual([['c', 'd', expect.arrayContaining(['_module_name', 'class', 'display_name', 'id'])]]);
    const pql = "FIND Module WITH [properties._module_name] = 'ec2' RETURN class, [properties.class]";
    expect(await service.query(pql)).toMatchObject({ rows: [['Module', 'c']], warnings: [] });
  });

  it('keeps the kinds of numbers, of times and of places; REST and PQL show what JSON can', async () => {
    await run(`CREATE (:Kept {i: 4, f: 4.0, big: 9007199254740993, nan: 0.0 / 0.0, list: [1, 2.0], none: [],
      at: datetime('2026-01-02T03:04:05+01:00[Europe/Berlin]'), p: point({x: 1, y: 2.5})})-[:R {w: 2.0}]->()`);
    const kinds =
      'valueType(n.i), valueType(n.f), valueType(n.big), valueType(n.at), valueType(n.p), valueType(r.w)';

    expect(await rows(`MATCH (n:Kept)-[r:R]->() RETURN ${kinds}`)).toEqual([
      [
        'INTEGER NOT NULL',
        'FLOAT NOT NULL',
        'INTEGER NOT NULL',
        'ZONED DATETIME NOT NULL',
        'POINT NOT NULL',
        'FLOAT NOT NULL',
      ],
    ]);
    const equal = 'n.big = 9007199254740993, n.list = [1, 2.0], n.at.timezone, n.p.y, size(n.none), 5 / n.f';
    expect(await rows(`MATCH (n:Kept) RETURN ${equal}`)).toEqual([
      [true, true, 'Europe/Berlin', 2.5, 0, 1.25],
    ]);
    const found = await service.query('FIND Kept WITH f = 4 AND i = 4 AND at < NOW + 400d');
    expect(found.entities).toMatchObject([
      {
        properties: {
          f: 4,
          big: '9007199254740993',
          nan: 'NaN',
          list: [1, 2],
          at: '2026-01-02T03:04:05+01:00',
        },
      },
    ]);
    await run('MATCH (n:Kept) SET n.i = 5, n.f = null');
    expect(await rows('MATCH (n:Kept) RETURN n.i, n.f, n.big = 9007199254740993')).toEqual([[5, null, true]]);
  });

  it('overrides what a source states until that source drops the record', async () => {
    const sync = (sync_id: string, os: string, entities: readonly object[] = [rack(os)]) =>
      service.json(200, 'POST', '/v1/ingest/sync', { connector_id: 'dc', sync_id, priority: 9, entities });
    const rack = (os: string) => ({ type: 'rack', key: 'r1', properties: { os, height: 42 } });
    await sync('1', 'linux');
    await run("MATCH (r:rack) SET r.os = 'bsd', r.note = 'mine' REMOVE r.height");
    const before = await rows('MATCH (r:rack) RETURN r.os, r.note, r.height, id(r)');
    await sync('2', 'windows');

    expect(before).toEqual([['bsd', 'mine', null, expect.any(Number)]]);
    expect(await rows('MATCH (r:rack) RETURN r.os, r.note, r.height, id(r)')).toEqual(before);
    await sync('3', '', []);
    expect(await rows('MATCH (r:rack) RETURN count(*)')).toEqual([[0]]);
  });

  it('reads all rows before it changes the graph', async () => {
    await run('CREATE (:Grows), (:Grows)');
    await run('MATCH (a:Grows), (b:Grows) CREATE (:Grows)');

    expect(await rows('MATCH (n:Grows) RETURN count(*)')).toEqual([[6]]);
  });

  it('merges one node for many clients at once', async () => {
    const merge =
      "MERGE (n:Once {id: 'x'}) ON CREATE SET n.made = 1 ON MATCH SET n.seen = coalesce(n.seen, 0) + 1";
    const replies = await Promise.all(Array.from({ length: 32 }, () => run(merge)));

    expect(replies.reduce((total, { counters }) => total + (counters['nodes_created'] ?? 0), 0)).toBe(1);
    expect(await rows('MATCH (n:Once) RETURN n.made, n.seen')).toEqual([[1, 31]]);
  });

  it('gives a second relationship between two nodes a key of its own', async () => {
    await run('CREATE (:End {id: 1}), (:End {id: 2})');
    const create = 'MATCH (a:End {id: 1}), (b:End {id: 2}) CREATE (a)-[r:LINKS {n: $n}]->(b) RETURN r';
    const first = await rows(create, { n: 1 });
    const second = await rows(create, { n: 2 });

    expect([first[0]?.[0], second[0]?.[0]]).toEqual([
      expect.not.objectContaining({ key: expect.anything() }),
      expect.objectContaining({ key: expect.any(String) }),
    ]);
    expect(await rows('MATCH (:End)-[r:LINKS]->(:End) RETURN r.n ORDER BY r.n')).toEqual([[1], [2]]);
  });

  it('changes nothing where it fails', async () => {
    const failed = await service.json(400, 'POST', '/v1/cypher', {
      cypher: 'UNWIND [1, 0] AS x CREATE (:Half {y: 1 / x})',
    });

    expect(failed).toMatchObject({ error: 'CYPHER_FAILED', details: { kind: 'NumberOutOfRange' } });
    expect(await rows('MATCH (n:Half) RETURN count(*)')).toEqual([[0]]);
  });

  it('deletes nothing of another source, and names it', async () => {
    const host = { type: 'machine', key: 'm1', properties: { name: 'm1' } };
    const sync = { connector_id: 'aws', sync_id: '1', entities: [host], relationships: [] };
    await service.json(200, 'POST', '/v1/ingest/sync', sync);
    const failed = await service.json(400, 'POST', '/v1/cypher', {
      cypher: 'MATCH (n:machine) DETACH DELETE n',
    });

    expect(failed).toMatchObject({ message: expect.stringContaining("sources: ['aws']") });
    expect(await rows('MATCH (n:machine) RETURN n._source')).toEqual([['aws']]);
  });

  it.each([
    ['a map as a property', 'CREATE (:A {m: {x: 1}})', 'InvalidPropertyType'],
    ['a list with a null', 'CREATE (:A {m: [1, null]})', 'InvalidPropertyType'],
    ['a null in MERGE', 'MERGE (:A {m: null})', 'MergeReadOwnWrites'],
    ['a read of what it has deleted', 'CREATE (a:A {x: 1}) DELETE a RETURN a.x', 'DeletedEntityAccess'],
    ['a deleted node that is connected', 'CREATE (a:A)-[:T]->() DELETE a', 'DeleteConnectedNode'],
  ])('refuses %s', async (_, cypher, kind) => {
    const failed = await service.json(400, 'POST', '/v1/cypher', { cypher });

    expect(failed).toMatchObject({ error: 'CYPHER_FAILED', details: { kind } });
    expect(await rows('MATCH (n:A) RETURN count(*)')).toEqual([[0]]);
  });
});
