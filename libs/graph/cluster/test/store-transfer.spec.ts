import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Graph, recordsOf } from '#graph/engine';
import { InlineJobRunner } from '#graph/storage';
import { entity } from '#graph/testing';
import { NodeDisk } from '#platform/disk';
import { Secret, systemClock } from '#platform/foundation';
import { copyIntoDatabase, copyIntoDirectory, parseStoreAddress } from '../src/index.ts';
import { Cluster } from './cluster-harness.ts';

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe('store transfer', () => {
  const disk = new NodeDisk();
  let cluster: Cluster;
  let directory: string;

  beforeAll(async () => {
    cluster = await Cluster.start();
    directory = await mkdtemp(join(tmpdir(), 'plexus-move-'));
  });
  afterAll(async () => {
    await cluster.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const openDirectory = (name: string): Promise<Graph> =>
    Graph.open({ disk, directory: join(directory, name), storage: { jobs: new InlineJobRunner(disk) } });
  const partsOf = (schema: string, onProgress: (bytes: number) => void = () => undefined) => ({
    address: parseStoreAddress(cluster.url, new Secret(cluster.server.password)),
    schema,
    disk,
    clock: systemClock,
    log: SILENT,
    onProgress,
  });
  const filled = async (name: string): Promise<Graph> => {
    const graph = await openDirectory(name);
    const entities = Array.from({ length: 2_000 }, (_, at) => entity('host', 'Host', String(at)));
    await graph.sync({ connectorId: 'scan', syncId: '1', mode: 'diff', entities, relationships: [] });
    await graph.write({
      entities: [],
      relationships: [],
      delete: { entities: [{ type: 'host', key: '7' }], relationships: [] },
    });
    return graph;
  };

  it('preserves the whole store, into a database and back', async () => {
    const before = await filled('a');
    const records = recordsOf(before);
    await before.close();
    const seen: number[] = [];
    const there = await copyIntoDatabase(
      partsOf('moved', (bytes) => seen.push(bytes)),
      join(directory, 'a'),
    );
    const node = await cluster.open({ schema: 'moved' });
    const shared = recordsOf(node.graph);
    await node.graph.write({ entities: [entity('host', 'Host', 'later')], relationships: [] });
    const withLater = recordsOf(node.graph);
    await cluster.close(node);
    const back = await copyIntoDirectory(partsOf('moved'), join(directory, 'b'));
    const after = await openDirectory('b');

    expect(shared).toEqual(records);
    expect(recordsOf(after)).toEqual(withLater);
    expect([back.records - there.records, seen.length > 0]).toEqual([1, true]);
    await after.close();
  });

  it('creates no schema if the source schema does not exist', async () => {
    await expect(copyIntoDirectory(partsOf('nowhere'), join(directory, 'd'))).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await cluster.rows(`SELECT 1 FROM pg_namespace WHERE nspname = 'nowhere'`)).toEqual([]);
  });

  it('resumes an interrupted transfer, and rejects a schema that holds a store', async () => {
    const graph = await filled('c');
    await graph.close();
    const breaking = partsOf('broken', () => {
      throw new Error('broken off');
    });
    await expect(copyIntoDatabase(breaking, join(directory, 'c'))).rejects.toThrow('broken off');
    await copyIntoDatabase(partsOf('broken'), join(directory, 'c'));
    const node = await cluster.open({ schema: 'broken' });

    expect(recordsOf(node.graph).entities).toHaveLength(2_000);
    await expect(copyIntoDatabase(partsOf('broken'), join(directory, 'c'))).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    await expect(copyIntoDirectory(partsOf('broken'), join(directory, 'c'))).rejects.toMatchObject({
      code: 'CONFLICT',
    });
  });
});
