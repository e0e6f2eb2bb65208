import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { encodeEntityHead } from '#graph/memory';
import { entityId, type EntityStatement, relationshipId } from '#graph/model';
import type { SyncRequest } from '../src/index.ts';
import { RecordWriter } from '../src/record/record-writer.ts';
import { writeEntityValue } from '../src/record/content-record.ts';
import { writeEntityKey } from '../src/record/record-key.ts';
import { PrefixEncoder } from '../src/record/record-prefix.ts';
import { GraphHarness } from './graph-harness.ts';

const HOUR_MS = 3_600_000;
const WEB = { type: 'host', key: 'web-01' };
const DB = { type: 'host', key: 'db-01' };
const ID = entityId(WEB.type, WEB.key);

let harness: GraphHarness;
let syncs = 0;

beforeEach(async () => {
  harness = await GraphHarness.opened();
});
afterEach(() => harness.close());

function host(
  properties: EntityStatement['properties'],
  more: Partial<EntityStatement> = {},
): EntityStatement {
  return { ...WEB, properties, ...more };
}

/** A separate sync, an hour after the previous one. */
async function sync(
  connectorId: string,
  entities: readonly EntityStatement[],
  more: Partial<SyncRequest> = {},
): Promise<object> {
  harness.clock.turn(HOUR_MS);
  return harness.graph.sync({
    connectorId,
    syncId: `s${String(++syncs)}`,
    entities,
    relationships: [],
    ...more,
  });
}

function shown(): object {
  const { class: name, display_name, properties, version, source } = harness.graph.entity(ID);
  return { class: name, display_name, properties, version, source: source.connector_id };
}

