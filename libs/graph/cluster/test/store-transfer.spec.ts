import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { continueHistory, Graph, recordsIn as recordsOfSnapshot, recordsOf } from '#graph/engine';
import { InlineJobRunner, Storage } from '#graph/storage';
import { entity } from '#graph/testing';
import { type Disk, NodeDisk } from '#platform/disk';
import { Secret, systemClock } from '#platform/foundation';
import { CrashDisk } from '#testing';
import { copyIntoDatabase, copyIntoDirectory, parseStoreAddress } from '../src/index.ts';
import { Cluster, type ClusterNode } from './cluster-harness.ts';

const DAY_MS = 86_400_000;
const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A disk that has the node write one batch before each removal of a directory. */
function writingDisk({ graph }: ClusterNode): NodeDisk {
  return new (class extends NodeDisk {
    override async removeDirectory(path: string): Promise<void> {
      await graph.write({ entities: [entity('host', 'Host', 'meanwhile')], relationships: [] });
      return super.removeDirectory(path);
    }
  })();
}

/** A disk that fails at the next removal of a directory once told to, as if the process ended there. */
class EndingDisk extends NodeDisk {
  isEnding = false;

  override async removeDirectory(path: string): Promise<void> {
    if (!this.isEnding) return super.removeDirectory(path);
    this.isEnding = false;
    throw new Error('ended');
  }
}

