import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { entityId } from '#graph/model';
import { describeOperation } from '#graph/engine';
import { SavedQueries, parseSavedQuery } from '#graph/query';
import { entity } from '#graph/testing';
import { errorCodeOf, pause, systemClock } from '#platform/foundation';
import { repeatedReplies } from '../src/check/repeated-replies.ts';
import { type HeldCommits, holdCommits } from '../src/database.ts';
import { readSharedLog } from '../src/shared-log-reader.ts';
import { Cluster, type ClusterNode, shown } from './cluster-harness.ts';
import { standbyIsBack, standbyIsMissing } from './missing-standby.ts';

/** The value of one host, in a write, a sync, or the batch of a session. */
const stating = (value: string) => ({
  entities: [{ ...entity('host', 'Host', 'web'), displayName: value }],
  relationships: [],
});
const SCOPE = { connectorId: 'scan', mode: 'patch' } as const;
const NOT_KNOWN = 'the outcome of the write is not known yet';
const UNKNOWN = {
  code: 'STORE_UNAVAILABLE',
  message: expect.stringContaining(NOT_KNOWN) as unknown,
};

describe('requests that are repeated while a COMMIT hangs', () => {
  let cluster: Cluster;
  let a: ClusterNode;
  let b: ClusterNode;

  beforeAll(async () => {
    cluster = await Cluster.start();
    a = await cluster.open();
    b = await cluster.open();
    await b.graph.write(stating('first'));
    await shown(a, b.graph.durableVersion);
  });
  afterAll(() => cluster.stop());

  const holdAll = (): Promise<HeldCommits> => holdCommits(cluster.address, 'plexus');
  const holdConfirmations = async (): Promise<HeldCommits> => {
    await standbyIsMissing(cluster);
    return { release: () => standbyIsBack(cluster) };
  };

  /** Answers of a request whose COMMIT hangs, of the repeated ones, and of a write of another client. */
  async function hung<T>(
    request: () => Promise<T>,
    again: readonly (() => Promise<T>)[],
    other: () => Promise<unknown>,
    hold = holdAll,
  ): Promise<{ readonly first: unknown; readonly repeated: readonly T[] }> {
    const held = await hold();
    const first = await doubtful(request);
    const repeated = Promise.all(again.map(answered));
    const done = Promise.all([repeated, answered(other)]);
    done.catch(() => undefined);
    await held.release();
    await done;
    await shown(a, b.graph.durableVersion);
    return { first, repeated: await repeated };
  }

  const valueOn = ({ graph }: ClusterNode): string => graph.entity(entityId('host', 'web')).display_name;
  const lastOfLog = async (): Promise<number> =>
    Number((await cluster.rows('SELECT seq FROM plexus.head'))[0]?.['seq']);

  /** The values of the host in the batches after one, in the order of the log. */
  async function valuesAfter(seq: number): Promise<readonly unknown[]> {
    const values: unknown[] = [];
    for await (const entry of readSharedLog(cluster.address, 'plexus')) {
      if (entry.kind === 'corrupt' || entry.seq <= seq) continue;
      for (const operation of entry.operations()) {
        if (operation.kind !== 'put') continue;
        const line = describeOperation(operation.key, operation.value, false);
        const [, value] = /^\+ entity \[host\] (.*) \(/.exec(line) ?? [];
        if (value !== undefined) values.push(value);
      }
    }
    return values;
  }

  const written = (id: string) => {
    const request = { writeId: id, ...stating(`of ${id}`) };
    return Promise.resolve(({ graph }: ClusterNode): Promise<unknown> => graph.write(request));
  };
  const synced = (id: string) => {
    const request = { ...SCOPE, syncId: id, ...stating(`of ${id}`) };
    return Promise.resolve(({ graph }: ClusterNode): Promise<unknown> => graph.sync(request));
  };
  const committed = async (id: string) => {
    const { sessions } = a.graph;
    const { session_id: session } = await sessions.open({ ...SCOPE, syncId: id });
    await sessions.putBatch(session, 1, stating(`of ${id}`));
    return ({ graph }: ClusterNode): Promise<unknown> => graph.sessions.commit(session);
  };

  // Without a standby the COMMIT has taken effect, and only its confirmation waits. A COMMIT that waits
  // itself is given up by its node: it ends before that, or is rolled back, and a repeated one does the work.
  describe.each([
    ['its COMMIT', holdAll, ['before', 'after']],
    ['the confirmation of its COMMIT', holdConfirmations, ['before']],
  ])('where %s waits', (where, hold, orders) => {
    it.each([
      ['a write', written, { entities_written: 1 }, written],
      ['a sync', synced, { entities_updated: 1 }, synced],
      ['the commit of a session', committed, { entities_updated: 1 }, synced],
    ])('%s takes effect once, before or after that of another client', async (name, make, reply, others) => {
      const [id, otherId] = [`${name} while ${where} waits`, `another beside ${name} while ${where} waits`];
      const [request, other] = [await make(id), await others(otherId)];
      const before = await lastOfLog();
      const { first, repeated } = await hung(
        () => request(a),
        [() => request(a), () => request(b)],
        () => other(b),
        hold,
      );
      const later = [await answered(() => request(a)), await answered(() => request(b))];
      const values = await valuesAfter(before);

      expect(first).toMatchObject(UNKNOWN);
      expect(repeated[0]).toMatchObject(reply);
      expect(new Set([...repeated, ...later].map((each) => JSON.stringify(each))).size).toBe(1);
      expect(values.toSorted()).toEqual([`of ${otherId}`, `of ${id}`].toSorted());
      expect(orders).toContain(values[0] === `of ${id}` ? 'before' : 'after');
      expect([valueOn(a), valueOn(b)]).toEqual([values[1], values[1]]);
      expect((await repeatedReplies(cluster.address, 'plexus')).violations).toEqual([]);
    });
  });

  it('the commit of a session shows its end and its sync on every node', async () => {
    const { session_id: id } = await a.graph.sessions.open({ ...SCOPE, syncId: 'S' });
    await a.graph.sessions.putBatch(id, 1, stating('of S'));
    const commit = ({ graph }: ClusterNode) => graph.sessions.commit(id);
    const other = await synced('another beside S');
    await hung(
      () => commit(a),
      [() => commit(a), () => commit(b)],
      () => other(b),
    );
    const states = await Promise.all([a, b].map(({ graph }) => graph.sessions.get(id)));
    const last = [a, b].map(({ graph }) => graph.lastSyncs().map(({ sync_id: syncId }) => syncId));

    expect(states.map(({ state }) => state)).toEqual(['committed', 'committed']);
    expect(last[0]).toEqual(last[1]);
  });

  it('the commit of a session gets the reply that its turn finds, if it was not to be read before', async () => {
    const commit = await committed('found in the turn');
    const reply = await answered(() => commit(a));

    for (const node of [a, b]) {
      const read = jest.spyOn(node.store, 'get').mockResolvedValueOnce(undefined);
      expect(await answered(() => commit(node))).toEqual(reply);
      expect(read).toHaveBeenCalledTimes(2);
      read.mockRestore();
    }
  });

  it('a batch of a session is kept once, and refused with another content', async () => {
    const { session_id: id } = await a.graph.sessions.open({ connectorId: 'batches', syncId: 'B' });
    const put = (node: ClusterNode, value: string) => node.graph.sessions.putBatch(id, 1, stating(value));
    const { first } = await hung(
      () => put(a, 'one'),
      [() => put(a, 'one'), () => put(b, 'one')],
      () => b.graph.write({ writeId: 'another beside B', ...stating('of another client') }),
    );

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
    const first = await doubtful(() => ofA.change([query('second', 'x')]));
    const replaced = ofB.change([query('third', 'x')], 'replace');
    replaced.catch(() => undefined);
    await held.release();
    const reply = await replaced;
    await shown(a, b.graph.durableVersion);
    const names = [ofA, ofB].map((queries) => queries.list().map(({ name }) => name));

    expect(first).toMatchObject(UNKNOWN);
    expect(reply).toMatchObject({ count: 1, added: 1, updated: 0 });
    // A commit that is given up takes effect or not; here it is decided before the replacement is planned.
    expect([1, 2]).toContain(reply.removed);
    expect(names).toEqual([['third'], ['third']]);
  });

  it('a reply that another node has stored is sent when the batches before it are committed', async () => {
    const write = ({ graph }: ClusterNode) => graph.write({ writeId: 'stored', ...stating('of stored') });
    // This node finds the reply only in its turn.
    jest.spyOn(a.store, 'catchUp').mockResolvedValue(undefined);
    const first = await answered(() => write(b));
    const held = await holdAll();
    const done: string[] = [];
    const other = a.graph.write(stating('of another client')).then(
      () => done.push('other'),
      () => undefined,
    );
    const again = write(a).then(
      (reply) => {
        done.push('stored');
        return reply;
      },
      () => undefined,
    );
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE application_name = '${a.name}' AND query LIKE '%COMMIT'
      AND state = 'active'`;
    // On a busy machine its time may be over first.
    const isOver = again.then(() => true);
    while ((await cluster.rows(waiting)).length === 0 && !(await Promise.race([isOver, pause(5)])));
    const before = [...done];
    await held.release();
    await other;
    jest.restoreAllMocks();

    expect(before).toEqual([]);
    expect((await again) ?? (await answered(() => write(a)))).toEqual(first);
  });

  it('writes with one id, sent to all nodes at once, are stored once', async () => {
    const write = ({ graph }: ClusterNode) => graph.write({ writeId: 'many', ...stating('of many') });
    const replies = await Promise.all([a, b, a, b].map((node) => answered(() => write(node))));

    expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1);
    expect((await repeatedReplies(cluster.address, 'plexus')).violations).toEqual([]);
  });
});

/** The answer to a request, which is sent again while it has no effect, and no COMMIT was begun for it. */
async function doubtful(request: () => Promise<unknown>): Promise<unknown> {
  for (;;) {
    const answer = await request().catch((error: unknown) => error);
    const isRefused = errorCodeOf(answer) === 'STORE_UNAVAILABLE';
    if (!isRefused || !(answer instanceof Error && !answer.message.includes(NOT_KNOWN))) return answer;
  }
}

/** The reply to a request, which is sent again with its id if it is not answered in time. */
async function answered<T>(request: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (errorCodeOf(error) !== 'STORE_UNAVAILABLE') throw error;
    }
  }
}
