import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { recordsOf } from '#graph/engine';
import { entity, postgresMissing, type PostgresProcess } from '#graph/testing';
import { describeUnless } from '#testing';
import { Cluster, type ClusterNode } from './cluster-harness.ts';
import { DatabasePair } from './database-pair.ts';

const describeWithServer = describeUnless(postgresMissing());

describeWithServer('a primary that is back on its old timeline', () => {
  let cluster: Cluster;
  let pair: DatabasePair;
  let first: PostgresProcess;
  let second: PostgresProcess;
  let hosts: string;
  let node: ClusterNode;

  beforeAll(async () => {
    cluster = await Cluster.start();
    pair = await DatabasePair.start();
    ({ first, second } = pair);
    hosts = pair.hosts.join(',');
  });
  afterAll(async () => {
    await cluster.stop();
    await pair.stop();
  });

  const put = (key: string): Promise<unknown> =>
    node.graph.write({ entities: [entity('host', 'Host', key)], relationships: [] });
  const keysOf = ({ graph }: ClusterNode): readonly string[] =>
    recordsOf(graph).entities.map(({ key }) => key);

  it('is not used by a node that has seen the timeline of the promoted standby', async () => {
    node = await cluster.open({ name: 'seen', hosts });
    const { epoch } = node.graph;
    await put('a');
    await pair.replicated(1);
    await first.kill();
    await second.rows('SELECT pg_promote(true, 60)');
    await put('b');
    await first.start();
    await second.rows(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'seen%'`,
    );
    await put('c');

    expect(keysOf(node)).toEqual(['a', 'b', 'c']);
    await node.graph.reachedPoint({ epoch, seq: 1 }, 0);
    expect(cluster.logged).not.toContainEqual(expect.objectContaining({ event: 'store.copy_dropped' }));
  });

  it('is not used by a new node beside a primary on a higher timeline', async () => {
    const late = await cluster.open({ hosts });

    expect(keysOf(late)).toEqual(['a', 'b', 'c']);
  });

  it('is named with its timeline when no other host accepts writes', async () => {
    await second.kill();

    await expect(put('d')).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('is on timeline 1, 2 was seen') as unknown,
    });
    expect(keysOf(node)).toEqual(['a', 'b', 'c']);
  });
});
