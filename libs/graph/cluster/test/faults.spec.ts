import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { inspect } from 'node:util';
import { entityId } from '#graph/model';
import { entity } from '#graph/testing';
import { type Clock, pause, systemClock } from '#platform/foundation';
import { CrashDisk, freePort } from '#testing';
import { Cluster, type ClusterNode, shown } from './cluster-harness.ts';
import { breakOff, standbyIsBack, standbyIsMissing, waiting } from './missing-standby.ts';
import { recordsOf } from '#graph/engine';

const PASSWORD = 'right-Passw0rd';
const WRONG = 'wrong-Passw0rd';
const HOUR_MS = 3_600_000;

describe('a store over an unsuitable database', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.start();
  });
  afterAll(() => cluster.stop());

  const put = ({ graph }: ClusterNode, key: string): Promise<unknown> =>
    graph.write({ entities: [entity('host', 'Host', key)], relationships: [] });
  /** A user with the right to create schemas, unless stated otherwise. */
  const role = async (
    user: string,
    more: readonly string[] = [`GRANT CREATE ON DATABASE postgres TO ${user}`],
  ) => {
    await cluster.rows(`CREATE ROLE ${user} LOGIN PASSWORD '${PASSWORD}'`);
    for (const statement of more) await cluster.rows(statement);
    return { user, password: PASSWORD, schema: user };
  };
  const tablesOf = async (schema: string): Promise<number> => {
    const found = await cluster.rows(`SELECT 1 FROM pg_tables WHERE schemaname = '${schema}'`);
    return found.length;
  };

  it('rejects a newer format and changes nothing', async () => {
    const node = await cluster.open({ schema: 'newer' });
    await put(node, 'a');
    await cluster.close(node);
    await cluster.rows('UPDATE newer.head SET format = 2');

    await expect(cluster.open({ schema: 'newer' })).rejects.toMatchObject({
      code: 'STORE_TOO_NEW',
      details: { found: 2, known: 1 },
    });
    expect(await cluster.rows('SELECT seq, format FROM newer.head')).toEqual([{ seq: '1', format: 2 }]);
  });

  it('extends the tables of an earlier version, which has no branches, if the user may', async () => {
    const options = await role('earlier');
    const first = await cluster.open(options);
    await put(first, 'a');
    await cluster.close(first);
    await cluster.rows('ALTER TABLE earlier.head DROP COLUMN branch, DROP COLUMN place');
    await cluster.rows('DROP TABLE earlier.branch');
    await role('another', [
      'GRANT USAGE ON SCHEMA earlier TO another',
      'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA earlier TO another',
    ]);

    await expect(cluster.open({ ...options, user: 'another' })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining(
        'earlier version and cannot be extended: permission denied',
      ) as unknown,
    });
    const again = await cluster.open(options);
    await put(again, 'b');

    expect(recordsOf(again.graph).entities.map(({ key }) => key)).toEqual(['a', 'b']);
    expect(again.graph.epoch).toBe(first.graph.epoch);
  });

  it('rejects writes, and continues to read, once a running node finds a newer format', async () => {
    const node = await cluster.open({ schema: 'upgraded' });
    const healthIs = async (status: string): Promise<string | undefined> => {
      for (;;) {
        const health = node.graph.health();
        if (health.status === status) return health.reason;
        await pause(5);
      }
    };
    await put(node, 'a');
    await cluster.rows('UPDATE upgraded.head SET format = 2');
    const fault: unknown = await put(node, 'b').catch((error: unknown) => error);
    const reason = await healthIs('degraded');
    const found = recordsOf(node.graph).entities.map(({ key }) => key);
    const stored = await cluster.rows('SELECT seq FROM upgraded.head');
    await cluster.rows('UPDATE upgraded.head SET format = 1');
    await healthIs('healthy');

    expect(fault).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('the store has format 2, expected 1') as unknown,
    });
    expect(reason).toContain('the store has format 2, expected 1');
    expect(found).toEqual(['a']);
    expect(stored).toEqual([{ seq: '1' }]);
    expect(await put(node, 'c')).toMatchObject({ entities_written: 1 });
  });

  it.each<[string, readonly string[], string]>([
    ['may not make a schema', [], 'permission denied for database postgres (42501)'],
    ['may not look into the schema', ['CREATE SCHEMA $'], 'permission denied for schema $ (42501)'],
    [
      'may not make tables in it',
      ['CREATE SCHEMA $', 'GRANT USAGE ON SCHEMA $ TO $'],
      'permission denied for schema $ (42501)',
    ],
  ])('is refused where the user %s', async (name, statements, reason) => {
    const user = `u${String(name.length)}`;
    const filled = (text: string): string => text.replaceAll('$', user);
    const options = await role(user, statements.map(filled));

    await expect(cluster.open(options)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining(filled(reason)) as unknown,
    });
    expect(await tablesOf(user)).toBe(0);
  });

  it('rejects a user that may read the tables but not write them', async () => {
    const node = await cluster.open({ schema: 'readable' });
    await put(node, 'a');
    await role('reader', ['GRANT USAGE ON SCHEMA readable TO reader']);
    await cluster.rows('GRANT SELECT ON ALL TABLES IN SCHEMA readable TO reader');

    await expect(
      cluster.open({ schema: 'readable', user: 'reader', password: PASSWORD }),
    ).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('no right to write in the schema readable') as unknown,
    });
    expect(await put(node, 'b')).toMatchObject({ entities_written: 1 });
  });

  it('accepts a user that owns a schema but may not create one', async () => {
    const options = await role('given', ['CREATE SCHEMA given AUTHORIZATION given']);
    const node = await cluster.open(options);

    expect(await put(node, 'a')).toMatchObject({ entities_written: 1 });
  });

  it('accepts a schema named like a reserved word of SQL', async () => {
    const node = await cluster.open({ schema: 'select' });

    expect(await put(node, 'a')).toMatchObject({ entities_written: 1 });
  });

  it('rejects a read-only database', async () => {
    const options = await role('standby');
    await cluster.rows('ALTER ROLE standby SET default_transaction_read_only = on');

    await expect(cluster.open(options)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(/cannot be reached: 127\.0\.0\.1:\d+: takes no writes$/) as unknown,
    });
    expect(await tablesOf('standby')).toBe(0);
  });

  it('rejects settings under which acknowledged commits may be lost', async () => {
    const options = await role('hasty');
    await cluster.rows('ALTER ROLE hasty SET synchronous_commit = off');

    await expect(cluster.open(options)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('synchronous_commit is off') as unknown,
    });
    expect(await tablesOf('hasty')).toBe(0);
  });

  it('warns of settings under which a crash of the database machine loses writes', async () => {
    const events = (): unknown[] => cluster.logged.map((fields) => (fields as { event?: unknown }).event);

    await cluster.close(await cluster.open(await role('risky')));

    // Servers of tests run without standby and without fsync.
    expect(events()).toEqual(expect.arrayContaining(['store.no_standby', 'store.no_fsync']));
  });

  it('reports a wrong password without showing it', async () => {
    const options = await role('locked');
    const fault: unknown = await cluster
      .open({ ...options, password: WRONG })
      .catch((error: unknown) => error);

    expect(fault).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('password authentication failed') as unknown,
    });
    expect(said(fault, cluster.logged)).not.toContain(WRONG);
  });

  it('names the address when nothing listens there', async () => {
    const port = await freePort();

    await expect(cluster.open({ port })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(`127.0.0.1:${String(port)}: .*ECONNREFUSED`) as unknown,
    });
  });

  it('keeps reading on a full disk; writes fail with the reason and succeed once there is room', async () => {
    const schema = 'space';
    const [a, b] = [await cluster.open({ schema }), await cluster.open({ schema })];
    await put(a, 'a');
    await cluster.rows(
      `CREATE FUNCTION ${schema}.refuse() RETURNS trigger LANGUAGE plpgsql
       AS $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`,
    );
    await cluster.rows(
      `CREATE TRIGGER refuse BEFORE INSERT ON ${schema}.batch EXECUTE FUNCTION ${schema}.refuse()`,
    );

    for (const node of [a, b])
      await expect(put(node, 'refused')).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: expect.stringContaining('No space left on device (53100)') as unknown,
      });
    const found = [a, b].map(({ graph }) => recordsOf(graph).entities.map(({ key }) => key));
    const health = [a, b].map(({ graph }) => graph.health());
    await cluster.rows(`DROP TRIGGER refuse ON ${schema}.batch`);
    await expect(a.graph.deleteEntity(entityId('host', 'refused'))).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await put(b, 'b');
    await shown(a, 2);

    const reason = 'the store takes no writes: could not extend file: No space left on device (53100)';
    expect(health).toEqual([
      { status: 'degraded', reason },
      { status: 'degraded', reason },
    ]);
    expect([a, b].map(({ graph }) => graph.health())).toEqual([{ status: 'healthy' }, { status: 'healthy' }]);
    expect(found).toEqual([['a'], ['a']]);
    expect(recordsOf(a.graph).entities.map(({ key }) => key)).toEqual(['a', 'b']);
    expect(await cluster.rows(`SELECT count(*)::int AS frames FROM ${schema}.frame`)).toEqual([
      { frames: 2 },
    ]);
  });

  it('warns at the start of a clock that differs from that of the database', async () => {
    const now = Date.now.bind(Date);
    const hourAhead = jest.spyOn(Date, 'now').mockImplementation(() => now() + HOUR_MS);
    await cluster.open({ schema: 'hour_ahead' });
    hourAhead.mockRestore();
    const warned = cluster.logged.find((fields) => 'event' in fields && fields.event === 'store.clock');
    cluster.logged.length = 0;
    await cluster.open({ schema: 'in_time' });

    const { ahead_seconds: aheadSeconds } = { ahead_seconds: NaN, ...warned };
    expect(aheadSeconds).toBeGreaterThan(HOUR_MS / 2_000);
    expect(cluster.logged).not.toContainEqual(expect.objectContaining({ event: 'store.clock' }));
  });

  it('leaves the lead to another node when the disk of the copy fails', async () => {
    const schema = 'poisoned';
    const disk = new CrashDisk(1);
    const failing = await cluster.open({ schema, disk });
    while (!failing.graph.leadership.isLeader) await pause(5);
    const other = await cluster.open({ schema });
    await put(failing, 'a');
    while (failing.store.stats().syncs === 0) await pause(5);
    disk.plan({ failAt: { call: 1, code: 'ENOSPC' } });
    await put(failing, 'b').catch(() => undefined);
    await shown(other, 2);
    while (!other.graph.leadership.isLeader) await pause(5);

    expect(failing.graph.health()).toMatchObject({ status: 'unhealthy' });
    expect(failing.graph.leadership.isLeader).toBe(false);
    await expect(failing.graph.documents.exclusively(() => Promise.resolve())).rejects.toMatchObject({
      code: 'NO_DISK_SPACE',
    });
    expect(await put(other, 'c')).toMatchObject({ entities_written: 1 });
    expect(recordsOf(other.graph).entities.map(({ key }) => key)).toEqual(['a', 'b', 'c']);
  });

  it('keeps batch times monotonic over nodes with different clocks', async () => {
    const schema = 'clocks';
    const clockAt = (offsetMs: number): Clock => ({
      nowMs: () => systemClock.nowMs() + offsetMs,
      monotonicMs: () => systemClock.monotonicMs(),
    });
    const fast = await cluster.open({ schema, clock: clockAt(HOUR_MS) });
    const running = await cluster.open({ schema, clock: clockAt(-HOUR_MS) });
    await put(fast, 'web');
    await put(running, 'web');
    await cluster.close(fast);
    const late = await cluster.open({ schema, clock: systemClock });
    await put(late, 'web');
    await put(running, 'other');
    await shown(late, 4);
    const rows = await cluster.rows(`SELECT at FROM ${schema}.batch ORDER BY seq`);
    const times = rows.map(({ at }) => Number(at));

    expect(times).toHaveLength(4);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(Date.parse(late.graph.entity(entityId('host', 'other')).created_at)).toBeGreaterThanOrEqual(
      times[2] ?? NaN,
    );
  });

  it('is degraded while a COMMIT takes too long, answers its writers, and keeps the write', async () => {
    const node = await cluster.open({ schema: 'slow' });
    await put(node, 'a');
    await standbyIsMissing(cluster);
    const fault: unknown = await put(node, 'b').catch((error: unknown) => error);
    const found = recordsOf(node.graph).entities.map(({ key }) => key);
    // The time of the writer and that of its COMMIT end at once.
    while (node.graph.health().reason?.includes('the outcome of the write is not known yet') !== true)
      await pause(5);
    const { status } = node.graph.health();
    await standbyIsBack(cluster);
    await shown(node, 2);
    while (node.graph.health().status !== 'healthy') await pause(5);

    expect(fault).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('the outcome of the write is not known yet') as unknown,
    });
    expect(status).toBe('degraded');
    expect(found).toEqual(['a']);
    expect(recordsOf(node.graph).entities.map(({ key }) => key)).toEqual(['a', 'b']);
  });

  it('acknowledges no commit whose wait for the standby was cancelled before it is confirmed', async () => {
    const node = await cluster.open({ schema: 'cancelled' });
    await put(node, 'a');
    await standbyIsMissing(cluster);
    let isAcknowledged = false;
    const write = put(node, 'b').then(
      () => (isAcknowledged = true),
      () => undefined,
    );
    const pid = await waiting(cluster, `application_name = '${node.name}'`);
    // PostgreSQL warns, and the statement succeeds.
    await cluster.rows(`SELECT pg_cancel_backend(${String(pid)})`);
    // The outcome is confirmed on another connection, also after the time of the writer.
    await waiting(cluster, `application_name LIKE '${node.name}%' AND pid <> ${String(pid)}`);
    const before = { isAcknowledged, shown: node.graph.durableVersion };
    await standbyIsBack(cluster);
    await write;
    await shown(node, 2);

    expect(before).toEqual({ isAcknowledged: false, shown: 1 });
    expect(recordsOf(node.graph).entities.map(({ key }) => key)).toEqual(['a', 'b']);
  });

  it('lets other nodes build upon a commit that waits for a standby, and confirms both', async () => {
    const [a, b] = [await cluster.open({ schema: 'upon' }), await cluster.open({ schema: 'upon' })];
    await put(a, 'a');
    await shown(b, 1);
    await standbyIsMissing(cluster);
    const answered: string[] = [];
    const writes = [a, b].map((node) =>
      put(node, `of ${node.name}`).then(
        () => answered.push(node.name),
        () => undefined,
      ),
    );
    for (const { name } of [a, b]) await waiting(cluster, `application_name = '${name}'`);
    const before = [...answered, ...[a, b].map(({ graph }) => graph.durableVersion)];
    const head = await cluster.rows('SELECT seq FROM upon.head');
    await standbyIsBack(cluster);
    await Promise.all(writes);
    await Promise.all([a, b].map((node) => shown(node, 3)));

    expect(before).toEqual([1, 1]);
    expect(head).toEqual([{ seq: '3' }]);
    expect(recordsOf(a.graph)).toEqual(recordsOf(b.graph));
  });

  it('begins no other write while the database confirms none, and says so', async () => {
    const node = await cluster.open({ schema: 'unconfirmed' });
    await put(node, 'a');
    await standbyIsMissing(cluster);
    const refused = ['b', 'c'].map((key) => put(node, key).catch((error: unknown) => error));
    const faults = [
      await refused[0],
      await refused[1],
      await put(node, 'd').catch((error: unknown) => error),
    ];
    const head = await cluster.rows('SELECT seq FROM unconfirmed.head');
    const backends = await cluster.rows(
      `SELECT 1 FROM pg_stat_activity WHERE application_name LIKE '${node.name}%'`,
    );
    await standbyIsBack(cluster);
    await shown(node, 3);
    await put(node, 'e');

    const unknown = expect.stringContaining('the outcome of the write is not known yet') as unknown;
    expect(faults).toMatchObject([
      { code: 'STORE_UNAVAILABLE', message: unknown },
      { code: 'STORE_UNAVAILABLE', message: unknown },
      {
        code: 'STORE_UNAVAILABLE',
        message: expect.stringContaining('an earlier write of this node is not confirmed yet') as unknown,
      },
    ]);
    expect(head).toEqual([{ seq: '3' }]);
    expect(backends.length).toBeLessThanOrEqual(4);
    expect(recordsOf(node.graph).entities.map(({ key }) => key)).toEqual(['a', 'b', 'c', 'e']);
  });

  it('shows no commit that the synchronous standby lacks, also after cancelled commits', async () => {
    const [a, b] = [await cluster.open({ schema: 'lonely' }), await cluster.open({ schema: 'lonely' })];
    await put(a, 'a');
    await shown(b, 1);
    await standbyIsMissing(cluster);
    const request = { writeId: 'K', entities: [entity('host', 'Host', 'b')], relationships: [] };
    const unkept = a.graph.write(request);
    await waiting(cluster, `application_name = '${a.name}'`);
    // The commit is local, waits for the standby, and its wait is cancelled.
    await breakOff(cluster);
    const refused = [put(b, 'c'), b.graph.write(request)];

    for (const each of refused) await expect(each).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect([a, b].map(({ graph }) => graph.durableVersion)).toEqual([1, 1]);
    await standbyIsBack(cluster);
    await unkept.catch(() => undefined);
    await put(b, 'd');
    await shown(a, b.graph.durableVersion);

    expect(recordsOf(a.graph)).toEqual(recordsOf(b.graph));
    expect(recordsOf(a.graph).entities.map(({ key }) => key)).toEqual(
      expect.arrayContaining(['a', 'b', 'd']),
    );
  });
});

/** Every message of the error, causes included. */
function said(fault: unknown, logged: readonly object[]): string {
  return inspect([fault, logged], { depth: null });
}
