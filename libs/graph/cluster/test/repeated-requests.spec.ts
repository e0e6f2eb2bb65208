import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { entityId } from '#graph/model';
import { SavedQueries, parseSavedQuery } from '#graph/query';
import { entity } from '#graph/testing';
import { pause, systemClock } from '#platform/foundation';
import { repeatedReplies } from '../src/check/repeated-replies.ts';
import { holdCommits } from '../src/database.ts';
import { Cluster, type ClusterNode, shown } from './cluster-harness.ts';

/** The value of one host, in a write, a sync, or the batch of a session. */
const stating = (value: string) => ({
  entities: [entity('host', 'Host', 'web', { value })],
  relationships: [],
});
const UNKNOWN = {
  code: 'STORE_UNAVAILABLE',
  message: expect.stringContaining('the outcome of the write is not known yet') as unknown,
};

describe('requests that are repeated while a COMMIT hangs', () => {
  let cluster: Cluster;
  let a: ClusterNode;
  let b: ClusterNode;

  beforeAll(async () => {
    cluster = await Cluster.start();
    a = await cluster.open();
    b = await cluster.open();
  });
  afterAll(() => cluster.stop());

  /** Answers of a request whose COMMIT hangs, of the repeated ones, and of a write of another client. */
  async function hung<T>(
    request: () => Promise<T>,
    again: readonly (() => Promise<T>)[],
    others: () => Promise<unknown> = () => b.graph.write(stating('of another client')),
  ): Promise<{ readonly first: unknown; readonly repeated: readonly T[] }> {
    const held = await holdCommits(cluster.address, 'plexus');
    const first = await request().catch((error: unknown) => error);
    const repeated = again.map((each) => each());
    const other = others();
    for (const each of [...repeated, other]) each.catch(() => undefined);
    await held.release();
    await other;
    const replies = await Promise.all(repeated);
    await shown(a, b.graph.durableVersion);
    return { first, repeated: replies };
  }

  const syncOfAnother = () =>
    b.graph.sync({
      connectorId: 'scan',
      syncId: randomUUID(),
      mode: 'patch',
      ...stating('of another client'),
    });
  const valueOn = ({ graph }: ClusterNode): unknown =>
    graph.entity(entityId('host', 'web')).properties['value'];

  it.each<[string, (node: ClusterNode) => Promise<unknown>, () => Promise<unknown>]>([
    [
      'a write',
      (node: ClusterNode) => node.graph.write({ writeId: 'K', ...stating('of K') }),
      () => b.graph.write(stating('of another client')),
    ],
    [
      'a sync',
      (node: ClusterNode) =>
        node.graph.sync({ connectorId: 'scan', syncId: 'K', mode: 'patch', ...stating('of K') }),
      syncOfAnother,
    ],
  ])('%s takes effect once, before that of another client, with one reply', async (_, request, other) => {
    const { first, repeated } = await hung(() => request(a), [() => request(a), () => request(b)], other);
    const later = [await request(a), await request(b)];
    const log = await repeatedReplies(cluster.address, 'plexus');

    expect(first).toMatchObject(UNKNOWN);
    expect([valueOn(a), valueOn(b)]).toEqual(['of another client', 'of another client']);
    expect(new Set([...repeated, ...later].map((reply) => JSON.stringify(reply))).size).toBe(1);
    expect(log.violations).toEqual([]);
    expect(log.replies).toBeGreaterThan(0);
  });

  it('a commit of a session gets its stored reply on every node, and lists the sync on every node', async () => {
    const scope = { connectorId: 'scan', syncId: 'S', mode: 'patch' } as const;
    const { session_id: id } = await a.graph.sessions.open(scope);
    await a.graph.sessions.putBatch(id, 1, stating('of S'));
    const commit = (node: ClusterNode) => node.graph.sessions.commit(id);
    const { first, repeated } = await hung(
      () => commit(a),
      [() => commit(a), () => commit(b)],
      syncOfAnother,
    );
    const later = [await commit(a), await commit(b)];
    const states = await Promise.all([a, b].map(({ graph }) => graph.sessions.get(id)));
    const synced = [a, b].map(({ graph }) => graph.lastSyncs().map(({ sync_id: last }) => last));

    expect(first).toMatchObject(UNKNOWN);
    expect(new Set([...repeated, ...later].map((reply) => JSON.stringify(reply))).size).toBe(1);
    expect(repeated[0]).toMatchObject({ sync_id: 'S', entities_updated: 1 });
    // Where the hanging COMMIT was given up, a repeated one has done the work, after the other client.
    expect(['of another client', 'of S']).toContain(valueOn(a));
    expect(valueOn(b)).toBe(valueOn(a));
    expect(states.map(({ state }) => state)).toEqual(['committed', 'committed']);
    expect(synced[0]).toEqual(synced[1]);
    expect((await repeatedReplies(cluster.address, 'plexus')).violations).toEqual([]);
  });

  it('a batch of a session is kept once, and refused with another content', async () => {
    const { session_id: id } = await a.graph.sessions.open({ connectorId: 'batches', syncId: 'B' });
    const put = (node: ClusterNode, value: string) => node.graph.sessions.putBatch(id, 1, stating(value));
    const { first } = await hung(() => put(a, 'one'), [() => put(a, 'one'), () => put(b, 'one')]);

    expect(first).toMatchObject(UNKNOWN);
    for (const node of [a, b]) await expect(put(node, 'two')).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('changes of saved queries are planned after those of other nodes that came in between', async () => {
    const log = { error: () => undefined };
    const open = ({ graph: { documents } }: ClusterNode) => SavedQueries.open(documents, systemClock, log);
    const [ofA, ofB] = [await open(a), await open(b)];
    const query = (name: string, tag: string) =>
      parseSavedQuery({ name, description: '', text: 'FIND host', tags: [tag], parameters: {} });
    await ofA.change([query('first', 'x')]);
    const held = await holdCommits(cluster.address, 'plexus');
    const doubtful = await ofA.change([query('second', 'x')]).catch((error: unknown) => error);
    const replaced = ofB.change([query('third', 'x')], 'replace');
    replaced.catch(() => undefined);
    await held.release();
    const reply = await replaced;
    await shown(a, b.graph.durableVersion);
    const names = [ofA, ofB].map((queries) => queries.list().map(({ name }) => name));

    expect(doubtful).toMatchObject(UNKNOWN);
    expect(reply).toMatchObject({ count: 1, added: 1, updated: 0 });
    // A commit that is given up takes effect or not; here it is decided before the replacement is planned.
    expect([1, 2]).toContain(reply.removed);
    expect(names).toEqual([['third'], ['third']]);
  });

  it('a reply that another node has stored is sent when the batches before it are committed', async () => {
    const write = ({ graph }: ClusterNode) => graph.write({ writeId: 'stored', ...stating('of stored') });
    // This node finds the reply only in its turn.
    jest.spyOn(a.store, 'catchUp').mockResolvedValue(undefined);
    const first = await write(b);
    const held = await holdCommits(cluster.address, 'plexus');
    const answered: string[] = [];
    const other = a.graph.write(stating('of another client')).then(() => answered.push('other'));
    const again = write(a).finally(() => answered.push('stored'));
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE application_name = '${a.name}' AND query LIKE '%COMMIT'
      AND state = 'active'`;
    while ((await cluster.rows(waiting)).length === 0) await pause(5);
    const before = [...answered];
    await held.release();
    await other;
    jest.restoreAllMocks();

    expect(before).toEqual([]);
    expect(await again).toEqual(first);
  });

  it('writes with one id, sent to all nodes at once, are stored once', async () => {
    const write = ({ graph }: ClusterNode) => graph.write({ writeId: 'many', ...stating('of many') });
    const replies = await Promise.all([a, b, a, b].map(write));

    expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1);
    expect((await repeatedReplies(cluster.address, 'plexus')).violations).toEqual([]);
  });
});
