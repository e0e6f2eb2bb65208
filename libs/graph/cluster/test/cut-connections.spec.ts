import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { entityId } from '#graph/model';
import { BatchDropped, type ForeignBatch } from '#graph/storage';
import { type Cut, CuttingRelay, entity } from '#graph/testing';
import { DomainError } from '#platform/foundation';
import { effort } from '#testing';
import { Cluster, type ClusterNode, shown, told } from './cluster-harness.ts';
import { recordsOf } from '#graph/engine';
import { repeatedReplies } from '../src/check/repeated-replies.ts';

/** Batches after which a transaction takes no more. */
const ROUND_BATCHES_MAX = 4_096;
const WRITERS = 8;
const WRITES = 6;

describe('a shared store with cut connections', () => {
  let cluster: Cluster;
  let relay: CuttingRelay;
  let schemas = 0;

  beforeAll(async () => {
    cluster = await Cluster.start();
    relay = await CuttingRelay.start(cluster.server.port);
  });
  afterAll(async () => {
    await cluster.stop();
    await relay.stop();
  });

  it.each<Cut>(['before', 'after'])(
    'keeps a write once whose COMMIT was cut %s the server had it',
    async (cut) => {
      const schema = `cut_${cut}`;
      const node = await cluster.open({ schema, port: relay.port });
      const other = await cluster.open({ schema });
      const cuts = relay.done;
      relay.cut(cut);

      const request = { entities: [entity('host', 'Host', 'web')], relationships: [] };
      const reply = await node.graph.write(request);
      await shown(other, node.graph.durableVersion);

      expect(reply).toMatchObject({ entities_written: 1 });
      expect([relay.done - cuts, node.graph.durableVersion]).toEqual([1, 1]);
      expect(recordsOf(other.graph)).toEqual(recordsOf(node.graph));
      expect(recordsOf(node.graph).entities).toHaveLength(1);
    },
  );

  it('keeps a write once whose COMMIT the server ends only after the outcome is asked for', async () => {
    const schema = 'late';
    const node = await cluster.open({ schema, port: relay.port });
    await node.graph.write({ entities: [entity('host', 'Host', 'web')], relationships: [] });
    const id = entityId('host', 'web');
    await holdCommits(cluster, schema);
    let isAnswered = false;
    // On a busy machine the answer is due before the outcome is known; it is known to the node afterwards.
    const deleted = node.graph
      .deleteEntity(id)
      .catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE' });
      })
      .finally(() => (isAnswered = true));
    await busy(cluster, node, "query LIKE '%COMMIT'");
    relay.down();
    relay.up();
    await busy(cluster, node, "wait_event_type = 'Lock'", () => isAnswered);
    await cluster.rows(`INSERT INTO ${schema}.gate VALUES (1)`);

    await deleted;
    // Without an answer in time it is repeated; then it may have been done, or given up.
    await node.graph.deleteEntity(id).catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'NOT_FOUND' });
    });
    await shown(node, 2);

    expect(node.graph.durableVersion).toBe(2);
    expect(() => node.graph.entity(id)).toThrow('no such entity');
  });

  it('catches up after the connection returns, and closes while it is cut off', async () => {
    const schema = 'off';
    const node = await cluster.open({ schema, port: relay.port });
    const other = await cluster.open({ schema });
    const put = (key: string): Promise<unknown> =>
      other.graph.write({ entities: [entity('host', 'Host', key)], relationships: [] });
    relay.down();
    await put('a');
    relay.up();
    await shown(node, 1);
    relay.down();
    await put('b');
    await cluster.close(node);
    relay.up();

    expect(recordsOf(node.graph).entities.map(({ key }) => key)).toEqual(['a']);
  });

  it('is degraded and rejects writes while the network transmits nothing, and continues afterwards', async () => {
    const schema = 'stalled';
    const node = await cluster.open({ schema, port: relay.port });
    const put = (key: string): Promise<unknown> =>
      node.graph.write({ entities: [entity('host', 'Host', key)], relationships: [] });
    const healthIs = async (status: string): Promise<void> => {
      while (node.graph.health().status !== status) await new Promise(setImmediate);
    };
    await put('a');
    relay.stall();
    await healthIs('degraded');
    // A commit beside the writes may be late first.
    while (node.graph.health().reason?.includes('no answer for 2500 ms') !== true)
      await new Promise(setImmediate);
    const lagMs = node.graph.position()?.lagMs;
    const refused = await put('b').catch((error: unknown) => error);
    const found = recordsOf(node.graph).entities.map(({ key }) => key);
    relay.resume();
    await healthIs('healthy');
    await put('c');

    expect(lagMs).toBeGreaterThan(0);
    expect(refused).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(found).toEqual(['a']);
    expect(recordsOf(node.graph).entities.map(({ key }) => key)).toEqual(['a', 'c']);
    expect(node.graph.position()?.lagMs).toBe(0);
  });

  it('drops batches appended under a lost lock before it applies the batches of other nodes', async () => {
    const schema = 'lost_lock';
    const store = await cluster.openStore({ schema, name: 'lost-lock' });
    const other = await cluster.open({ schema });
    const events: string[] = [];
    const takeOver = async (batches: readonly ForeignBatch[]): Promise<void> => {
      events.push(...batches.map(({ seq }) => `takes over ${String(seq)}`));
    };
    store.follow({
      news: () => undefined,
      discard: (seq) => events.push(`drops after ${String(seq)}`),
      reload: () => Promise.resolve(),
    });
    await store.admit(performance.now());
    await store.turn(takeOver, performance.now());
    const batch = store.batch();
    batch.put(Uint8Array.of(0x7f), Uint8Array.of(1));
    const outcome = store.append(batch, 0).durable.catch((error: unknown) => error);
    await cluster.rows(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lost-lock'`,
    );
    await other.graph.write({ entities: [entity('host', 'Host', 'web')], relationships: [] });
    await told(other, 1);
    await store.catchUp(takeOver);
    await store.close();

    expect(events).toEqual(['drops after 0', 'takes over 1']);
    expect(await outcome).toBeInstanceOf(BatchDropped);
  });

  it('ends a full transaction in the turn of the next writer, when the last one has applied its batch', async () => {
    const store = await cluster.openStore({ schema: 'full', name: 'full' });
    const takeOver = (): Promise<void> => Promise.resolve();
    const enter = async (): Promise<boolean> => {
      await store.admit(performance.now());
      return store.turn(takeOver, performance.now());
    };
    await enter();
    const batch = store.batch();
    batch.put(Uint8Array.of(0x7f), Uint8Array.of(1));
    const appended = Array.from({ length: ROUND_BATCHES_MAX }, () => store.append(batch, 0).durable);
    let isDurable = false;
    const durable = Promise.all(appended).then(() => {
      isDurable = true;
    });
    await store.admit(performance.now());
    const wasDurable = isDurable;
    const isEntered = await store.turn(takeOver, performance.now());
    const isEnteredLater = await enter();
    await durable;
    await store.close();

    expect([wasDurable, isEntered, isEnteredLater]).toEqual([false, false, true]);
    expect(store.durableSeq).toBe(ROUND_BATCHES_MAX);
  });

  it('loses no acknowledged write and applies none twice, wherever connections are cut', async () => {
    const cuts = fc.array(fc.constantFrom<Cut>('before', 'after'), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(cuts, async (planned) => {
        const schema = `w${String(schemas++)}`;
        const nodes = [
          await cluster.open({ schema, port: relay.port }),
          await cluster.open({ schema, port: relay.port }),
        ];
        relay.cut(...planned);
        await Promise.all(Array.from({ length: WRITERS }, (_, writer) => writeAll(nodes, writer)));
        relay.cut();
        const last = Math.max(...nodes.map(({ graph }) => graph.durableVersion));
        for (const node of nodes) await shown(node, last);
        const [first, second] = nodes.map(({ graph }) => recordsOf(graph));
        for (const node of nodes) await cluster.close(node);

        expect(second).toEqual(first);
        expect(await repeatedReplies(cluster.address, schema)).toEqual({
          violations: [],
          replies: WRITERS * WRITES,
        });
        const versions = new Map(first?.entities.map(({ id, version }) => [id, version]));
        for (let writer = 0; writer < WRITERS; writer++) {
          for (let at = 0; at < WRITES; at++)
            expect([at, versions.get(entityId('host', keyOf(writer, at)))]).toEqual([at, 1]);
        }
      }),
      { numRuns: effort(40, 5) },
    );
  });
});