describe('an entity of several sources', () => {
  it('shows the union of their statements, also after a restart', async () => {
    await sync('scan', [host({ os: 'linux' })]);
    await sync('cloud', [host({ region: 'eu' }, { displayName: 'Web 1', class: 'Server' })]);
    await harness.reopen();

    expect(shown()).toEqual({
      class: 'Server',
      display_name: 'Web 1',
      properties: { os: 'linux', region: 'eu' },
      version: 2,
      source: 'cloud',
    });
  });

  it('counts a repeated statement as unchanged, and does not renew it', async () => {
    await sync('scan', [host({ os: 'linux' })]);
    await sync('cloud', [host({ os: 'windows' })]);

    const again = await sync('scan', [host({ os: 'linux' })]);

    expect(again).toMatchObject({ entities_updated: 0, entities_unchanged: 1 });
    expect(shown()).toMatchObject({ properties: { os: 'windows' }, version: 2, source: 'cloud' });
  });

  it('shows the later of two values, field by field', async () => {
    await sync('scan', [host({ os: 'linux', cpu: 4 })]);
    await sync('cloud', [host({ os: 'windows', cpu: 8 })]);
    await sync('scan', [host({ os: 'linux', cpu: 16 })]);

    expect(shown()).toMatchObject({ properties: { os: 'windows', cpu: 16 } });
  });

  it('shows the later of two values within one millisecond', async () => {
    const { graph } = harness;
    const request = { relationships: [], syncId: '1' };
    await graph.sync({ ...request, connectorId: 'scan', entities: [host({ os: 'linux' })] });
    await graph.sync({ ...request, connectorId: 'a', entities: [host({ os: 'windows' })] });

    expect(shown()).toMatchObject({ properties: { os: 'windows' } });
  });

  it('shows the value of the higher priority, which a sync without one keeps', async () => {
    await sync('scan', [host({ os: 'linux' })], { priority: 5 });
    const lower = await sync('cloud', [host({ os: 'windows' })]);
    await harness.reopen();
    await sync('scan', [host({ os: 'bsd' })]);

    expect(lower).toMatchObject({ entities_updated: 0, entities_unchanged: 1 });
    expect(shown()).toMatchObject({ properties: { os: 'bsd' }, source: 'scan', version: 2 });
  });

  it('shows hidden values after a change of priority, also of records missing from the sync', async () => {
    await sync('scan', [host({ os: 'linux' })], { priority: 5 });
    await sync('cloud', [host({ os: 'windows' })]);
    const dry = { connectorId: 'scan', syncId: 'd', entities: [], relationships: [] } as const;

    const foretold = await harness.graph.sync({ ...dry, mode: 'patch', priority: -1 }, { dryRun: true });
    const turned = await sync('scan', [], { mode: 'patch', priority: -1 });

    expect(foretold).toMatchObject({ entities_updated: 1 });
    expect(turned).toMatchObject({ entities_updated: 1, entities_deleted: 0 });
    expect(shown()).toMatchObject({ properties: { os: 'windows' }, version: 2 });
  });

  it('loses the statements of a source that drops it, and shows those of others', async () => {
    await sync('scan', [host({ os: 'linux', cpu: 4 })]);
    await sync('cloud', [host({ os: 'windows', region: 'eu' }, { displayName: 'Web 1' })]);

    const dropped = await sync('cloud', []);

    expect(dropped).toMatchObject({ entities_updated: 1, entities_deleted: 0 });
    expect(shown()).toEqual({
      class: 'Host',
      display_name: 'web-01',
      properties: { os: 'linux', cpu: 4 },
      version: 3,
      source: 'scan',
    });
  });

  it('has a source that states it, even if the content is unchanged', async () => {
    await sync('scan', [host({ os: 'linux' })]);
    await sync('cloud', [host({ os: 'linux' })]);
    await sync('scan', []);
    await harness.reopen();

    expect(shown()).toMatchObject({ source: 'cloud', version: 1 });
  });

  it('shows another source’s value instead of null', async () => {
    await sync('scan', [host({ owner: 'ann' })]);
    await sync('cloud', [host({ owner: null, zone: null })], { priority: 9 });

    expect(shown()).toMatchObject({ properties: { owner: 'ann', zone: null } });
  });

  it('treats a default class as stated only if it is explicit', async () => {
    await sync('scan', [host({}, { class: 'Host' })], { priority: 9 });
    await harness.reopen();
    await sync('cloud', [host({}, { class: 'Server', displayName: 'Web 1' })]);

    expect(shown()).toMatchObject({ class: 'Host', display_name: 'Web 1' });
  });

  it('changes only the patching source’s statement', async () => {
    await sync('scan', [host({ os: 'linux', cpu: 4 })]);
    await sync('cloud', [host({ region: 'eu' })]);
    await sync('cloud', [host({ os: null, region: null, zone: 'a' })], { mode: 'patch' });

    expect(shown()).toMatchObject({ properties: { os: 'linux', cpu: 4, zone: 'a' } });
  });

  it('replaces only the statement of a write’s connector', async () => {
    await sync('scan', [host({ os: 'linux' })]);
    await harness.graph.write({ entities: [host({ note: 'x' })], relationships: [] });
    await harness.graph.bulk([{ op: 'entity', entity: host({ note: 'y' }) }]);

    expect(shown()).toMatchObject({ properties: { os: 'linux', note: 'y' } });
  });

  it('is deleted by an explicit delete despite other sources', async () => {
    await sync('scan', [host({ os: 'linux' })]);
    await sync('cloud', [host({ region: 'eu' })]);
    await harness.graph.deleteEntity(ID);
    expect(harness.records().entities).toMatchObject([{ properties: { os: 'linux', region: 'eu' } }]);
    await sync('scan', [host({ os: 'linux' })]);
    await harness.reopen();

    expect(shown()).toMatchObject({ properties: { os: 'linux' }, version: 3 });
    expect(harness.graph.entityWithSources(ID).sources).toHaveLength(1);
  });

  it('lists sources with their statements and times by precedence', async () => {
    await sync('scan', [host({ os: 'linux' }, { class: 'Host' })]);
    const sinceScan = new Date(harness.clock.nowMs()).toISOString();
    await sync('cloud', [host({ os: 'windows' }, { displayName: 'Web 1' })], { priority: 2 });
    const sinceCloud = new Date(harness.clock.nowMs()).toISOString();
    await sync('scan', [host({ os: 'linux' }, { class: 'Host' })]);
    await harness.reopen();

    expect(harness.graph.entityWithSources(ID).sources).toEqual([
      {
        connector_id: 'cloud',
        priority: 2,
        since: sinceCloud,
        display_name: 'Web 1',
        properties: { os: 'windows' },
      },
      { connector_id: 'scan', priority: 0, since: sinceScan, class: 'Host', properties: { os: 'linux' } },
    ]);
  });

  it('hides a statement until it is durable', async () => {
    await sync('scan', [host({ os: 'linux' })]);
    harness.disk.plan({ failAt: { call: 1, code: 'EIO' } });
    await expect(sync('cloud', [host({ os: 'windows' })], { priority: 3 })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });

    expect(harness.graph.entityWithSources(ID).sources).toMatchObject([
      { connector_id: 'scan', priority: 0 },
    ]);
  });
});