/** The number of live records of a store; 0 if it does not open. */
async function recordsIn(disk: Disk, path: string): Promise<number> {
  const store = await Storage.open({ disk, directory: path, clock: systemClock }).catch(() => undefined);
  let records = 0;
  for await (const chunk of store?.scan(new Uint8Array(0)) ?? []) records += chunk.length;
  await store?.close();
  return records;
}

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

  const openDirectory = (name: string, historyMs = 0): Promise<Graph> =>
    Graph.open({
      disk,
      directory: join(directory, name),
      storage: { jobs: new InlineJobRunner(disk), walFileBytes: 4_096 },
      historyMs,
    });
  const partsOf = (schema: string, onProgress: (bytes: number) => void = () => undefined) => ({
    address: parseStoreAddress(cluster.url, new Secret(cluster.server.password)),
    schema,
    disk,
    clock: systemClock,
    log: SILENT,
    goOn: continueHistory,
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

  it('preserves the history, into a database and back, each moment and what changed between two', async () => {
    const known = new Map<number, unknown>();
    /** Writes in the way that a number tells, and notes what is there then. */
    const write = async (graph: Graph, number: number): Promise<void> => {
      const hosts = Array.from({ length: 40 }, (_, at) => ({
        ...entity('host', 'Host', String(at)),
        properties: { load: at < 20 ? number : 0 },
      }));
      const uses = { from: { type: 'host', key: '0' }, verb: 'USES', to: { type: 'host', key: '1' } };
      if (number % 3 === 0)
        await graph.write({
          entities: [],
          relationships: [],
          delete: { entities: [{ type: 'host', key: String(number) }], relationships: [uses] },
        });
      else {
        const relationships = [{ ...uses, properties: { number } }];
        const scan = { connectorId: 'scan', syncId: String(number), mode: 'diff', entities: hosts } as const;
        await graph.sync({ ...scan, relationships: number % 2 === 0 ? relationships : [] });
      }
      known.set(graph.durableVersion, recordsOf(graph));
    };
    const momentsOf = async (graph: Graph): Promise<ReadonlyMap<number, unknown>> => {
      const moments = new Map<number, unknown>();
      for (const seq of known.keys()) {
        const snapshot = await graph.history.snapshot({ seq }, { includeDeleted: true });
        moments.set(seq, recordsOfSnapshot(snapshot));
      }
      return moments;
    };
    const changesOf = async (graph: Graph, from: number, to: number): Promise<unknown> =>
      (await graph.diff.page({ from, to, limit: 1_000, pause: () => Promise.resolve() })).changes;

    const before = await openDirectory('past', DAY_MS);
    for (let number = 1; number <= 6; number++) await write(before, number);
    const first = Math.min(...known.keys());
    const last = before.durableVersion;
    const changes = await changesOf(before, first, last);
    await before.close();
    await copyIntoDatabase(partsOf('past'), join(directory, 'past'));
    const node = await cluster.open({ schema: 'past', historyMs: DAY_MS });
    expect(await momentsOf(node.graph)).toEqual(known);
    expect(await changesOf(node.graph, first, last)).toEqual(changes);
    for (let number = 7; number <= 12; number++) await write(node.graph, number);
    expect(await momentsOf(node.graph)).toEqual(known);
    await cluster.close(node);
    await copyIntoDirectory(partsOf('past'), join(directory, 'past-back'));
    const after = await openDirectory('past-back', DAY_MS);

    expect(known.size).toBe(12);
    expect(await momentsOf(after)).toEqual(known);
    expect(await changesOf(after, first, last)).toEqual(changes);
    await after.close();
  });

  it('creates no schema if the source schema does not exist', async () => {
    await expect(copyIntoDirectory(partsOf('nowhere'), join(directory, 'd'))).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await cluster.rows(`SELECT 1 FROM pg_namespace WHERE nspname = 'nowhere'`)).toEqual([]);
  });

  it('leaves a directory beside the source as it is', async () => {
    await (await filled('e')).close();
    await mkdir(join(directory, 'e.copy'));
    await writeFile(join(directory, 'e.copy', 'note'), 'a copy of its owner');

    await copyIntoDatabase(partsOf('beside'), join(directory, 'e'));

    expect(await disk.readText(join(directory, 'e.copy', 'note'))).toBe('a copy of its owner');
    expect((await disk.listDirectories(directory)).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('leaves no base in a schema in which another process has created a store meanwhile', async () => {
    await (await filled('f')).close();
    const node = await cluster.open({ schema: 'taken' });
    const copying = copyIntoDatabase({ ...partsOf('taken'), disk: writingDisk(node) }, join(directory, 'f'));
    await expect(copying).rejects.toMatchObject({ code: 'CONFLICT' });
    const other = await cluster.open({ schema: 'taken' });

    expect(recordsOf(other.graph)).toEqual(recordsOf(node.graph));
  });

  it('rejects a store that is written during the copy, and leaves its target empty', async () => {
    await (await filled('g')).close();
    await copyIntoDatabase(partsOf('busy'), join(directory, 'g'));
    const node = await cluster.open({ schema: 'busy' });

    const copying = copyIntoDirectory({ ...partsOf('busy'), disk: writingDisk(node) }, join(directory, 'h'));

    await expect(copying).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('written during the copy'),
    });
    await expect(disk.list(join(directory, 'h'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('leaves the whole store or nothing in a directory when power fails at any disk call', async () => {
    await (await filled('i')).close();
    await copyIntoDatabase(partsOf('cut'), join(directory, 'i'));
    const node = await cluster.open({ schema: 'cut' });
    await node.graph.write({ entities: [entity('host', 'Host', 'later')], relationships: [] });
    await cluster.close(node);
    const measured = new CrashDisk(1);
    await copyIntoDirectory({ ...partsOf('cut'), disk: measured }, '/target');
    const { calls } = measured;
    const whole = await recordsIn(measured, '/target');
    expect(whole).toBeGreaterThan(2_000);

    for (let crashAt = 1; crashAt <= calls; crashAt++) {
      const cut = new CrashDisk(crashAt);
      cut.plan({ crashAt });
      await copyIntoDirectory({ ...partsOf('cut'), disk: cut }, '/target').catch(() => undefined);
      expect([0, whole]).toContain(await recordsIn(cut.restart(), '/target'));
    }
  });

  it('recognises a transfer that was killed after its end, in both directions', async () => {
    await (await filled('k')).close();
    const [source, target] = [join(directory, 'k'), join(directory, 'l')];
    const ending = new EndingDisk();
    const parts = { ...partsOf('killed'), disk: ending };
    const onProgress = (bytes: number, total: number): void => {
      // The base is written; its transaction follows, and then the removal of the draft.
      ending.isEnding = bytes === total;
    };
    await expect(copyIntoDatabase({ ...parts, onProgress }, source)).rejects.toThrow('ended');
    const there = await copyIntoDatabase(partsOf('killed'), source);
    const headOf = () => cluster.rows('SELECT seq, epoch FROM killed.head');
    const head = await headOf();
    const again = await copyIntoDatabase(partsOf('killed'), source);
    const first = await copyIntoDirectory(partsOf('killed'), target);
    const back = await copyIntoDirectory(partsOf('killed'), target);
    await copyIntoDirectory(partsOf('killed'), join(directory, 'm'));
    const opened = await openDirectory('m');
    await opened.write({ entities: [entity('host', 'Host', 'later')], relationships: [] });
    await opened.close();

    expect([there, again, first, back].map(({ wasComplete }) => wasComplete)).toEqual([
      true,
      true,
      false,
      true,
    ]);
    expect(new Set([there, again, first, back].map(({ records, crc }) => `${records} ${crc}`)).size).toBe(1);
    expect(await headOf()).toEqual(head);
    await expect(copyIntoDirectory(partsOf('killed'), join(directory, 'm'))).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'there is another store in the directory',
    });
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
    await node.graph.write({ entities: [entity('host', 'Host', 'later')], relationships: [] });
    await expect(copyIntoDatabase(partsOf('broken'), join(directory, 'c'))).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    await expect(copyIntoDirectory(partsOf('broken'), join(directory, 'c'))).rejects.toMatchObject({
      code: 'CONFLICT',
    });
  });
});
