import { describe, expect, it } from '@jest/globals';
import { Graph } from '#graph/engine';
import type { EntityStatement, RelationshipInput } from '#graph/model';
import { InlineJobRunner } from '#graph/storage';
import { sealHere } from '#graph/testing';
import { DomainError } from '#platform/foundation';
import { CrashDisk } from '#testing';
import type { SyncContent } from '../sync/sync-target.port.ts';
import { GraphSyncTarget } from './graph-ports.ts';

const host = (key: string): EntityStatement => ({ type: 'host', key, properties: {} });
const link = (from: string, to: string): RelationshipInput => ({
  from: { type: 'host', key: from },
  verb: 'CONNECTS',
  to: { type: 'host', key: to },
  properties: {},
});

function contentOf(syncId: string, keys: readonly string[], more: Partial<SyncContent> = {}): SyncContent {
  const links = keys.slice(1).map((key, index) => link(keys[index] ?? '', key));
  return {
    connectorId: 'lab',
    syncId,
    partialTypes: () => [],
    partialRelationships: [],
    increment: undefined,
    document: () => ({ namespace: 'cursors', id: 'lab', value: syncId }),
    unread: [],
    emptied: [],
    priority: 0,
    force: false,
    entities: () => keys.map(host),
    relationships: () => links,
    recordCount: keys.length + links.length,
    recordBytes: 100 * (keys.length + links.length),
    ...more,
  };
}

/** The size of one atomic batch, and so a fourth of it for a part, is that of four records. */
async function opened() {
  const disk = new CrashDisk(1);
  const storage = { jobs: new InlineJobRunner(disk) };
  const memory = { sealIdleMs: 0, runSeal: sealHere };
  const graph = await Graph.open({ directory: '/data', disk, storage, memory });
  return { graph, target: new GraphSyncTarget(graph, { atomicBytes: 400 }) };
}
const keys = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `h${index}`);

describe('a run that is larger than one atomic batch', () => {
  it('is written in several, has one reply, and the next one deletes exactly what went', async () => {
    const { graph, target } = await opened();

    const first = await target.sync(contentOf('1', keys(30)));
    const batches = graph.durableVersion;
    const second = await target.sync(contentOf('2', keys(27)));

    expect(first).toMatchObject({ entities_created: 30, relationships_created: 29, warnings: [] });
    expect(batches).toBeGreaterThan(30);
    expect(second).toMatchObject({ entities_unchanged: 27, entities_deleted: 3, relationships_deleted: 3 });
    expect(graph.stats()).toMatchObject({ total_entities: 27, total_relationships: 26 });
    expect(target.lastSync('lab')).toEqual(second);
    expect(await graph.documents.get('cursors', 'lab')).toBe('2');
    await graph.close();
  });

  it('changes nothing if it would delete too much', async () => {
    const { graph, target } = await opened();
    await target.sync(contentOf('1', keys(30)));
    const before = graph.durableVersion;

    const shrunk = contentOf('2', [...keys(10), 'new']);

    await expect(target.sync(shrunk)).rejects.toMatchObject({ code: 'SYNC_WOULD_DELETE_TOO_MUCH' });
    expect(graph.durableVersion).toBe(before);
    await graph.close();
  });

  it('ends between two batches if another node has taken the connector over, and deletes nothing', async () => {
    const { graph, target } = await opened();
    await target.sync(contentOf('1', keys(30)));
    let calls = 0;
    const partialTypes = (): readonly string[] => {
      if (++calls > 5) throw new DomainError('CONFLICT', 'taken over');
      return [];
    };

    const changed = contentOf('2', [...keys(20), 'a', 'b', 'c', 'd', 'e', 'f', 'g'], { partialTypes });

    await expect(target.sync(changed)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(graph.stats().total_entities).toBeGreaterThanOrEqual(30);
    expect(target.lastSync('lab')?.sync_id).toBe('1');
    await graph.close();
  });

  it('leaves out relationships to what it deletes, with a warning', async () => {
    const { graph, target } = await opened();
    await target.sync(contentOf('1', keys(30)));

    const relationships = (): readonly RelationshipInput[] => [link('h0', 'h1'), link('h0', 'h29')];
    const second = await target.sync(contentOf('2', keys(29), { relationships, force: true }));

    expect(second).toMatchObject({
      relationships_unchanged: 1,
      relationships_created: 0,
      entities_deleted: 1,
    });
    expect(second.warnings).toMatchObject([{ code: 'DANGLING_RELATIONSHIP' }]);
    await graph.close();
  });
});
