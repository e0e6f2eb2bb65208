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

  it('shows on one what was written on the other', async () => {
    await a.graph.write({ ...NOTHING, entities: [entity('host', 'Host', 'web')] });
    await b.graph.write({ ...NOTHING, entities: [entity('host', 'Host', 'db')] });

    const { web, db } = { web: entityId('host', 'web'), db: entityId('host', 'db') };
    await shown(a, 2);

    expect([b.graph.entity(web).key, a.graph.entity(db).key]).toEqual(['web', 'db']);
  });

  it('answers a repeated write once, on whichever node it comes', async () => {
    const request = { ...NOTHING, writeId: 'w', entities: [entity('host', 'Host', 'once')] };
    const replies = await Promise.all(
      [1, 2, 3, 4].flatMap(() => [a.graph.write(request), b.graph.write(request)]),
    );

    expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1);
    expect(b.graph.entity(entityId('host', 'once')).version).toBe(1);
  });

  it('goes on with a session that was begun on the other', async () => {
    const { session_id: id } = await a.graph.sessions.open({ connectorId: 'scan', syncId: 's' });
    await b.graph.sessions.putBatch(id, 1, { entities: [entity('host', 'Host', 's1')], relationships: [] });
    await a.graph.sessions.putBatch(id, 2, { entities: [entity('host', 'Host', 's2')], relationships: [] });
    const [first, second] = await Promise.all([a.graph.sessions.commit(id), b.graph.sessions.commit(id)]);

    expect(first).toMatchObject({ entities_created: 2 });
    expect(second).toEqual(first);
    expect(await a.graph.sessions.get(id)).toMatchObject({ state: 'committed', batches: [1, 2] });
  });

  describe('documents that are changed by what is known of them', () => {
    const write = (node: ClusterNode, value: string) =>
      node.graph.documents.change('rules', [{ id: 'one', value }]);
    const later = () => {
      const now = performance.now.bind(performance);
      jest.spyOn(performance, 'now').mockImplementation(() => now() + 30_000);
    };

    it('are not written over by a node that was held up while another changed them', async () => {
      const late = a.graph.documents.exclusively(async () => {
        // As if it had been frozen: its time is over by the database's clock and by its own.
        await cluster.rows(`UPDATE plexus.lease SET until = now() - interval '1 s' WHERE name = 'documents'`);
        await b.graph.documents.exclusively(() => write(b, 'of b'));
        later();
        await write(a, 'of a');
      });

      await expect(late).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      jest.restoreAllMocks();
      expect(await b.graph.documents.get('rules', 'one')).toBe('of b');
      await a.graph.documents.exclusively(() => write(a, 'of a'));
      expect(await a.graph.documents.get('rules', 'one')).toBe('of a');
    });

    it('may be changed for as long as it takes by what such a change has begun', async () => {
      const ended = Promise.withResolvers<undefined>();
      const begun: Promise<void>[] = [];
      await a.graph.documents.exclusively(async () => {
        begun.push(ended.promise.then(() => write(a, 'begun')));
      });
      later();
      ended.resolve(undefined);
      await Promise.all(begun);

      expect(await a.graph.documents.get('rules', 'one')).toBe('begun');
    });
  });

  it('asks the more often where it is not told of what the other writes', async () => {
    const [told, untold] = [await AskingNode.open(cluster), await AskingNode.open(cluster, true)];
    await a.graph.write({ ...NOTHING, entities: [entity('host', 'Host', 'untold')] });
    await shown(told.node, a.graph.durableVersion);
    await shown(untold.node, a.graph.durableVersion);
    const before = [told.asked, untold.asked];

    while (told.asked < (before[0] ?? 0) + 3) await pause(20);

    expect(untold.asked - (before[1] ?? 0)).toBeGreaterThan(told.asked - (before[0] ?? 0));
    await told.close();
    await untold.close();
  });
});

/** A node behind a relay that counts how often it asks how far the log is. */
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
