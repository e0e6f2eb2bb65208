/** What databases take, and what happens where one cannot be made. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EngineSettings, NamedGraphs, type Graph } from '#graph/engine';
import { NodeDisk } from '#platform/disk';
import { systemClock } from '#platform/foundation';
import { DatabaseList, Databases } from '../src/index.ts';
import type { TransactionOptions } from '../src/index.ts';
import { MemoryStore } from './memory-store.ts';

const NO_HANG_UP = { aborted: false };
const MINUTE_MS = 60_000;

/** Counts what is opened, and cannot where `fault` is set. */
class WatchedGraphs extends NamedGraphs {
  opened = 0;
  fault: Error | undefined;

  override async open(name: string): Promise<Graph> {
    this.opened++;
    const graph = await super.open(name);
    if (this.fault === undefined) return graph;
    await graph.close();
    throw this.fault;
  }
}

let store: MemoryStore;
let directory: string;
let graphs: WatchedGraphs;
let databases: Databases;

beforeEach(async () => {
  store = await MemoryStore.open();
  directory = await mkdtemp(join(tmpdir(), 'plexus-databases-'));
  graphs = new WatchedGraphs({
    disk: new NodeDisk(),
    clock: systemClock,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    storage: { dataDir: directory, openStore: undefined },
    engine: new EngineSettings(),
  });
  databases = await Databases.find({ main: store.transactions, list: new DatabaseList(), graphs });
});
afterEach(async () => {
  await databases.close();
  await store.close();
  await rm(directory, { recursive: true });
});

async function run(text: string, options: Partial<TransactionOptions> = {}): Promise<readonly unknown[]> {
  const statement = { text, parameters: new Map() };
  const result = await databases.run(statement, { access: 'write', ...options }, NO_HANG_UP);
  const rows = await result.take(10);
  result.close();
  return rows;
}

describe('a database without statements', () => {
  it('is closed after a quarter of an hour, and opened by the next one', async () => {
    await run('CREATE DATABASE scan');
    await run('CREATE (:Host)', { database: 'scan' });
    const before = graphs.opened;
    await databases.closeResting(performance.now() + 14 * MINUTE_MS);
    await run('RETURN 1', { database: 'scan' });
    const kept = graphs.opened;
    await databases.closeResting(performance.now() + 16 * MINUTE_MS);

    expect(await run('MATCH (n) RETURN count(n)', { database: 'scan' })).toEqual([[1n]]);
    expect([kept, graphs.opened]).toEqual([before, before + 1]);
  });

  it('stays open while rows are read', async () => {
    await run('CREATE DATABASE scan');
    await run('UNWIND range(1, 3000) AS n CREATE (:Host {n: n})', { database: 'scan' });
    const statement = { text: 'MATCH (n) RETURN n.n', parameters: new Map() };
    const result = await databases.run(statement, { access: 'read', database: 'scan' }, NO_HANG_UP);
    await result.take(1);
    await databases.closeResting(performance.now() + 60 * MINUTE_MS);

    expect(await result.take(5_000)).toHaveLength(2_999);
  });

  it('is opened once for many at once', async () => {
    await run('CREATE DATABASE scan');
    await databases.closeResting(performance.now() + 16 * MINUTE_MS);
    const before = graphs.opened;

    await Promise.all(Array.from({ length: 20 }, () => run('RETURN 1', { database: 'scan' })));

    expect(graphs.opened).toBe(before + 1);
  });
});

describe('bookmarks', () => {
  it('open no database, neither those of another one nor unknown ones', async () => {
    await run('CREATE DATABASE scan');
    await run('CREATE DATABASE other');
    const statement = { text: 'CREATE (:Host)', parameters: new Map() };
    const written = await databases.run(statement, { access: 'write', database: 'scan' }, NO_HANG_UP);
    const { bookmark = '' } = written.summary;
    await databases.close();
    databases = await Databases.find({ main: store.transactions, list: new DatabaseList(), graphs });
    const before = graphs.opened;

    expect(await run('RETURN 1', { bookmarks: [bookmark] })).toEqual([[1n]]);
    await expect(run('RETURN 1', { bookmarks: ['0123456789abcdef0123.1'] })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect(graphs.opened).toBe(before);
    expect(await run('MATCH (n) RETURN count(n)', { database: 'scan', bookmarks: [bookmark] })).toEqual([
      [1n],
    ]);
  });

  it('of a damaged database are not known, and a start does without it', async () => {
    await run('CREATE DATABASE scan');
    await databases.close();
    await writeFile(join(directory, 'databases', 'scan', 'MANIFEST'), 'damaged');

    databases = await Databases.find({ main: store.transactions, list: new DatabaseList(), graphs });

    expect(await run('RETURN 1')).toEqual([[1n]]);
    await expect(run('RETURN 1', { database: 'scan' })).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
  });
});

describe('CREATE DATABASE', () => {
  it('leaves nothing where the store cannot be opened', async () => {
    graphs.fault = new Error('no space');
    await expect(run('CREATE DATABASE scan')).rejects.toThrow('no space');
    graphs.fault = undefined;

    expect(await readdir(join(directory, 'databases'))).toEqual([]);
    await expect(run('RETURN 1', { database: 'scan' })).rejects.toThrow('there is no database scan');
    await run('CREATE DATABASE scan');
  });

  it('is one of several that ask at once', async () => {
    const asked = await Promise.allSettled(Array.from({ length: 5 }, () => run('CREATE DATABASE scan')));

    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('is refused without the permission, and with a scope', async () => {
    const admit = (kind: string): void => {
      throw new Error(`not ${kind}`);
    };

    await expect(run('CREATE DATABASE scan', { admit })).rejects.toThrow('not s');
    await expect(run('DROP DATABASE scan', { admit })).rejects.toThrow('not s');
    await expect(run('CREATE DATABASE scan', { scope: { only: { types: ['host'] } } })).rejects.toThrow(
      'scope',
    );
    expect(graphs.opened).toBe(0);
  });

  it('ends at a hundred', async () => {
    for (let n = 0; n < 100; n++) await run(`CREATE DATABASE scan${String(n)}`);

    await expect(run('CREATE DATABASE more')).rejects.toThrow('expected at most 100 databases');
    await run('DROP DATABASE scan7');
    await run('CREATE DATABASE more');
  });
});

it('is alone where the store is shared', async () => {
  const shared = await Databases.find({
    main: store.transactions,
    list: new DatabaseList(),
    graphs: new NamedGraphs({
      disk: new NodeDisk(),
      clock: systemClock,
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      storage: {
        dataDir: directory,
        openStore: () => Promise.reject(new Error('expected not to be opened')),
      },
      engine: new EngineSettings(),
    }),
  });
  const statement = { text: 'CREATE DATABASE scan', parameters: new Map() };

  await expect(shared.run(statement, { access: 'write' }, NO_HANG_UP)).rejects.toThrow(
    'a shared store has one database',
  );
  await shared.close();
});
