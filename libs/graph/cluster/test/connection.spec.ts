import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CuttingRelay } from '#graph/testing';
import { Connection, Unconfirmed, Unreachable } from '../src/connection.ts';
import { parseStoreAddress } from '../src/index.ts';
import { failureOf } from '../src/sql-error.ts';
import { Cluster } from './cluster-harness.ts';

describe('Connection', () => {
  let cluster: Cluster;
  let relay: CuttingRelay;

  beforeAll(async () => {
    cluster = await Cluster.start();
    relay = await CuttingRelay.start(cluster.server.port);
  });
  afterAll(async () => {
    await cluster.stop();
    await relay.stop();
  });

  const open = (isAway: () => boolean, silenceMs = 300): Promise<Connection> =>
    cluster.connection(relay.port, { silenceMs, isAway });

  it('is lost when a query gets no answer, and reports it', async () => {
    const connection = await open(() => false);
    relay.stall();
    const fault: unknown = await connection.query('SELECT 1').catch((error: unknown) => error);
    relay.resume();

    expect(fault).toMatchObject({ message: 'no answer for 300 ms' });
    expect(connection.isLost).toBe(true);
  });

  it('names a file of the address that cannot be read, for each host', async () => {
    const address = parseStoreAddress('postgres://plexus@db-a,db-b/graph?sslrootcert=/missing/ca.pem');

    const fault: unknown = await Connection.open(address, 'test').catch((error: unknown) => error);

    expect(fault).toBeInstanceOf(Unreachable);
    expect(fault).toMatchObject({
      message: 'db-a:5432: ENOENT /missing/ca.pem; db-b:5432: ENOENT /missing/ca.pem',
      isFinal: false,
    });
  });

  it('tells a transaction that was rolled back from a commit that was not confirmed', async () => {
    const connection = await open(() => false, 60_000);
    await connection.query('CREATE TABLE committed (n int)');
    const ends: unknown[] = [];
    for (const [text, confirmation] of [
      ['INSERT INTO committed VALUES (1/0)', 'SELECT 1'],
      ['INSERT INTO committed VALUES (1)', 'SELECT 1/0'],
      ['INSERT INTO committed VALUES (2) RETURNING n', 'SELECT 1'],
    ] as const) {
      await connection.query('BEGIN');
      ends.push(await connection.commit([{ text }], { text: confirmation }).catch((error: unknown) => error));
      await connection.query('ROLLBACK');
    }

    expect(ends).toEqual([expect.objectContaining({ code: '22012' }), expect.any(Unconfirmed), [{ n: 2 }]]);
    expect(failureOf(ends[1])).toBe('away');
    expect(await connection.query('SELECT n FROM committed')).toEqual([{ n: 1 }, { n: 2 }]);
    await connection.close();
  });

  it('waits for a lock as long as the database gives other answers', async () => {
    let isAway = false;
    let patientMs = Infinity;
    const hasWaited = Promise.withResolvers<undefined>();
    const looks = (): boolean => {
      if (performance.now() > patientMs) hasWaited.resolve(undefined);
      return isAway;
    };
    const [holder, waiter] = [await open(() => false, 60_000), await open(looks)];
    await holder.query('CREATE TABLE locked (n int)');
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE locked');
    const events: string[] = [];
    const waiting = waiter.wait('SELECT FROM locked').catch((error: unknown) => {
      events.push('aborted');
      return error;
    });
    patientMs = performance.now() + 600;
    await hasWaited.promise;
    events.push('away');
    isAway = true;

    expect(await waiting).toMatchObject({ message: 'no answer for 300 ms' });
    expect(events).toEqual(['away', 'aborted']);
    await holder.close();
  });
});
