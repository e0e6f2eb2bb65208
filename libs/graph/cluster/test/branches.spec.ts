import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { parseSeqToken, recordsOf } from '#graph/engine';
import { entity, postgresMissing, type PostgresProcess } from '#graph/testing';
import { pause } from '#platform/foundation';
import { describeUnless } from '#testing';
import { Cluster, type ClusterNode } from './cluster-harness.ts';
import { DatabasePair } from './database-pair.ts';

const describeWithServer = describeUnless(postgresMissing());
const POLL_MS = 5;

describeWithServer('numbers after a fail-over that lost batches which no running node has', () => {
  let cluster: Cluster;
  let pair: DatabasePair;
  let first: PostgresProcess;
  let second: PostgresProcess;
  let hosts: readonly string[];
  let node: ClusterNode;
  /** Of the first primary: replicated, and lost. */
  let kept: string;
  let lost: string;

  beforeAll(async () => {
    cluster = await Cluster.start();
    pair = await DatabasePair.start();
    ({ first, second, hosts } = pair);
    const before = await cluster.open({ hosts: hosts.join(',') });
    kept = await put(before, 'a');
    await pair.replicated(1);
    await second.stop();
    lost = await put(before, 'b');
    await cluster.close(before);
    await first.kill();
    await second.start();
    await second.rows('SELECT pg_promote(true, 60)');
    node = await cluster.open({ hosts: hosts.join(',') });
  });
  afterAll(async () => {
    await cluster.stop();
    await pair.stop();
  });

  /** The token of the write. */
  const put = async ({ graph }: ClusterNode, key: string): Promise<string> => {
    await graph.write({ entities: [entity('host', 'Host', key)], relationships: [] });
    return `${graph.epoch}.${String(graph.durableVersion)}`;
  };
  const keysOf = ({ graph }: ClusterNode): readonly string[] =>
    recordsOf(graph).entities.map(({ key }) => key);
  /** Its number, or the code of the refusal. */
  const judged = ({ graph }: ClusterNode, token: string): Promise<unknown> => {
    const point = parseSeqToken(token);
    return graph.reachedPoint(point, POLL_MS).then(
      () => point.seq,
      (error: unknown) => (error as { readonly code: string }).code,
    );
  };
  const allJudged = (at: ClusterNode, tokens: readonly string[]): Promise<readonly unknown[]> =>
    Promise.all(tokens.map((token) => judged(at, token)));

  it('are rejected if they are lost, without a write, and accepted if they are not', async () => {
    while ((await judged(node, lost)) !== 'CONFLICT') await pause(POLL_MS);

    expect(await judged(node, kept)).toBe(1);
    expect(keysOf(node)).toEqual(['a']);
  });

  it('stay rejected when other batches have them', async () => {
    const tokens = [await put(node, 'c'), await put(node, 'd')];

    expect(await judged(node, lost)).toBe('CONFLICT');
    expect(await allJudged(node, tokens)).toEqual([2, 3]);
    expect(cluster.logged).toContainEqual(expect.objectContaining({ event: 'store.branched', seq: 1 }));
    expect(cluster.logged).not.toContainEqual(expect.objectContaining({ event: 'store.history_lost' }));
  });

  it('are the same for all nodes and after a restart', async () => {
    const token = await put(node, 'e');
    await cluster.close(node);
    node = await cluster.open({ name: node.name, hosts: hosts.join(',') });
    const other = await cluster.open({ hosts: hosts.join(',') });

    for (const each of [node, other])
      expect(await allJudged(each, [lost, kept, token])).toEqual(['CONFLICT', 1, 4]);
    expect(await put(other, 'f')).toBe(`${other.graph.epoch}.5`);
  });

  it('differ from those of an old primary that a new node still writes to', async () => {
    const token = await put(node, 'g');
    await first.start();
    const stray = await cluster.open({ hosts: hosts[0] ?? '' });
    const strayTokens: string[] = [];
    while (stray.graph.durableVersion < node.graph.durableVersion) strayTokens.push(await put(stray, 'x'));

    expect(await judged(stray, token)).toBe('CONFLICT');
    expect(await allJudged(node, strayTokens)).toEqual(strayTokens.map(() => 'CONFLICT'));
    await cluster.close(stray);
  });
});