describe('a relationship of several sources', () => {
  const runs = (properties: EntityStatement['properties'], verb = 'RUNS') => ({
    from: WEB,
    verb,
    to: DB,
    properties,
  });
  const both: readonly EntityStatement[] = [host({}), { ...DB, properties: {} }];

  it('shows the union, and the rest after one drops it', async () => {
    await sync('scan', both, { relationships: [runs({ port: 1 })] });
    await sync('cloud', both, { relationships: [runs({ port: 2, tls: true }, 'runs')] });
    const id = relationshipId(ID, 'RUNS', entityId(DB.type, DB.key));
    expect(harness.graph.relationship(id)).toMatchObject({
      verb: 'runs',
      properties: { port: 2, tls: true },
    });

    const dropped = await sync('cloud', both);
    await harness.reopen();

    expect(dropped).toMatchObject({ relationships_updated: 1, relationships_deleted: 0 });
    expect(harness.graph.relationshipWithSources(id)).toMatchObject({
      verb: 'RUNS',
      properties: { port: 1 },
      source: { connector_id: 'scan' },
      sources: [{ connector_id: 'scan', properties: { port: 1 } }],
    });
  });

  it('is subject to the deletion limit, except with a deleted end', async () => {
    const services = Array.from({ length: 99 }, (_, n) => ({
      type: 'service',
      key: String(n),
      properties: {},
    }));
    const entities = [host({}), ...services];
    const relationships = services.map((to) => ({ from: WEB, verb: 'RUNS', to, properties: {} }));
    await sync('scan', entities, { relationships });

    await expect(sync('scan', entities)).rejects.toMatchObject({
      code: 'SYNC_WOULD_DELETE_TOO_MUCH',
      details: { verb: 'RUNS', relationships_owned: 99, relationships_dropped: 99 },
    });
    expect(await sync('scan', services)).toMatchObject({ entities_deleted: 1, relationships_deleted: 99 });
    await sync('scan', entities, { relationships });
    expect(await sync('scan', entities, { force: true })).toMatchObject({ relationships_deleted: 99 });
  });
});

describe('a write that creates missing ends', () => {
  it('does not count existing ends', async () => {
    const link = { from: WEB, verb: 'RUNS', to: DB, properties: {} };
    await harness.graph.write({ entities: [host({})], relationships: [] });

    const reply = await harness.graph.write({ entities: [], relationships: [link] }, { onDangling: 'stub' });

    expect(reply).toMatchObject({ entities_written: 1, relationships_written: 1 });
  });
});

describe('a store of a version without statements', () => {
  /** Writes a record of an earlier version: one content, two owners, no statements. */
  async function withOldRecord(): Promise<void> {
    const nowMs = harness.clock.nowMs();
    const times = { syncedAtMs: nowMs, createdAtMs: nowMs, updatedAtMs: nowMs, lastSeenAtMs: nowMs };
    const stamp = { connectorId: 'scan', syncId: 'old', ...times, deletedAtMs: null, version: 4 };
    const input = { ...WEB, class: 'Server', displayName: 'web-01', properties: { os: 'linux', cpu: 4 } };
    const prefix = new PrefixEncoder().encode(stamp, ['cloud', 'scan']);
    const value = writeEntityValue(new RecordWriter(), prefix, encodeEntityHead(ID, input)).copy();
    const key = writeEntityKey(new RecordWriter(), WEB.type, WEB.key).copy();
    await harness.reopenWith((batch) => batch.put(key, value));
  }

  it('is stated by its source', async () => {
    await withOldRecord();

    expect(harness.graph.entityWithSources(ID).sources).toMatchObject([
      { connector_id: 'scan', class: 'Server', properties: { os: 'linux', cpu: 4 } },
    ]);
    await sync('cloud', [host({ region: 'eu' })]);
    expect(shown()).toMatchObject({ properties: { os: 'linux', cpu: 4, region: 'eu' }, version: 5 });
    await sync('scan', []);
    expect(shown()).toMatchObject({ class: 'Host', properties: { region: 'eu' }, source: 'cloud' });
  });

  it('keeps its content when the source leaves before the other owner has stated anything', async () => {
    await withOldRecord();

    const dropped = await sync('scan', []);

    expect(dropped).toMatchObject({ entities_deleted: 0, entities_updated: 0 });
    expect(shown()).toMatchObject({ properties: { os: 'linux', cpu: 4 }, version: 4 });
    expect(await sync('cloud', [])).toMatchObject({ entities_deleted: 1 });
  });
});
