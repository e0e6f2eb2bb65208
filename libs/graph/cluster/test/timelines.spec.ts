import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { recordsOf } from '#graph/engine';
import { CuttingRelay, entity, postgresMissing, PostgresProcess } from '#graph/testing';
import { describeUnless } from '#testing';
import { Cluster, type ClusterNode } from './cluster-harness.ts';

const describeWithServer = describeUnless(postgresMissing());
const SETTINGS = { synchronous_standby_names: '' };

describeWithServer('a primary that is back on its old timeline', () => {
  let cluster: Cluster;
  let directory: string;
  let first: PostgresProcess;
  let second: PostgresProcess;
  let relays: readonly CuttingRelay[];
  let hosts: string;
  let node: ClusterNode;

  beforeAll(async () => {
    cluster = await Cluster.start();
    directory = await mkdtemp(join(tmpdir(), 'plexus-pair-'));
    // If this process is root, the databases run as another user, which needs access.
    await chmod(directory, 0o755);
    first = new PostgresProcess('first', join(directory, 'first'), SETTINGS);
    second = new PostgresProcess('second', join(directory, 'second'), SETTINGS);
    await first.initialise();
    await second.copyOf(first);
    await second.follow(first);
    await first.start();
    await second.start();
    relays = await Promise.all([first, second].map(({ socketPath }) => CuttingRelay.start(socketPath)));
    hosts = relays.map(({ port }) => `127.0.0.1:${String(port)}`).join(',');
  });
  afterAll(async () => {
    await cluster.stop();
    await Promise.all(relays.map((relay) => relay.stop()));
    await Promise.all([first, second].map((database) => database.kill()));
    await rm(directory, { recursive: true, force: true });
  });

  const put = (key: string): Promise<unknown> =>
    node.graph.write({ entities: [entity('host', 'Host', key)], relationships: [] });
  const keysOf = ({ graph }: ClusterNode): readonly string[] =>
    recordsOf(graph).entities.map(({ key }) => key);

  it('is not used by a node that has seen the timeline of the promoted standby', async () => {
    node = await cluster.open({ name: 'seen', hosts });
    const { epoch } = node.graph;
    await put('a');
    await replicated(second, 1);
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

/** Resolves when a standby shows a batch as published. */
async function replicated(standby: PostgresProcess, seq: number): Promise<void> {
  for (;;) {
    const rows = await standby.rows('SELECT seq FROM plexus.published').catch(() => []);
    if (Number(rows[0]?.['seq']) >= seq) return;
  }
}
