import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { recordsOf } from '#graph/engine';
import { entity } from '#graph/testing';
import { BatchTable, TurnLost } from '../src/batch-table.ts';
import { Cluster, type ClusterNode, shown } from './cluster-harness.ts';

/** Text of a batch that is too large to be sent with its COMMIT. */
const LARGE = 'x'.repeat(100_000);

/** What each message does. */
const KINDS: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/FOR UPDATE/, 'lock'],
  [/raised AS \(\s*UPDATE \S+head/, 'append'],
  [/^COMMIT$/, 'COMMIT'],
  [/UPDATE \S+published SET seq = \$1/, 'publish'],
];

describe('a write', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.start();
  });
  afterAll(() => cluster.stop());

  const put = ({ graph }: ClusterNode, key: string, text = '') =>
    graph.write({ entities: [entity('host', 'Host', key, { text })], relationships: [] });

  /**
   * The round trips on the connection for writes of a node, each with its messages: those that are sent
   * without waiting for the answer to the one before.
   */
  async function roundTrips({ name }: ClusterNode, work: () => Promise<unknown>): Promise<readonly string[]> {
    const trips: string[][] = [];
    let unanswered = 0;
    const answered = (): void => {
      unanswered--;
    };
    const sent = (client: pg.Client, text: string, answer: unknown): void => {
      const settings: unknown = Reflect.get(client, 'connectionParameters');
      const isOfNode = Reflect.get(Object(settings) as object, 'application_name') === name;
      // A turn that lasts long is kept alive.
      if (!isOfNode || text === 'SELECT 1') return;
      const kind = KINDS.find(([pattern]) => pattern.test(text))?.[1] ?? text;
      if (unanswered++ > 0) trips.at(-1)?.push(kind);
      else trips.push([kind]);
      Promise.resolve(answer).then(answered, answered);
    };
    const send = Reflect.get(pg.Client.prototype, 'query') as (...args: readonly unknown[]) => unknown;
    Reflect.set(pg.Client.prototype, 'query', function (this: pg.Client, ...args: readonly unknown[]) {
      const answer: unknown = Reflect.apply(send, this, args);
      sent(this, String(Reflect.get(Object(args[0]) as object, 'text')), answer);
      return answer;
    });
    await work();
    Reflect.set(pg.Client.prototype, 'query', send);
    return trips.map((kinds) => kinds.join(', '));
  }

  it('takes three round trips, also after a write of another node, and a large one four', async () => {
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

    expect(alone).toEqual(['lock', 'append, COMMIT', 'publish']);
    expect(after).toEqual(['lock', 'append, COMMIT', 'publish']);
    expect(large).toEqual(['lock', 'append', 'COMMIT', 'publish']);
    expect(recordsOf(b.graph)).toEqual(recordsOf(a.graph));
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
      size === 'small' ? table.commit(connection, [batch], 1) : table.append(connection, [batch], 1);

    await expect(append).rejects.toBeInstanceOf(TurnLost);
    expect(await cluster.rows(`SELECT seq FROM ${schema}.head`)).toEqual([{ seq: '2' }]);
    expect(await cluster.rows(`SELECT count(*)::int AS batches FROM ${schema}.batch`)).toEqual([
      { batches: 2 },
    ]);
    await connection.close();
  });
});
