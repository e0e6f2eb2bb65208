import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type ConnectorRuns, createConnectorRuns, defineConnector, readConnector } from '#graph/connector';
import { recordsOf } from '#graph/engine';
import { Cluster, type ClusterNode, shown } from './cluster-harness.ts';

const SILENT = { info: () => undefined, warn: () => undefined };

/** Runs of one connector on a node; its step emits one host, once it may. */
function runsOn({ graph }: ClusterNode, host: string, mayEmit: Promise<unknown>): Promise<ConnectorRuns> {
  const emits = { entities: ['host'] };
  const type = defineConnector({
    name: 'test',
    about: 'a test',
    config: {},
    steps: () => [
      {
        id: 'hosts',
        emits,
        run: async (context) => {
          await mayEmit;
          context.emitEntity({ type: 'host', key: host });
        },
      },
    ],
  });
  const connector = readConnector('connector: test\n', 'scan.yaml', { types: [type], environment: {} });
  return createConnectorRuns(graph, [connector], SILENT);
}

describe('a connector run whose node has lost its lease', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.start();
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(() => cluster.stop());

  it('syncs nothing once another node has taken the connector over, and stays interrupted', async () => {
    const [a, b] = [await cluster.open(), await cluster.open()];
    const held = Promise.withResolvers<undefined>();
    const [late, next] = [await runsOn(a, 'late', held.promise), await runsOn(b, 'next', Promise.resolve())];
    const { run_id: lateId } = await late.start('scan');
    jest.spyOn(a.store, 'hold').mockResolvedValue(false);
    await cluster.rows(`DELETE FROM plexus.lease WHERE name = 'connector scan'`);
    await shown(b, a.graph.durableVersion);
    const { run_id: nextId } = await next.start('scan');
    const taken = await next.wait(nextId);
    held.resolve(undefined);
    await late.wait(lateId);
    await shown(b, a.graph.durableVersion);

    expect(taken).toMatchObject({ status: 'complete', entities: 1 });
    expect(recordsOf(a.graph).entities.map(({ key }) => key)).toEqual(['next']);
    for (const runs of [late, next])
      expect(runs.list('scan').map(({ run_id: id, status }) => [id, status])).toEqual([
        [nextId, 'complete'],
        [lateId, 'interrupted'],
      ]);
    expect(recordsOf(b.graph)).toEqual(recordsOf(a.graph));
  });

  it('syncs while no other node has taken the connector over', async () => {
    const [a, b] = [await cluster.open({ schema: 'kept' }), await cluster.open({ schema: 'kept' })];
    const held = Promise.withResolvers<undefined>();
    const runs = await runsOn(a, 'web', held.promise);
    const { run_id: id } = await runs.start('scan');
    jest.spyOn(a.store, 'hold').mockResolvedValue(false);
    await cluster.rows(`DELETE FROM kept.lease WHERE name = 'connector scan'`);
    held.resolve(undefined);
    const run = await runs.wait(id);
    await shown(b, a.graph.durableVersion);

    expect(run).toMatchObject({ status: 'complete', entities: 1 });
    expect(recordsOf(b.graph).entities.map(({ key }) => key)).toEqual(['web']);
  });
});
