import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { recordsIn, recordsOf } from '#graph/engine';
import { entityId } from '#graph/model';
import { errorCodeOf, pause } from '#platform/foundation';
import { textsIn } from '#testing';
import { BaseTable } from '../src/base-table.ts';
import { BatchTable } from '../src/batch-table.ts';
import { Cluster, type ClusterNode, shown } from './cluster-harness.ts';

const HISTORY_MS = 86_400_000;
/** In the key of the entity, its properties, former ones, and those of its relationship. */
const MARKERS = ['Kq3zKey', 'Kq3zOld', 'Kq3zNow', 'Kq3zEdge'];
const ANN = { type: 'person', key: 'Kq3zKey' };
const WEB = { type: 'host', key: 'web-01' };
const ID = entityId(ANN.type, ANN.key);
const TABLES = ['batch', 'frame', 'base', 'head', 'published', 'lease', 'branch'];

const isMarked = (bytes: Buffer): boolean =>
  textsIn(bytes).some((text) => MARKERS.some((marker) => text.includes(marker)));

/** A value of a row, as bytes. */
const bytesOf = (value: unknown): Buffer => (Buffer.isBuffer(value) ? value : Buffer.from(String(value)));

describe('an entity of a shared store that is forgotten', () => {
  let cluster: Cluster;
  let schemas = 0;

  beforeAll(async () => {
    cluster = await Cluster.start();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await cluster.closeAll();
  });
  afterAll(() => cluster.stop());

  /** Names of the tables that hold it, in rows or, of a base that is cut into pieces, in their sequence. */
  const markedTables = async (schema: string): Promise<readonly string[]> => {
    const found: string[] = [];
    for (const table of TABLES) {
      const connection = await cluster.connection();
      const order = table === 'base' || table === 'frame' ? 'ORDER BY seq, part' : '';
      const rows = await connection.query(`SELECT * FROM ${schema}.${table} ${order}`);
      await connection.close();
      const bodies = rows.flatMap((row) => Object.values(row).map(bytesOf));
      if (isMarked(Buffer.concat(bodies))) found.push(table);
    }
    return found;
  };

  const markedFiles = async (schema: string, name: string): Promise<readonly string[]> => {
    const directory = cluster.directoryOf(schema, name);
    const found: string[] = [];
    for (const file of await readdir(directory))
      if (isMarked(await readFile(join(directory, file)))) found.push(file);
    return found;
  };

  const open = (schema: string, name: string, baseBytesMin?: number): Promise<ClusterNode> =>
    cluster.open({
      schema,
      name,
      historyMs: HISTORY_MS,
      ...(baseBytesMin !== undefined && { baseBytesMin }),
    });

  const write = (node: ClusterNode, note: string): Promise<unknown> =>
    node.graph.write({
      entities: [
        { ...ANN, properties: { note } },
        { ...WEB, properties: { note: `host ${String(note.length)}` } },
      ],
      relationships: [{ from: ANN, verb: 'OWNS', to: WEB, properties: { note: 'Kq3zEdge' } }],
    });

  /** The graph without the entity, as of each batch up to one. */
  const pastOf = async ({ graph }: ClusterNode, upTo: number): Promise<readonly object[]> => {
    const moments: object[] = [];
    for (let seq = 1; seq <= upTo; seq++) {
      const snapshot = await graph.history.snapshot({ seq }, { includeDeleted: true });
      const { entities, relationships } = recordsIn(snapshot);
      snapshot.release();
      moments.push({
        entities: entities.filter(({ id }) => id !== ID),
        relationships: relationships.filter(({ from, to }) => from.id !== ID && to.id !== ID),
      });
    }
    return moments;
  };

  /** Two nodes, with a base and a log that hold it. */
  const filled = async (): Promise<{ schema: string; a: ClusterNode; b: ClusterNode }> => {
    const schema = `forget${String(schemas++)}`;
    const [a, b] = [await open(schema, 'a', 1), await open(schema, 'b', 1)];
    await write(a, 'Kq3zOld');
    expect(await a.store.base()).toBe(true);
    await write(a, 'Kq3zNow and more');
    await write(a, 'Kq3zNow');
    await shown(b, 3);
    return { schema, a, b };
  };

  /** Resolves when the copies of all these nodes are erased, too. */
  const settled = async (schema: string, ...nodes: readonly ClusterNode[]): Promise<void> => {
    const [row] = await cluster.rows(`SELECT seq FROM ${schema}.head`);
    for (const node of nodes) {
      await shown(node, Number(row?.['seq']));
      await node.graph.forgetting.settled();
    }
  };

  const expectGone = async (schema: string, ...nodes: readonly ClusterNode[]): Promise<void> => {
    expect(await markedTables(schema)).toEqual([]);
    for (const node of nodes) {
      expect(await markedFiles(schema, node.name)).toEqual([]);
      expect(recordsOf(node.graph).entities.map(({ key }) => key)).toEqual(['web-01']);
    }
  };

  it('leaves no byte in the database and in the files of all nodes, and the rest as it is and was', async () => {
    const { schema, a, b } = await filled();
    const before = await pastOf(a, 3);
    expect(await markedTables(schema)).toEqual(['frame', 'base']);
    expect((await markedFiles(schema, 'b')).length).toBeGreaterThan(0);

    const reply = await a.graph.forgetting.forget(ID);
    await settled(schema, a, b);

    expect(reply).toMatchObject({ entities_deleted: 1, relationships_deleted: 1, files_left: [] });
    expect(reply.history_records).toBeGreaterThan(0);
    await expectGone(schema, a, b);
    for (const node of [a, b]) expect(await pastOf(node, 3)).toEqual(before);
    const late = await open(schema, 'late');
    await settled(schema, late);
    await expectGone(schema, late);
    expect(await pastOf(late, 3)).toEqual(before);
  });

  it('goes from the files of a node that was away, when it is back', async () => {
    const { schema, a, b } = await filled();
    await cluster.close(b);

    await a.graph.forgetting.forget(ID);
    expect((await markedFiles(schema, 'b')).length).toBeGreaterThan(0);
    const back = await open(schema, 'b', 1);
    await settled(schema, back);

    await expectGone(schema, a, back);
    await write(back, 'again');
    await shown(a, back.graph.durableVersion);
    expect(a.graph.entity(ID)).toMatchObject({ version: 1, properties: { note: 'again' } });
  });

  it('is in no base of a node whose copy still has it', async () => {
    const { schema, a, b } = await filled();
    const erased = Promise.withResolvers<undefined>();
    const erase = b.store.erase.bind(b.store);
    jest.spyOn(b.store, 'erase').mockImplementation(async () => {
      await erased.promise;
      return erase();
    });

    await a.graph.forgetting.forget(ID);
    await write(a, 'x'.repeat(200_000));
    await shown(b, a.graph.durableVersion);
    const early = await b.store.base();
    erased.resolve(undefined);
    await settled(schema, b);

    expect(early).toBe(false);
    expect(await b.store.base()).toBe(true);
  });

  it('is in no base of a node that has lost its lease while it writes one', async () => {
    const { schema, a, b } = await filled();
    await write(a, 'x'.repeat(200_000));
    await shown(b, 4);
    const [writing, held] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const writeParts = Reflect.get(BaseTable.prototype, 'writeParts') as (
      ...args: readonly unknown[]
    ) => ReturnType<BaseTable['writeParts']>;
    jest.spyOn(BaseTable.prototype, 'writeParts').mockImplementationOnce(async function (
      this: BaseTable,
      ...args
    ) {
      writing.resolve(undefined);
      await held.promise;
      return Reflect.apply(writeParts, this, args);
    });
    const late = b.store.base();
    await writing.promise;
    await cluster.rows(`DELETE FROM ${schema}.lease WHERE name = 'base'`);

    await a.graph.forgetting.forget(ID);
    held.resolve(undefined);

    expect(await late).toBe(false);
    await settled(schema, a, b);
    await expectGone(schema, a, b);
  });

  it('keeps what remains if a node has stood still, without its leases, before it deletes former states', async () => {
    const { schema, a, b } = await filled();
    const before = await pastOf(a, 3);
    const [based, still] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const writeBase = Reflect.get(BaseTable.prototype, 'write') as (
      ...args: readonly unknown[]
    ) => ReturnType<BaseTable['write']>;
    jest.spyOn(BaseTable.prototype, 'write').mockImplementationOnce(async function (
      this: BaseTable,
      ...args
    ) {
      await Reflect.apply(writeBase, this, args);
      based.resolve(undefined);
      await still.promise;
    });
    const first = a.graph.forgetting.forget(ID).then(
      () => 'done',
      (error: unknown) => errorCodeOf(error),
    );
    await based.promise;
    const [holder] = await cluster.rows(`SELECT node FROM ${schema}.lease WHERE name = 'forget'`);
    const ofHolder = `node = '${String(holder?.['node'])}'`;
    const state = { isDone: false };
    const second = b.graph.forgetting.forget(ID).finally(() => (state.isDone = true));
    while (!state.isDone) {
      await cluster.rows(`DELETE FROM ${schema}.lease WHERE name IN ('base', 'forget') AND ${ofHolder}`);
      await pause(20);
    }
    still.resolve(undefined);

    expect(await second).toMatchObject({ id: ID });
    expect(await first).toBe('STORE_UNAVAILABLE');
    await settled(schema, a, b);
    const late = await open(schema, 'late');
    await settled(schema, late);
    await expectGone(schema, a, b, late);
    expect(await pastOf(late, 3)).toEqual(before);
  });

  it('goes with another one that a second node forgets at the same time', async () => {
    const { schema, a, b } = await filled();
    const web = entityId(WEB.type, WEB.key);

    const replies = await Promise.all([
      a.graph.forgetting.forget(ID),
      b.graph.forgetting.forget(web),
      b.graph.forgetting.forget(ID),
    ]);
    await settled(schema, a, b);

    expect(replies.map(({ id }) => id)).toEqual([ID, web, ID]);
    expect(await markedTables(schema)).toEqual([]);
    for (const node of [a, b]) {
      expect(await markedFiles(schema, node.name)).toEqual([]);
      expect(recordsOf(node.graph).entities).toEqual([]);
    }
  });

  it('is found by every node, and answered again', async () => {
    const { schema, a, b } = await filled();
    const first = await b.graph.forgetting.forget(ID);

    const again = await a.graph.forgetting.forget(ID);

    expect(again).toMatchObject({ id: ID, forgotten_at: first.forgotten_at, entities_deleted: 0 });
    await settled(schema, a, b);
    await expectGone(schema, a, b);
    const unknown = a.graph.forgetting.forget(entityId('person', 'unknown'));
    await expect(unknown).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  describe.each([
    ['before its former records are rewritten', { on: 'erase' }],
    ['before a base is written', { on: 'writeParts' }],
    ['before the base is whole', { on: 'finish' }],
    ['before its batches are deleted', { on: 'drop' }],
    ['before the other bases are deleted', { on: 'keepOnly' }],
    ['before it is noted as done', { on: 'vacuum' }],
  ] as const)('by a node that ends %s', (_, { on }) => {
    it('goes when the next node starts', async () => {
      const { schema, a, b } = await filled();
      const before = await pastOf(b, 3);
      // The node does nothing more, as after a kill: what follows fails, too.
      const ended = new Error('ended');
      const fail = (): never => {
        jest.spyOn(a.store, 'append').mockImplementation(() => {
          throw ended;
        });
        throw ended;
      };
      if (on === 'erase') jest.spyOn(a.store, 'erase').mockImplementation(fail);
      else if (on === 'drop' || on === 'vacuum')
        jest.spyOn(BatchTable.prototype, on).mockImplementation(fail);
      else jest.spyOn(BaseTable.prototype, on).mockImplementation(fail);
      await expect(a.graph.forgetting.forget(ID)).rejects.toThrow();
      await cluster.closeAll();
      jest.restoreAllMocks();

      const next = await open(schema, 'next', 1);
      await settled(schema, next);
      const back = await open(schema, 'a', 1);
      await settled(schema, back);

      await expectGone(schema, next, back);
      expect(await pastOf(back, 3)).toEqual(before);
    });
  });
});