function keyOf(writer: number, at: number): string {
  return `${String(writer)}-${String(at)}`;
}

/** COMMITs of batches wait for a row in the table `gate`. */
async function holdCommits(cluster: Cluster, schema: string): Promise<void> {
  await cluster.rows(`CREATE TABLE ${schema}.gate (open int4)`);
  await cluster.rows(
    `CREATE FUNCTION ${schema}.hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       WHILE NOT EXISTS (SELECT FROM ${schema}.gate) LOOP PERFORM pg_sleep(0.01); END LOOP; RETURN NULL;
     END $$`,
  );
  await cluster.rows(
    `CREATE CONSTRAINT TRIGGER hold AFTER INSERT ON ${schema}.batch DEFERRABLE INITIALLY DEFERRED
       FOR EACH ROW EXECUTE FUNCTION ${schema}.hold()`,
  );
}

/** Resolves when a connection of the node is as described, or nothing is waited for any more. */
async function busy(
  cluster: Cluster,
  { name }: ClusterNode,
  described: string,
  isOver = (): boolean => false,
): Promise<void> {
  const sql = `SELECT 1 FROM pg_stat_activity WHERE application_name = '${name}' AND state = 'active'`;
  while (!isOver() && (await cluster.rows(`${sql} AND ${described}`)).length === 0);
}

/** Repeats a write with the same id on another node until its outcome is known. */
async function writeAll(nodes: readonly ClusterNode[], writer: number): Promise<void> {
  for (let at = 0; at < WRITES; at++) {
    const writeId = keyOf(writer, at);
    const request = { writeId, entities: [entity('host', 'Host', writeId)], relationships: [] };
    for (let attempt = writer; ; attempt++) {
      try {
        await nodes[attempt % nodes.length]?.graph.write(request);
        break;
      } catch (error) {
        if (!(error instanceof DomainError) || error.code !== 'STORE_UNAVAILABLE') throw error;
      }
    }
  }
}
