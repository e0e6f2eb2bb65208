import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { recordsOf } from '#graph/engine';
import { entity } from '#graph/testing';
import { BatchTable, TurnLost } from '../src/batch-table.ts';
import { Pipeline } from '../src/pipeline.ts';
import { Cluster, type ClusterNode, shown } from './cluster-harness.ts';

/** Text of a batch that is too large to be sent with its COMMIT. */
const LARGE = 'x'.repeat(100_000);

/** Batches in a log; each is a row in two tables. */
const LONG = 20_000;

/** The rows that the scans of a plan have read. */
function rowsRead(plan: unknown): number {
  if (Array.isArray(plan)) return plan.reduce<number>((sum, each) => sum + rowsRead(each), 0);
  if (typeof plan !== 'object' || plan === null) return 0;
  const node = plan as Readonly<Record<string, unknown>>;
  const read = ['Actual Rows', 'Rows Removed by Filter'].map((key) => Number(node[key] ?? 0));
  const own = 'Relation Name' in node ? read.reduce((sum, each) => sum + each) : 0;
  return own + rowsRead(node['Plan']) + rowsRead(node['Plans']);
}

/** What the statements do, without those that begin a transaction or change a setting. */
const KINDS: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/FOR UPDATE$/, 'lock'],
  [/^SELECT h\.seq/, 'head'],
  [/\.frame WHERE/, 'news'],
  [/raised AS \(\s*UPDATE \S+head/, 'append'],
  [/^COMMIT$/, 'COMMIT'],
  [/FOR KEY SHARE$/, 'confirm'],
  [/^(?:BEGIN|SET LOCAL) /, ''],
];

