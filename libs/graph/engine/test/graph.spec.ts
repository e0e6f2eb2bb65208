import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { entityId, type EntityStatement, relationshipId, type RelationshipInput } from '#graph/model';
import type { SyncRequest } from '../src/index.ts';
import { GraphHarness } from './graph-harness.ts';

const web = { type: 'host', key: 'web-01' };
const nginx = { type: 'service', key: 'nginx' };
const HOUR_MS = 3_600_000;

let harness: GraphHarness;

beforeEach(async () => {
  harness = await GraphHarness.opened();
});

afterEach(async () => {
  await harness.close();
});

function entity(name: { type: string; key: string }, properties = {}): EntityStatement {
  return { ...name, properties };
}

function runs(from = web, to = nginx): RelationshipInput {
  return { from, verb: 'RUNS', to, properties: {} };
}

function hosts(count: number): EntityStatement[] {
  return Array.from({ length: count }, (_, index) => entity({ type: 'host', key: `h${String(index)}` }));
}

function sync(
  syncId: string,
  entities: readonly EntityStatement[],
  more: Partial<SyncRequest> = {},
): SyncRequest {
  return { connectorId: 'scan', syncId, entities, relationships: [], ...more };
}

describe('write', () => {
  it('is visible when it resolves', async () => {
    await harness.graph.write({
      entities: [entity(web, { cpu: 4 }), entity(nginx)],
      relationships: [runs()],
    });

    const id = entityId('host', 'web-01');
    expect(harness.graph.entity(id)).toMatchObject({
      ...web,
      class: 'Host',
      properties: { cpu: 4 },
      version: 1,
    });
    expect(harness.graph.neighbors(id)).toMatchObject({ count: 1, neighbors: [{ entity: nginx }] });
    expect(harness.graph.stats()).toMatchObject({ total_entities: 2, verb_counts: { RUNS: 1 } });
  });

  it('keeps the version of a content-equal upsert, and its last sighting over a restart', async () => {
    await harness.graph.write({ entities: [entity(web, { a: 1, b: 2 })], relationships: [] });
    harness.clock.turn(HOUR_MS);
    await harness.graph.write({ entities: [entity(web, { b: 2, a: 1 })], relationships: [] });
    await harness.reopen();

    const {
      version,
      last_seen_at: seen,
      updated_at: updated,
    } = harness.graph.entity(entityId('host', 'web-01'));
    expect({ version, gapMs: Date.parse(seen) - Date.parse(updated) }).toEqual({
      version: 1,
      gapMs: HOUR_MS,
    });
  });

  it('rejects a dangling relationship, names both ends and changes nothing', async () => {
    const write = harness.graph.write({ entities: [entity(web)], relationships: [runs()] });

    await expect(write).rejects.toMatchObject({
      code: 'DANGLING_RELATIONSHIP',
      details: { from: web, to: nginx, missing: [nginx] },
    });
    expect(harness.records().entities).toEqual([]);
  });

  it('leaves a dangling relationship out with a warning on request', async () => {
    const request = { entities: [entity(web)], relationships: [runs()] };

    const reply = await harness.graph.write(request, { onDangling: 'skip' });

    expect(reply).toMatchObject({ entities_written: 1, relationships_written: 0 });
    expect(reply.warnings).toMatchObject([{ code: 'DANGLING_RELATIONSHIP' }]);
  });

  it('creates the missing end on request', async () => {
    const reply = await harness.graph.write(
      { entities: [], relationships: [runs()] },
      { onDangling: 'stub' },
    );

    expect(reply).toMatchObject({ entities_written: 2, relationships_written: 1 });
  });

  it('rejects two contents for one entity', async () => {
    const write = harness.graph.write({ entities: [entity(web, { a: 1 }), entity(web)], relationships: [] });

    await expect(write).rejects.toMatchObject({ code: 'DUPLICATE_KEY', details: web });
  });

  it('returns the first reply to a repeated write, concurrently and after a restart', async () => {
    const request = { writeId: 'w', entities: [entity(web)], relationships: [] };

    const [first, second] = await Promise.all([harness.graph.write(request), harness.graph.write(request)]);
    await harness.reopen();
    const third = await harness.graph.write({ ...request, entities: [] });

    expect([second, third]).toEqual([first, first]);
    expect(harness.graph.entity(entityId('host', 'web-01')).source.sync_id).toBe('w');
  });

  it('is repeated only by a write of the same connector', async () => {
    const request = { writeId: 'w', relationships: [] };
    await harness.graph.write({ ...request, entities: [entity(web)] });

    const other = { ...request, connectorId: 'other', entities: [entity(web), entity(nginx)] };
    const first = await harness.graph.write(other);
    const second = await harness.graph.write({ ...other, entities: [] });

    expect(first).toMatchObject({ write_id: 'w', entities_written: 2 });
    expect(second).toEqual(first);
    expect(harness.graph.stats().total_entities).toBe(2);
  });

  it('is repeated by a write with its id after a start on the store of a version that noted no connector', async () => {
    const reply = { write_id: 'w', entities_written: 7 };
    const value = Buffer.from(JSON.stringify({ at: harness.clock.nowMs(), reply }));
    await harness.reopenWith((batch) => batch.put(Buffer.from('Ww'), value));

    const request = { writeId: 'w', entities: [entity(web)], relationships: [] };
    const replies = [
      await harness.graph.write(request),
      await harness.graph.write({ ...request, connectorId: 'other' }),
    ];

    expect(replies).toEqual([reply, reply]);
    expect(harness.graph.stats().total_entities).toBe(0);
  });

  it('warns of a bounded number of unknown words, once for each', async () => {
    const entities = Array.from({ length: 60 }, (_, index) =>
      entity({ type: `odd${String(index % 30)}`, key: String(index) }),
    );

    const { warnings } = await harness.graph.write({ entities, relationships: [] });

    expect(warnings).toHaveLength(21);
    expect(warnings.at(-1)).toEqual({ code: 'UNKNOWN_CLASS', message: 'and 10 more' });
  });

  it('deletes the relationships of a deleted entity, and restores it with its id', async () => {
    await harness.graph.write({ entities: [entity(web), entity(nginx)], relationships: [runs()] });
    const id = entityId('host', 'web-01');

    await harness.graph.deleteEntity(id);
    await harness.reopen();
    expect(() => harness.graph.entity(id)).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
    expect(harness.graph.stats()).toMatchObject({ total_entities: 1, total_relationships: 0 });
    await harness.graph.write({ entities: [entity(web)], relationships: [] });

    expect(harness.graph.entity(id)).toMatchObject({ id, version: 2, deleted_at: null });
  });

  it('does not delete again the relationships of an entity that returned without them', async () => {
    const all = { entities: [entity(web), entity(nginx)], relationships: [runs()] };
    await harness.graph.sync(sync('1', all.entities, { relationships: all.relationships }));
    await harness.reopen({ imageRecordsMin: 0 });
    await harness.graph.sync(sync('2', []));
    await harness.graph.sync(sync('3', [entity(web)]));

    const reply = await harness.graph.sync(sync('4', []));

    expect(reply).toMatchObject({ entities_deleted: 1, relationships_deleted: 0 });
  });

  it('deletes a relationship, and reports a missing one', async () => {
    const id = relationshipId(entityId('host', 'web-01'), 'RUNS', entityId('service', 'nginx'));
    await harness.graph.write({ entities: [entity(web), entity(nginx)], relationships: [runs()] });

    await harness.graph.deleteRelationship(id);

    expect(harness.graph.stats()).toMatchObject({ total_entities: 2, total_relationships: 0 });
    await expect(harness.graph.deleteRelationship(id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(harness.graph.deleteEntity('x')).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('throws STORE_UNAVAILABLE after a disk failure, and still reads durable data', async () => {
    await harness.graph.write({ entities: [entity(web)], relationships: [] });
    harness.disk.plan({ failAt: { call: 1, code: 'EIO' } });

    const lost = harness.graph.write({ entities: [entity(nginx)], relationships: [] });
    await expect(lost).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });

    expect(harness.graph.health()).toMatchObject({ status: 'unhealthy' });
    expect(harness.records().entities).toMatchObject([web]);
    await expect(harness.graph.write({ entities: [], relationships: [] })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
  });
});

describe('sync', () => {
  it('rejects the drop of more than half of a source of 20, unless forced', async () => {
    await harness.graph.sync(sync('1', hosts(20)));

    const refused = harness.graph.sync(sync('2', hosts(9)));
    await expect(refused).rejects.toMatchObject({
      code: 'SYNC_WOULD_DELETE_TOO_MUCH',
      details: { entities_owned: 20, entities_dropped: 11 },
    });
    expect(await harness.graph.sync(sync('3', hosts(10)))).toMatchObject({ entities_deleted: 10 });
    expect(await harness.graph.sync(sync('4', [], { force: true }))).toMatchObject({ entities_deleted: 10 });
  });

  it('reports the deletions of a dry run, and their rejection', async () => {
    await harness.graph.sync(sync('1', hosts(20)));

    const dry = await harness.graph.sync(sync('2', hosts(9)), { dryRun: true });

    expect(dry).toMatchObject({ entities_unchanged: 9, entities_deleted: 11 });
    expect(dry.warnings).toContainEqual({
      code: 'SYNC_WOULD_DELETE_TOO_MUCH',
      message: expect.stringContaining('would drop 11 of the connector'),
    });
    expect(harness.graph.stats().total_entities).toBe(20);
  });

  it('lists in a dry run what it would create, update and delete', async () => {
    const old = { type: 'host', key: 'old' };
    const of = [entity(web), entity(nginx), entity(old)];
    await harness.graph.sync(sync('1', of, { relationships: [runs()] }));
    const next = [{ ...entity(web), displayName: 'Web' }, entity({ type: 'host', key: 'new' })];

    const dry = await harness.graph.sync(sync('2', next), { dryRun: true, listed: 1 });
    const counted = await harness.graph.sync(sync('2', next), { dryRun: true });

    const listed = (display_name: string, key: string, more = 0, type = 'host') => ({
      records: [{ type, key, display_name }],
      more,
    });
    expect(dry.changes?.entities).toEqual({
      created: listed('new', 'new'),
      updated: listed('Web', web.key),
      deleted: listed(nginx.key, nginx.key, 1, nginx.type),
    });
    expect(dry.changes?.relationships).toEqual({
      created: { records: [], more: 0 },
      updated: { records: [], more: 0 },
      deleted: { records: [{ from: web, verb: 'RUNS', to: nginx }], more: 0 },
    });
    expect(counted.changes).toBeUndefined();
  });

  it('never deletes records that another connector owns too', async () => {
    await harness.graph.sync(sync('1', [entity(web)]));
    await harness.graph.sync(sync('1', [entity(web)], { connectorId: 'cloud' }));
    await harness.reopen();

    expect(await harness.graph.sync(sync('2', []))).toMatchObject({ entities_deleted: 0 });
    expect(await harness.graph.sync(sync('2', [], { connectorId: 'cloud' }))).toMatchObject({
      entities_deleted: 1,
    });
  });

  it.each([['host'], ['service'], ['runs']])('drops no relationship if %s is partial', async (name) => {
    const everything = [entity(web), entity(nginx)];
    await harness.graph.sync(sync('1', everything, { relationships: [runs()] }));

    const reply = await harness.graph.sync(sync('2', everything, { partialTypes: [name] }));

    expect(reply).toMatchObject({ relationships_deleted: 0, entities_deleted: 0 });
  });

  describe('with partial relationships', () => {
    const [one, two] = [entity({ type: 'host', key: 'one' }), entity({ type: 'host', key: 'two' })];
    const everything = [one, two, entity(nginx), entity({ type: 'service', key: 'ssh' })];
    const link = (from: EntityStatement, verb: string, key: string): RelationshipInput => ({
      from: { type: from.type, key: from.key },
      verb,
      to: { type: 'service', key },
      properties: {},
    });
    const all = [
      link(one, 'RUNS', 'nginx'),
      link(one, 'RUNS', 'ssh'),
      link(one, 'USES', 'ssh'),
      link(two, 'RUNS', 'nginx'),
    ];

    it.each([
      { of: { verb: 'runs', end: 'from', type: 'host', key: 'one' } as const, kept: 2 },
      { of: { verb: 'RUNS', end: 'to', type: 'service', key: 'nginx' } as const, kept: 2 },
      { of: { verb: 'RUNS', end: 'to', type: 'service', key: 'ssh' } as const, kept: 1 },
      { of: { verb: 'RUNS', end: 'to', type: 'host', key: 'one' } as const, kept: 0 },
      { of: { verb: 'RUNS', end: 'from', type: 'host', key: 'three' } as const, kept: 0 },
    ])('keeps only those of the verb at the end of the entity: $of', async ({ of, kept }) => {
      await harness.graph.sync(sync('1', everything, { relationships: all }));

      const reply = await harness.graph.sync(sync('2', everything, { partialRelationships: [of] }));

      expect(reply).toMatchObject({ relationships_deleted: all.length - kept, entities_deleted: 0 });
    });

    it('deletes those of an entity that is gone, and none of another source', async () => {
      const partialRelationships = [{ verb: 'RUNS', end: 'from', type: 'host', key: 'one' } as const];
      await harness.graph.sync(sync('1', everything, { relationships: all }));
      await harness.graph.sync(sync('1', everything, { relationships: all, connectorId: 'cloud' }));

      const mine = await harness.graph.sync(sync('2', everything, { partialRelationships }));
      const others = await harness.graph.sync(sync('2', [], { connectorId: 'cloud' }));
      const later = await harness.graph.sync(sync('3', [two], { partialRelationships }));

      expect(mine).toMatchObject({ relationships_deleted: 0 });
      expect(others).toMatchObject({ relationships_deleted: 2 });
      expect(later).toMatchObject({ entities_deleted: 3, relationships_deleted: 2 });
    });

    it('does not count them for the deletion limit', async () => {
      const many = Array.from({ length: 30 }, (_, index) => entity({ type: 'service', key: `s${index}` }));
      const relationships = many.map(({ key }) => link(one, 'RUNS', key));
      await harness.graph.sync(sync('1', [one, ...many], { relationships }));

      const reply = await harness.graph.sync(
        sync('2', [one, ...many], {
          partialRelationships: [{ verb: 'RUNS', end: 'from', type: 'host', key: 'one' }],
        }),
      );

      expect(reply).toMatchObject({ relationships_deleted: 0 });
    });

    it('are stored with a session', async () => {
      const partialRelationships = [{ verb: 'RUNS', end: 'from', type: 'host', key: 'one' } as const];
      await harness.graph.sync(sync('1', everything, { relationships: all }));
      const { sessions } = harness.graph;
      const opened = await sessions.open({ connectorId: 'scan', syncId: '2', partialRelationships });
      await sessions.putBatch(opened.session_id, 1, { entities: everything, relationships: [] });
      await harness.reopen();

      const reply = await harness.graph.sessions.commit(opened.session_id);

      expect(opened).toMatchObject({ partial_relationships: partialRelationships });
      expect(reply).toMatchObject({ relationships_deleted: 2 });
    });
  });

  it('counts and changes nothing in a dry run, and leaves the sync id unused', async () => {
    const dry = await harness.graph.sync(sync('1', [entity(web)]), { dryRun: true });
    const stored = harness.records();

    expect(stored.entities).toEqual([]);
    expect(await harness.graph.sync(sync('1', [entity(web)]))).toEqual(dry);
  });

  it('keeps the last sync of each connector over a restart', async () => {
    await harness.graph.sync(sync('1', [entity(web)]));
    harness.clock.turn(1);
    const reply = await harness.graph.sync(sync('2', [entity(web)]));
    await harness.reopen();

    expect(harness.graph.lastSyncs()).toMatchObject([{ connector_id: 'scan', sync_id: '2', reply }]);
  });

  it('distinguishes the later of two syncs in one millisecond, also after a restart', async () => {
    await harness.graph.sync(sync('2', [entity(web)]));
    await harness.graph.sync(sync('1', [entity(web)]));
    await harness.reopen();

    expect(harness.graph.lastSyncs()).toMatchObject([{ connector_id: 'scan', sync_id: '1' }]);
  });

  it('excludes other writers for its whole duration, but not reads', async () => {
    const name = (index: number) => ({ type: 'host', key: `h${String(index)}` });
    const running = harness.graph.write({ entities: hosts(5_000), relationships: [] });
    const written = harness.graph.write({ entities: [], relationships: [runs(name(0), name(4_999))] });
    expect(harness.graph.stats().snapshot_version).toBe(0);

    const replies = await Promise.all([running, written]);

    expect(replies).toMatchObject([{ entities_written: 5_000 }, { relationships_written: 1 }]);
  });
});

describe('an image', () => {
  it('is loaded at the next open, with later records', async () => {
    await harness.graph.sync(sync('1', hosts(50)));
    await harness.reopen({ imageRecordsMin: 10 });
    await harness.graph.sync(sync('2', hosts(51)));
    await harness.reopen();
    await harness.graph.write({ entities: [entity(web)], relationships: [] });
    const before = harness.records();
    await harness.reopen();

    expect(harness.opened()).toMatchObject({ imageSeq: 2, records: 1 });
    expect(harness.records()).toEqual(before);
  });
});

describe('a session', () => {
  it('survives a restart and commits its batches as one sync', async () => {
    const { session_id: id } = await harness.graph.sessions.open({ connectorId: 'scan', syncId: 's' });
    await harness.graph.sessions.putBatch(id, 2, { entities: [], relationships: [runs()] });
    await harness.reopen();
    await harness.graph.sessions.putBatch(id, 1, {
      entities: [entity(web), entity(nginx)],
      relationships: [],
    });

    expect(await harness.graph.sessions.get(id)).toMatchObject({
      state: 'open',
      batches: [1, 2],
      entities: 2,
    });
    const reply = await harness.graph.sessions.commit(id);
    await harness.reopen();

    expect(reply).toMatchObject({ sync_id: 's', entities_created: 2, relationships_created: 1 });
    expect(await harness.graph.sessions.commit(id)).toEqual(reply);
    expect(await harness.graph.sessions.get(id)).toMatchObject({ state: 'committed' });
  });

  it('accepts a repeated batch, and rejects another one with its number', async () => {
    const { session_id: id } = await harness.graph.sessions.open({ connectorId: 'scan', syncId: 's' });
    const batch = { entities: [entity(web)], relationships: [] };
    await harness.graph.sessions.putBatch(id, 1, batch);

    await expect(harness.graph.sessions.putBatch(id, 1, batch)).resolves.toMatchObject({ entities: 1 });
    const other = harness.graph.sessions.putBatch(id, 1, { ...batch, entities: [] });
    await expect(other).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('stays open if its commit is rejected', async () => {
    const { session_id: id } = await harness.graph.sessions.open({ connectorId: 'scan', syncId: 's' });
    await harness.graph.sessions.putBatch(id, 1, { entities: [], relationships: [runs()] });

    await expect(harness.graph.sessions.commit(id)).rejects.toMatchObject({ code: 'DANGLING_RELATIONSHIP' });
    await expect(harness.graph.sessions.commit(id, { onDangling: 'stub' })).resolves.toMatchObject({
      entities_created: 2,
    });
  });

  it('rejects a commit while a batch between others is missing', async () => {
    const { session_id: id } = await harness.graph.sessions.open({ connectorId: 'scan', syncId: 's' });
    await harness.graph.sessions.putBatch(id, 1, { entities: [entity(web)], relationships: [] });
    await harness.graph.sessions.putBatch(id, 3, { entities: [], relationships: [runs()] });

    await expect(harness.graph.sessions.commit(id)).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { missing: 2 },
    });
    await harness.graph.sessions.putBatch(id, 2, { entities: [entity(nginx)], relationships: [] });
    await expect(harness.graph.sessions.commit(id)).resolves.toMatchObject({ relationships_created: 1 });
  });

  it('rejects batches after an abort', async () => {
    const { session_id: id } = await harness.graph.sessions.open({ connectorId: 'scan', syncId: 's' });
    await harness.graph.sessions.abort(id);

    await expect(harness.graph.sessions.commit(id)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(harness.graph.sessions.abort(id)).resolves.toMatchObject({ state: 'aborted' });
  });

  it('rejects a commit while its abort waits for its turn', async () => {
    const { sessions } = harness.graph;
    const { session_id: id } = await sessions.open({ connectorId: 'scan', syncId: 's' });
    await sessions.putBatch(id, 1, { entities: [entity(web)], relationships: [] });
    const load = harness.graph.write({ entities: hosts(3_000), relationships: [] });

    const aborted = sessions.abort(id);
    const committed = sessions.commit(id);

    await expect(committed).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(aborted).resolves.toMatchObject({ state: 'aborted' });
    await load;
    expect(() => harness.graph.entity(entityId('host', 'web-01'))).toThrow('no such entity');
  });

  it('expires after a day, and becomes unknown after another', async () => {
    const { session_id: id } = await harness.graph.sessions.open({ connectorId: 'scan', syncId: 's' });
    harness.clock.turn(24 * HOUR_MS);

    await expect(harness.graph.sessions.get(id)).rejects.toThrow(
      expect.objectContaining({ code: 'SESSION_EXPIRED' }),
    );
    harness.clock.turn(24 * HOUR_MS);
    expect(await harness.graph.sessions.sweep()).toBe(1);
    await harness.reopen();
    await expect(harness.graph.sessions.get(id)).rejects.toThrow(
      expect.objectContaining({ code: 'NOT_FOUND' }),
    );
  });
});

describe('the sweep of sessions', () => {
  it('drops the batches of an expired session once, and its record a day later', async () => {
    const { session_id: id } = await harness.graph.sessions.open({ connectorId: 'scan', syncId: 's' });
    await harness.graph.sessions.putBatch(id, 1, { entities: [entity(web)], relationships: [] });
    const swept: number[] = [];
    for (const hours of [23, 1, 0, 0, 23, 1, 0]) {
      harness.clock.turn(hours * HOUR_MS);
      await harness.reopen();
      swept.push(await harness.graph.sessions.sweep());
    }

    expect(swept).toEqual([0, 1, 0, 0, 0, 1, 0]);
  });
});

describe('documents', () => {
  it('change together and survive a restart', async () => {
    const { documents } = harness.graph;
    await documents.change('rule', [
      { id: 'b', value: { n: 1 } },
      { id: 'a', value: [1] },
    ]);
    await documents.change('rule', [
      { id: 'a', value: undefined },
      { id: 'c', value: 'x' },
    ]);
    await documents.change('rules', [{ id: 'd', value: 1 }]);
    await harness.reopen();

    const all: unknown[] = [];
    for await (const document of harness.graph.documents.all('rule')) all.push(document);
    expect(all).toEqual([
      { id: 'b', value: { n: 1 } },
      { id: 'c', value: 'x' },
    ]);
    expect(await harness.graph.documents.get('rule', 'a')).toBeUndefined();
  });
});
