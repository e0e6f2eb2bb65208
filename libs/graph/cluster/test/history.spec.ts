import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { entityId } from '#graph/model';
import type { ForeignBatch } from '#graph/storage';
import { entity } from '#graph/testing';
import { CrashDisk } from '#testing';
import { assert, errorCodeOf, pause } from '#platform/foundation';
import { BaseTable } from '../src/base-table.ts';
import { BatchTable } from '../src/batch-table.ts';
import { Cluster, type ClusterNode, shown, told } from './cluster-harness.ts';
import { recordsOf } from '#graph/engine';

const BASE_BYTES_MIN = 1;

describe('the history of a store', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.start();
  });
  afterAll(() => cluster.stop());

  /** With a payload large enough for the log to outgrow a base each time. */
  const put = (node: ClusterNode, key: string, bytes = 1): Promise<unknown> => {
    const blob = randomBytes(bytes / 2).toString('hex');
    return node.graph.write({ entities: [entity('host', 'Host', key, { blob })], relationships: [] });
  };
  const keysOf = ({ graph }: ClusterNode): readonly string[] =>
    recordsOf(graph).entities.map(({ key }) => key);

  /** The epoch in the database, as often as there are nodes. */
  const epochsOf = async (schema: string, nodes: number): Promise<readonly string[]> => {
    const [row] = await cluster.rows(`SELECT epoch FROM ${schema}.head`);
    return Array.from({ length: nodes }, () => String(row?.['epoch']));
  };

  it('is trimmed to the base before the last, and a new node starts from a base', async () => {
    const schema = 'bases';
    const node = await cluster.open({ schema, baseBytesMin: BASE_BYTES_MIN });
    for (const round of [1, 2, 3]) {
      for (let at = 0; at < 5; at++) await put(node, `${String(round)}-${String(at)}`, 10_000 * 3 ** round);
      expect(await node.store.base()).toBe(true);
    }
    await put(node, 'after');
    const bases = await cluster.rows(`SELECT DISTINCT seq FROM ${schema}.base ORDER BY seq`);
    const oldest = await cluster.rows(
      `SELECT min(seq) AS batch, (SELECT min(seq) FROM ${schema}.frame) AS frame FROM ${schema}.batch`,
    );
    const late = await cluster.open({ schema });

    expect(bases.map(({ seq }) => seq)).toEqual(['10', '15']);
    expect(oldest).toEqual([{ batch: '11', frame: '11' }]);
    expect(recordsOf(late.graph)).toEqual(recordsOf(node.graph));
    expect(late.graph.durableVersion).toBe(16);
  });

  it('gets a base from another node when the copy of one fails', async () => {
    const schema = 'failing';
    const disk = new CrashDisk(1);
    const failing = await cluster.open({ schema, disk, baseBytesMin: BASE_BYTES_MIN });
    const other = await cluster.open({ schema, baseBytesMin: BASE_BYTES_MIN });
    await put(failing, 'a');
    while (failing.store.stats().syncs === 0) await pause(5);
    disk.plan({ failAt: { call: 1, code: 'ENOSPC' } });
    await put(failing, 'b').catch(() => undefined);
    await shown(other, 2);

    expect([await failing.store.base(), await other.store.base()]).toEqual([false, true]);
  });

  it('gets a base under a lease that ends soon after its node', async () => {
    const schema = 'leased';
    const node = await cluster.open({ schema, baseBytesMin: BASE_BYTES_MIN });
    await put(node, 'a');
    const other = await cluster.connection();
    await other.query('BEGIN');
    await other.query(`LOCK TABLE ${schema}.base IN EXCLUSIVE MODE`);
    const written = node.store.base();
    const left = `SELECT extract(epoch FROM until - now()) AS seconds FROM ${schema}.lease WHERE name = 'base'`;
    let rows = await cluster.rows(left);
    while (rows.length === 0) rows = await cluster.rows(left);
    await other.query('COMMIT');
    await other.close();

    expect(Number(rows[0]?.['seconds'])).toBeLessThanOrEqual(10);
    expect(await written).toBe(true);
    expect(await cluster.rows(left)).toEqual([]);
  });

  it('continues from the previous base if the last one is damaged', async () => {
    const schema = 'damaged';
    const node = await cluster.open({ schema, baseBytesMin: BASE_BYTES_MIN });
    for (const [at, key] of ['a', 'b'].entries()) {
      await put(node, key, 10_000 * 3 ** at);
      expect(await node.store.base()).toBe(true);
    }
    await cluster.rows(
      `UPDATE ${schema}.base SET body = substring(body FROM 1 FOR 40) WHERE seq = 2 AND part = 1`,
    );
    const late = await cluster.open({ schema });

    expect(keysOf(late)).toEqual(['a', 'b']);
    expect(cluster.logged).toContainEqual(expect.objectContaining({ event: 'store.base_refused', seq: 2 }));
  });

  it('is read again from a base by a node that was away while it was trimmed', async () => {
    const schema = 'away';
    const node = await cluster.open({ schema, baseBytesMin: BASE_BYTES_MIN });
    await put(node, 'a');
    const away = await cluster.open({ name: 'away', schema });
    await cluster.close(away);
    for (const [at, key] of ['b', 'c', 'd'].entries()) {
      await put(node, key, 10_000 * 3 ** at);
      expect(await node.store.base()).toBe(true);
    }
    const back = await cluster.open({ name: 'away', schema });
    await put(back, 'e');
    await shown(node, 5);

    expect(keysOf(back)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(recordsOf(back.graph)).toEqual(recordsOf(node.graph));
  });

  it('is read again by running nodes after the database lost its last batches', async () => {
    const schema = 'lost';
    const [a, b] = [await cluster.open({ schema }), await cluster.open({ schema })];
    for (const key of ['a', 'b', 'c']) await put(a, key);
    await shown(b, 3);
    const { epoch } = a.graph;
    await cluster.rows(
      `DELETE FROM ${schema}.batch WHERE seq > 1; DELETE FROM ${schema}.frame WHERE seq > 1;
       UPDATE ${schema}.head SET seq = 1; UPDATE ${schema}.published SET seq = 1`,
    );

    const isUnready = (async (): Promise<boolean> => {
      while (a.graph.unready === undefined) await new Promise(setImmediate);
      return true;
    })();
    await put(b, 'other');
    expect(await isUnready).toBe(true);
    while (a.graph.durableVersion !== 2) await new Promise(setImmediate);

    expect([keysOf(a), keysOf(b)]).toEqual([
      ['a', 'other'],
      ['a', 'other'],
    ]);
    expect(cluster.logged).toContainEqual(expect.objectContaining({ event: 'store.copy_dropped', seq: 3 }));
    expect(cluster.logged).toContainEqual(
      expect.objectContaining({ event: 'store.history_lost', seq: 3, head: 1 }),
    );
    expect([a, b].map((node) => node.graph.epoch)).toEqual(await epochsOf(schema, 2));
    expect(a.graph.epoch).not.toBe(epoch);
  });

  it('is not read in part while a node reads it again', async () => {
    const schema = 'partly';
    const node = await cluster.open({ schema });
    for (const key of ['a', 'b']) await put(node, key);
    await told(node, 2);
    const [listing, held] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const list = Reflect.get(BaseTable.prototype, 'list') as (
      ...args: readonly unknown[]
    ) => ReturnType<BaseTable['list']>;
    jest.spyOn(BaseTable.prototype, 'list').mockImplementation(async function (this: BaseTable, connection) {
      listing.resolve(undefined);
      await held.promise;
      return Reflect.apply(list, this, [connection]);
    });
    await cluster.rows(
      `DELETE FROM ${schema}.batch WHERE seq > 1; DELETE FROM ${schema}.frame WHERE seq > 1;
       UPDATE ${schema}.head SET seq = 1; UPDATE ${schema}.published SET seq = 1`,
    );
    const written = put(node, 'other');
    await listing.promise;
    const read = node.store.get(Buffer.from('x')).catch(errorCodeOf);
    const scanned = node.store.scan(Buffer.from('x')).next().catch(errorCodeOf);
    const answers = await Promise.all([read, scanned]);
    held.resolve(undefined);
    await written;
    jest.restoreAllMocks();

    expect(answers).toEqual(['STORE_UNAVAILABLE', 'STORE_UNAVAILABLE']);
    expect(await node.store.get(Buffer.from('x'))).toBeUndefined();
    expect(keysOf(node)).toEqual(['a', 'other']);
  });

  it('has a new epoch once a node finds another batch under a number that it has', async () => {
    const schema = 'again';
    const [a, b] = [await cluster.open({ schema }), await cluster.open({ schema })];
    for (const key of ['a', 'b']) await put(a, key);
    await shown(b, 2);
    const { epoch } = a.graph;
    await cluster.rows(`UPDATE ${schema}.batch SET id = gen_random_uuid() WHERE seq = 2`);
    const locker = await cluster.connection();
    await locker.query('BEGIN');
    await locker.query(`LOCK TABLE ${schema}.frame`);
    await cluster.rows(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'node-%'`,
    );
    for (let isOld = true; isOld;) {
      await new Promise(setImmediate);
      const [current] = await epochsOf(schema, 1);
      isOld = current === epoch || [a, b].some((node) => node.graph.epoch !== current);
    }
    const reads = [a, b].flatMap(({ graph }) => [
      () => graph.snapshot(),
      () => graph.entity(entityId('host', 'a')),
      () => graph.stats(),
      () => graph.schema(),
      () => graph.lastSyncs(),
    ]);
    for (const read of reads) expect(read).toThrow(expect.objectContaining({ code: 'NOT_CAUGHT_UP' }));
    expect([a.graph.liveRecords, b.graph.liveRecords]).toEqual([undefined, undefined]);
    await locker.query('ROLLBACK');
    await locker.close();
    await Promise.all([shown(a, 2), shown(b, 2)]);

    expect([keysOf(a), keysOf(b)]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
    await put(b, 'c');
    await shown(a, 3);
    expect(keysOf(a)).toEqual(['a', 'b', 'c']);
  });

  it('shows commits of a node that ended before it could publish them', async () => {
    const schema = 'unpublished';
    const a = await cluster.open({ schema });
    await put(a, 'a');
    await told(a, 1);
    await cluster.rows(`UPDATE ${schema}.published SET seq = 0`);
    const b = await cluster.open({ schema });

    await shown(b, 1);

    expect(keysOf(b)).toEqual(['a']);
  });

  it('keeps its epoch when only an unconfirmed commit is lost', async () => {
    const schema = 'unconfirmed';
    const node = await cluster.open({ schema });
    await put(node, 'a');
    await told(node, 1);
    const store = await cluster.openStore({ schema, name: 'builds-on' });
    const does: string[] = [];
    const reload = async (): Promise<void> => void does.push('reads again');
    store.follow({ news: () => undefined, discard: () => undefined, reload });
    const takeOver = async (batches: readonly ForeignBatch[]): Promise<void> => {
      does.push(...batches.map(({ seq }) => `takes over ${String(seq)}`));
    };
    // Nobody can publish the next batch, and its node has gone.
    const [lost, other] = [await cluster.connection(), await cluster.connection()];
    await other.query(`BEGIN; UPDATE ${schema}.published SET seq = seq`);
    const table = new BatchTable(schema);
    await table.lockHead(lost, 1);
    const id = '00000000-0000-4000-8000-000000000000';
    const batch = store.batch();
    batch.put(Uint8Array.of(0x7f), Uint8Array.of(1));
    await table.appendAndCommit(lost, [{ seq: 2, id, atMs: 0, body: Buffer.from(batch.encoded()) }], 1);
    await lost.close();
    await store.admit(performance.now());
    await store.turn(takeOver, performance.now());
    const built = [store.seq, store.durableSeq];
    await cluster.rows(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'builds-on'`,
    );
    store.endTurn();
    const { epoch } = store;
    await other.query(`DELETE FROM ${schema}.frame WHERE seq = 2`);
    await other.query(`DELETE FROM ${schema}.batch WHERE seq = 2`);
    await other.query(`UPDATE ${schema}.head SET seq = 1`);
    await other.query('COMMIT');
    await other.close();
    while (store.seq > 1) await store.catchUp(takeOver);
    await put(node, 'b');
    await store.close();

    expect(built).toEqual([2, 1]);
    expect(does.slice(0, 3)).toEqual(['takes over 2', 'reads again', 'takes over 1']);
    expect([store.epoch, node.graph.epoch]).toEqual([epoch, epoch]);
    expect(keysOf(node)).toEqual(['a', 'b']);
  });

  it('is not published beyond its end by a node whose last batch is lost', async () => {
    const schema = 'late_word';
    const node = await cluster.open({ schema });
    for (const key of ['a', 'b']) await put(node, key);
    await told(node, 2);
    await cluster.close(node);
    await cluster.rows(`UPDATE ${schema}.published SET seq = 1`);
    const connection = await cluster.connection();
    const table = new BatchTable(schema);
    const { id } = await table.head(connection, 2);
    assert(id !== undefined, 'expected the batch');
    const published: number[] = [];
    for (const name of [
      { seq: 2, id: randomUUID() },
      { seq: 3, id },
      { seq: 2, id },
    ])
      for (const channel of [undefined, 'plexus_late']) {
        await table.publish(connection, name, channel);
        published.push((await table.head(connection, 0)).published);
      }
    await connection.close();

    expect(published).toEqual([1, 1, 1, 1, 2, 2]);
  });

  it('ends with its last batch, whatever was published before that was lost', async () => {
    const schema = 'beyond';
    const node = await cluster.open({ schema });
    for (const key of ['a', 'b']) await put(node, key);
    await told(node, 2);
    await cluster.rows(
      `DELETE FROM ${schema}.batch WHERE seq > 1; DELETE FROM ${schema}.frame WHERE seq > 1;
       UPDATE ${schema}.head SET seq = 1; UPDATE ${schema}.published SET seq = 3`,
    );
    await cluster.rows(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE '${node.name} watch'`,
    );
    while (node.graph.durableVersion !== 1) await pause(5);

    expect(keysOf(node)).toEqual(['a']);
  });

  it('shows nothing of an earlier copy that may be unconfirmed', async () => {
    const schema = 'leftover';
    const node = await cluster.open({ schema });
    for (const key of ['a', 'b']) await put(node, key);
    await cluster.close(node);
    await cluster.rows(`UPDATE ${schema}.published SET seq = 1`);
    const other = await cluster.connection();
    await other.query(`BEGIN; SELECT 1 FROM ${schema}.published FOR UPDATE`);
    const store = await cluster.openStore({ schema, name: node.name });
    const shownFirst = store.seq;
    await other.query('COMMIT');
    await other.close();
    while (store.seq < 2) await store.catchUp(() => Promise.resolve());
    await store.close();

    expect(shownFirst).toBe(1);
  });

  it('stops at an unreadable batch: reads continue, writes fail with the reason', async () => {
    const schema = 'corrupt';
    const [a, b] = [await cluster.open({ schema }), await cluster.open({ schema })];
    await put(a, 'a');
    await shown(b, 1);
    await cluster.close(b);
    await put(a, 'b');
    await cluster.rows(`UPDATE ${schema}.frame SET body = 'nonsense' WHERE seq = 2`);

    await expect(cluster.open({ name: b.name, schema })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('batch 2 of the shared log is damaged') as unknown,
    });
    expect(await put(a, 'c')).toMatchObject({ entities_written: 1 });
  });
});
