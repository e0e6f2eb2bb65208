import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { entityId } from '#graph/model';
import { CuttingRelay, entity } from '#graph/testing';
import { pause } from '#platform/foundation';
import { Cluster, type ClusterNode, shown } from './cluster-harness.ts';

const NOTHING = { entities: [], relationships: [] };

describe('two nodes over one database', () => {
  let cluster: Cluster;
  let a: ClusterNode;
  let b: ClusterNode;

  beforeAll(async () => {
    cluster = await Cluster.start();
    a = await cluster.open();
    b = await cluster.open();
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(() => cluster.stop());

  it('show each other’s writes', async () => {
    await a.graph.write({ ...NOTHING, entities: [entity('host', 'Host', 'web')] });
    await b.graph.write({ ...NOTHING, entities: [entity('host', 'Host', 'db')] });

    const { web, db } = { web: entityId('host', 'web'), db: entityId('host', 'db') };
    await shown(a, 2);

    expect([b.graph.entity(web).key, a.graph.entity(db).key]).toEqual(['web', 'db']);
  });

  it('apply a repeated write once, whichever node receives it', async () => {
    const request = { ...NOTHING, writeId: 'w', entities: [entity('host', 'Host', 'once')] };
    const replies = await Promise.all(
      [1, 2, 3, 4].flatMap(() => [a.graph.write(request), b.graph.write(request)]),
    );

    expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1);
    expect(b.graph.entity(entityId('host', 'once')).version).toBe(1);
  });

  it('show what a turn without batches has confirmed', async () => {
    const schema = 'told';
    const writer = await cluster.open({ schema });
    const store = await cluster.openStore({ schema, name: 'told' });
    const told = Promise.withResolvers<undefined>();
    const news = (): void => {
      if (store.durableSeq === 1) told.resolve(undefined);
    };
    store.follow({ news, discard: () => undefined, reload: () => Promise.resolve() });
    const holder = await cluster.connection();
    await holder.query('BEGIN');
    await holder.query(`UPDATE ${schema}.published SET seq = seq`);
    const written = writer.graph.write({ ...NOTHING, entities: [entity('host', 'Host', 'web')] });
    while (Number((await cluster.rows(`SELECT seq FROM ${schema}.head`))[0]?.['seq']) < 1);
    await store.admit(performance.now());
    await store.turn(() => Promise.resolve(), performance.now());
    const before = store.durableSeq;
    await holder.query('COMMIT');
    await holder.close();
    await written;
    while (store.position().published < 1) await pause(5);
    store.endTurn();
    await told.promise;
    await store.close();

    expect(before).toBe(0);
  });

  it('continue a session that the other node opened', async () => {
    const { session_id: id } = await a.graph.sessions.open({ connectorId: 'scan', syncId: 's' });
    await b.graph.sessions.putBatch(id, 1, { entities: [entity('host', 'Host', 's1')], relationships: [] });
    await a.graph.sessions.putBatch(id, 2, { entities: [entity('host', 'Host', 's2')], relationships: [] });
    const [first, second] = await Promise.all([a.graph.sessions.commit(id), b.graph.sessions.commit(id)]);

    expect(first).toMatchObject({ entities_created: 2 });
    expect(second).toEqual(first);
    expect(await a.graph.sessions.get(id)).toMatchObject({ state: 'committed', batches: [1, 2] });
  });

  it('continue a session that the other node opened and has not published yet', async () => {
    const holder = await cluster.connection();
    await holder.query('BEGIN');
    await holder.query('UPDATE plexus.published SET seq = seq');
    const before = a.graph.durableVersion;
    const { session_id: id } = await a.graph.sessions.open({ connectorId: 'scan', syncId: 'unpublished' });
    const [row] = await cluster.rows('SELECT seq FROM plexus.published');
    const reply = await b.graph.sessions.putBatch(id, 1, { entities: [], relationships: [] });
    await holder.query('COMMIT');
    await holder.close();

    expect(Number(row?.['seq'])).toBeLessThanOrEqual(before);
    expect(reply).toMatchObject({ batches: [1] });
  });

  it('report the age of the oldest batch that is not applied', async () => {
    const schema = 'lag';
    const store = await cluster.openStore({ schema, name: 'lag' });
    store.follow({ news: () => undefined, discard: () => undefined, reload: () => Promise.resolve() });
    const writer = await cluster.open({ schema });
    const put = (key: string): Promise<unknown> =>
      writer.graph.write({ ...NOTHING, entities: [entity('host', 'Host', key)] });
    const heard = async (seq: number): Promise<void> => {
      while (store.position().published < seq) await new Promise(setImmediate);
    };
    await put('first');
    await heard(1);
    let secondMs = Infinity;
    await store.catchUp(async () => {
      secondMs = performance.now();
      await put('second');
      await heard(2);
    });
    const { lagMs } = store.position();
    const sinceSecondMs = performance.now() - secondMs;
    await store.catchUp(() => Promise.resolve());
    const after = store.position().lagMs;
    await store.close();

    expect(lagMs).toBeGreaterThan(0);
    expect(lagMs).toBeLessThanOrEqual(sinceSecondMs);
    expect(after).toBe(0);
  });

  it('are not ready for reads while they are more than ten seconds behind what is published', async () => {
    const held = Promise.withResolvers<undefined>();
    const caughtUp = jest.spyOn(b.store, 'catchUp').mockReturnValue(held.promise);
    const before = b.graph.unready;
    await a.graph.write({ ...NOTHING, entities: [entity('host', 'Host', 'ahead')] });
    while (b.graph.position()?.published !== a.graph.durableVersion) await pause(5);
    while (caughtUp.mock.calls.length === 0) await pause(5);
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + 11_000);
    const behind = b.graph.unready;
    jest.restoreAllMocks();
    held.resolve(undefined);
    await shown(b, a.graph.durableVersion);

    expect(before).toBeUndefined();
    expect(behind).toMatch(/^this node is \d+ ms behind what is published$/);
    expect(b.graph.unready).toBeUndefined();
  });

  it('have one turn at a time, also when a writer comes while another one begins its turn', async () => {
    const store = await cluster.openStore({ schema: 'turns', name: 'turns' });
    const other = await cluster.open({ schema: 'turns' });
    const batch = store.batch();
    batch.put(Uint8Array.of(0x7f), Uint8Array.of(1));
    const [begun, held] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const takeOver = (): Promise<undefined> => {
      begun.resolve(undefined);
      return held.promise;
    };
    const discarded: number[] = [];
    store.follow({
      news: () => undefined,
      discard: (seq) => discarded.push(seq),
      reload: () => Promise.resolve(),
    });
    await other.graph.write({ ...NOTHING, entities: [entity('host', 'Host', 'of another')] });
    await store.admit(performance.now());
    const first = store.turn(takeOver, performance.now());
    await begun.promise;
    await store.admit(performance.now());
    held.resolve(undefined);
    await first;
    const durable = [store.append(batch, 0).durable];
    store.endTurn();
    await store.admit(performance.now());
    if (await store.turn(takeOver, performance.now())) durable.push(store.append(batch, 0).durable);
    store.endTurn();
    await Promise.all(durable);
    await store.close();

    expect(durable).toHaveLength(2);
    expect(store.durableSeq).toBe(3);
    expect(discarded).toEqual([]);
  });

  it('claim each tick of a schedule once', async () => {
    const schedule = { name: 'rule/hourly', schedule: 'every:1h' };
    const start = { atMs: 0 };
    const known = await Promise.all(
      [a, b].map(async ({ graph }) => {
        const last = await graph.ticks.last('rule/', [{ ...schedule, start }]);
        return last.get(schedule.name) ?? start;
      }),
    );
    const claimed: number[] = [];
    for (let hour = 1; hour <= 20; hour++) {
      const [from, to] = [{ atMs: (hour - 1) * 3_600_000 }, { atMs: hour * 3_600_000 }];
      const claims = [a, b, a].map(({ graph }) => graph.ticks.claim([{ ...schedule, from, to }]));
      claimed.push((await Promise.all(claims)).filter(({ size }) => size > 0).length);
    }

    expect(known.map(({ atMs }) => atMs)).toEqual([0, 0]);
    expect(claimed).toEqual(Array<number>(20).fill(1));
  });

  describe('read-modify-write of shared documents', () => {
    const write = (node: ClusterNode, value: unknown) =>
      node.graph.documents.change('rules', [{ id: 'one', value }]);
    const appended = (node: ClusterNode, value: string) => async (): Promise<void> => {
      const before = await node.graph.documents.get('rules', 'one');
      await write(node, [before, value].flat());
    };

    it('is made again if another node has changed the document since it was read', async () => {
      const interrupted = { isDone: false };
      await write(a, 'nothing');
      await a.graph.documents.exclusively(async () => {
        const before = await a.graph.documents.get('rules', 'one');
        if (!interrupted.isDone) await b.graph.documents.exclusively(appended(b, 'of b'));
        interrupted.isDone = true;
        await write(a, [before, 'of a'].flat());
      });
      await b.graph.documents.exclusively(appended(b, 'of b again'));

      expect(await b.graph.documents.get('rules', 'one')).toEqual(['nothing', 'of b', 'of a', 'of b again']);
    });

    it('fails if others change the document at each attempt, and writes nothing', async () => {
      let attempts = 0;
      const overtaken = a.graph.documents.exclusively(async () => {
        await b.graph.documents.exclusively(() => write(b, ++attempts));
        await write(a, 'of a');
      });

      await expect(overtaken).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      expect(await b.graph.documents.get('rules', 'one')).toBe(attempts);
    });

    it('leaves no condition on changes after its end', async () => {
      const ended = Promise.withResolvers<undefined>();
      const begun: Promise<void>[] = [];
      await a.graph.documents.exclusively(async () => {
        begun.push(ended.promise.then(() => write(a, 'begun')));
      });
      await b.graph.documents.exclusively(() => write(b, 'of b'));
      ended.resolve(undefined);
      await Promise.all(begun);

      expect(await a.graph.documents.get('rules', 'one')).toBe('begun');
    });
  });

  it('poll more often without notifications', async () => {
    const [told, untold] = [await AskingNode.open(cluster), await AskingNode.open(cluster, true)];
    await a.graph.write({ ...NOTHING, entities: [entity('host', 'Host', 'untold')] });
    await shown(told.node, a.graph.durableVersion);
    await shown(untold.node, a.graph.durableVersion);
    const before = untold.asked - told.asked;

    // On a busy machine, both have asked about as often for some time.
    while (untold.asked - told.asked < before + 10) await pause(20);

    expect(told.asked).toBeGreaterThan(0);
    await told.close();
    await untold.close();
  });
});

/** A node behind a relay that counts its polls of the log position. */
class AskingNode {
  asked = 0;
  readonly node: ClusterNode;
  readonly #close: () => Promise<void>;

  private constructor(cluster: Cluster, relay: CuttingRelay, node: ClusterNode) {
    this.node = node;
    this.#close = async () => {
      await cluster.close(node);
      await relay.stop();
    };
    relay.onRequest((bytes) => {
      if (bytes.includes('.published')) this.asked++;
    });
  }

  static async open(cluster: Cluster, isMute = false): Promise<AskingNode> {
    const relay = await CuttingRelay.start(cluster.server.port);
    if (isMute) relay.mute();
    return new AskingNode(cluster, relay, await cluster.open({ port: relay.port }));
  }

  close(): Promise<void> {
    return this.#close();
  }
}