describe('a write', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.start();
  });
  afterAll(() => cluster.stop());

  const put = ({ graph }: ClusterNode, key: string, text = '') =>
    graph.write({ entities: [entity('host', 'Host', key, { text })], relationships: [] });

  /** Calls `sent` with the statements of each message on the connection for writes, and with its answer. */
  async function watched(
    { name }: ClusterNode,
    sent: (texts: readonly string[], answer: Promise<unknown>) => void,
    work: () => Promise<unknown>,
  ): Promise<void> {
    const send = Reflect.get(pg.Client.prototype, 'query') as (...args: readonly unknown[]) => unknown;
    Reflect.set(pg.Client.prototype, 'query', function (this: pg.Client, ...args: readonly unknown[]) {
      const answer: unknown = Reflect.apply(send, this, args);
      const settings: unknown = Reflect.get(this, 'connectionParameters');
      if (Reflect.get(Object(settings) as object, 'application_name') !== name) return answer;
      const [query] = args;
      if (query instanceof Pipeline) {
        const texts = query.statements.map(({ text }) => text);
        sent(texts, query.answer);
      } else sent([String(Reflect.get(Object(query) as object, 'text'))], Promise.resolve(answer));
      return answer;
    });
    await work();
    Reflect.set(pg.Client.prototype, 'query', send);
  }

  /** Each with its statements: those that are sent without waiting for the answer to the ones before. */
  async function roundTrips(node: ClusterNode, work: () => Promise<unknown>): Promise<readonly string[]> {
    const trips: string[][] = [];
    let unanswered = 0;
    const answered = (): void => {
      unanswered--;
    };
    const sent = (texts: readonly string[], answer: Promise<unknown>): void => {
      // A turn that lasts long is kept alive.
      if (texts[0] === 'SELECT 1') return;
      const kinds = texts
        .map((text) => KINDS.find(([pattern]) => pattern.test(text))?.[1] ?? text)
        .filter((kind) => kind !== '');
      if (unanswered++ > 0) trips.at(-1)?.push(...kinds);
      else trips.push(kinds);
      answer.then(answered, answered);
    };
    await watched(node, sent, work);
    return trips.map((kinds) => kinds.join(', '));
  }

  it('takes two round trips, also after a write of another node, and a large one three', async () => {
    const [a, b] = [await cluster.open(), await cluster.open()];
    await put(a, 'first');
    const alone = await roundTrips(a, () => put(a, 'alone'));
    await shown(b, 2);
    jest.spyOn(b.store, 'catchUp').mockResolvedValue(undefined);
    for (let at = 0; at < 5; at++) await put(a, `of a ${String(at)}`);
    const after = await roundTrips(b, () => put(b, 'after'));
    jest.restoreAllMocks();
    await shown(a, 8);
    const large = await roundTrips(a, () => put(a, 'large', LARGE));
    await shown(b, 9);

    expect(alone).toEqual(['lock, news, head', 'append, COMMIT, confirm']);
    expect(after).toEqual(['lock, news, head', 'append, COMMIT, confirm']);
    expect(large).toEqual(['lock, news, head', 'append', 'COMMIT, confirm']);
    expect(recordsOf(b.graph)).toEqual(recordsOf(a.graph));
  });

  it('reads nothing of the log before its own copy under the row lock, however long it becomes', async () => {
    const schema = 'long';
    const [a, b] = [await cluster.open({ schema }), await cluster.open({ schema })];
    await put(a, 'of a');
    const texts: string[] = [];
    await watched(
      b,
      (sent) => void texts.push(...sent),
      () => put(b, 'of b'),
    );
    await put(a, 'more of a');
    await Promise.all([a, b].map((node) => cluster.close(node)));
    const at = texts.findIndex((text) => text.includes('.frame WHERE'));
    const [news = '', setting = '', head = ''] = texts.slice(at);
    const explain = 'EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE news (1, 257)';
    const plans = await cluster.server.session('postgres', async (run) => {
      // As the server does after some executions.
      await run('SET plan_cache_mode = force_generic_plan');
      await run(`PREPARE news (int8, int8) AS ${news}`);
      for (const text of texts.slice(0, at)) await run(text);
      const [short] = await run(explain);
      await run(setting);
      await run(`PREPARE head (int8) AS ${head}`);
      const [ofHead] = await run('EXPLAIN (FORMAT JSON) EXECUTE head (1)');
      await run('COMMIT');
      await cluster.rows(`INSERT INTO long.batch SELECT seq, gen_random_uuid(), 0, 1, 0, 1
        FROM generate_series(${String(-LONG)}, 0) seq`);
      await cluster.rows(
        `INSERT INTO long.frame SELECT seq, 0, '' FROM generate_series(${String(-LONG)}, 0) seq`,
      );
      return [short, (await run(explain))[0], ofHead];
    });
    const counts = plans.map((row) => rowsRead(row?.['QUERY PLAN']));

    expect(news).toContain('long".frame');
    expect(counts[0]).toBeGreaterThan(0);
    expect(counts[1]).toBe(counts[0]);
    // The cost of a scan that is disabled makes earlier versions of PostgreSQL compile the statement.
    expect(JSON.stringify(plans)).not.toContain('"Disabled":true');
  });

  it('reads what comes not with the lock, because it is large, and takes effect after it', async () => {
    const [a, b] = [await cluster.open({ schema: 'much' }), await cluster.open({ schema: 'much' })];
    jest.spyOn(b.store, 'catchUp').mockResolvedValue(undefined);
    for (let at = 0; at < 5; at++) await put(a, `of a ${String(at)}`, LARGE);
    await put(b, 'of a 4');
    jest.restoreAllMocks();
    await shown(a, 6);

    expect(recordsOf(b.graph)).toEqual(recordsOf(a.graph));
    expect(recordsOf(a.graph).entities).toHaveLength(5);
  });

  it.each(['small', 'large'])('of a turn that was lost without notice appends nothing: %s', async (size) => {
    const schema = `lost_${size}`;
    const node = await cluster.open({ schema });
    await put(node, 'a');
    await put(node, 'b');
    const connection = await cluster.connection();
    const table = new BatchTable(schema);
    const body = Buffer.from(size === 'small' ? 'x' : LARGE);
    const batch = { seq: 2, id: '00000000-0000-4000-8000-000000000000', atMs: 0, body };
    const append =
      size === 'small' ? table.appendAndCommit(connection, [batch], 1) : table.append(connection, [batch], 1);

    await expect(append).rejects.toBeInstanceOf(TurnLost);
    expect(await cluster.rows(`SELECT seq FROM ${schema}.head`)).toEqual([{ seq: '2' }]);
    expect(await cluster.rows(`SELECT count(*)::int AS batches FROM ${schema}.batch`)).toEqual([
      { batches: 2 },
    ]);
    await connection.close();
  });

  it('goes on over a database that keeps no prepared statements, as behind a pooler', async () => {
    const schema = 'forgetful';
    const [a, b] = [await cluster.open({ schema }), await cluster.open({ schema })];
    await cluster.rows(`CREATE FUNCTION ${schema}.forget() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN DEALLOCATE ALL; RETURN NULL; END $$`);
    await cluster.rows(`CREATE TRIGGER forget AFTER UPDATE ON ${schema}.head
      EXECUTE FUNCTION ${schema}.forget()`);
    const keys = Array.from({ length: 12 }, (_, at) => `host ${String(at)}`);
    await Promise.all(keys.map((key, at) => put(at % 2 === 0 ? a : b, key)));
    for (const node of [a, b, a, b]) await put(node, 'last');
    const noted = cluster.logged.filter((fields) => Reflect.get(fields, 'event') === 'store.not_prepared');
    const trips = await roundTrips(a, () => put(a, 'after'));
    await shown(b, 17);

    expect(
      recordsOf(b.graph)
        .entities.map(({ key }) => key)
        .sort(),
    ).toEqual([...keys, 'after', 'last'].sort());
    expect(recordsOf(a.graph)).toEqual(recordsOf(b.graph));
    expect(await cluster.rows(`SELECT seq FROM ${schema}.head`)).toEqual([{ seq: '17' }]);
    expect(noted).toHaveLength(2);
    expect(trips).toEqual(['lock, news, head', 'append, COMMIT, confirm']);
  });
});
