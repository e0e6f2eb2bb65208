import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Graph, parseFeedToken, recordsIn, recordsOf } from '#graph/engine';
import { entity } from '#graph/testing';
import { Cluster, type ClusterNode, shown } from './cluster-harness.ts';

const DAY_MS = 86_400_000;

describe('the history of nodes over one database', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.start();
  });
  afterAll(() => cluster.stop());

  const open = (name: string, schema: string, historyMs: number): Promise<ClusterNode> =>
    cluster.open({ name, schema, historyMs });
  const write = async ({ graph }: ClusterNode, key: string, state: string): Promise<number> => {
    const written = { ...entity('host', 'Host', key), properties: { state } };
    await graph.write({ entities: [written], relationships: [] });
    return graph.durableVersion;
  };
  const at = async ({ graph }: ClusterNode, seq: number): Promise<unknown> =>
    recordsIn(await graph.history.snapshot({ seq }, { includeDeleted: true }));

  it('is the same on each, also on one that joins later, whichever node took each write', async () => {
    const [a, b] = [await open('a', 'same', DAY_MS), await open('b', 'same', DAY_MS)];
    const then = new Map<number, unknown>();
    for (const [node, key, state] of [
      [a, 'web', 'up'],
      [b, 'web', 'down'],
      [b, 'db', 'up'],
      [a, 'db', 'gone'],
    ] as const) {
      const seq = await write(node, key, state);
      then.set(seq, recordsOf(node.graph));
    }
    const last = Math.max(...then.keys());
    await Promise.all([a, b].map((node) => shown(node, last)));
    const late = await open('late', 'same', DAY_MS);
    await shown(late, last);

    for (const node of [a, b, late])
      for (const [seq, records] of then) expect(await at(node, seq)).toEqual(records);
    expect(late.graph.history.horizon).toMatchObject({ first: a.graph.history.horizon?.first });
  });

  it('has the same differences on each, whichever node took each write', async () => {
    const [a, b] = [await open('a', 'diff', DAY_MS), await open('b', 'diff', DAY_MS)];
    const first = await write(a, 'web', 'up');
    await shown(b, first);
    await write(b, 'web', 'down');
    const last = await write(b, 'db', 'up');
    await shown(a, last);
    const late = await open('late', 'diff', DAY_MS);
    await shown(late, last);
    const span = { from: first, to: last, limit: 10, pause: () => Promise.resolve() };

    const pages = await Promise.all([a, b, late].map(({ graph }) => graph.diff.page(span)));

    expect(pages[0]?.changes).toMatchObject([
      { change: 'created', key: 'db' },
      { change: 'changed', key: 'web', fields: [{ name: 'state', old: 'up', new: 'down' }] },
    ]);
    for (const page of pages) expect(page).toEqual(pages[0]);
  });

  it('has the same changes under the same ids on each, and a reader of one goes on at another', async () => {
    const [a, b] = [await open('a', 'feed', DAY_MS), await open('b', 'feed', DAY_MS)];
    const first = await write(a, 'web', 'up');
    await shown(b, first);
    await write(b, 'web', 'down');
    await write(b, 'db', 'up');
    await shown(a, b.graph.durableVersion);
    const last = await write(a, 'db', 'gone');
    await shown(b, last);
    const late = await open('late', 'feed', DAY_MS);
    await shown(late, last);

    const all = await Promise.all([a, b, late].map(({ graph }) => changesFrom(graph, String(first))));
    const rest = await changesFrom(b.graph, all[0]?.[0]?.id ?? '');

    expect(all[0]).toMatchObject([
      { kind: 'changed', key: 'web', fields: [{ name: 'state', old: 'up', new: 'down' }] },
      { kind: 'created', key: 'db' },
      { kind: 'changed', key: 'db', fields: [{ name: 'state', old: 'up', new: 'gone' }] },
    ]);
    for (const changes of all) expect(changes).toEqual(all[0]);
    expect(rest).toEqual(all[0]?.slice(1));
  });

  it('begins anew on each after a batch of a node that keeps none', async () => {
    const [a, b] = [await open('a', 'mixed', DAY_MS), await open('b', 'mixed', DAY_MS)];
    const none = await open('none', 'mixed', 0);
    const first = await write(a, 'web', 'up');
    await shown(none, first);
    const foreign = await write(none, 'web', 'down');
    await Promise.all([a, b].map((node) => shown(node, foreign)));
    const last = await write(b, 'web', 'gone');
    await shown(a, last);
    const late = await open('late', 'mixed', DAY_MS);
    await shown(late, last);

    for (const node of [a, b, late]) {
      await expect(at(node, first)).rejects.toMatchObject({
        code: 'BEYOND_HISTORY',
        details: { first: foreign },
      });
      expect(await at(node, foreign)).toMatchObject({ entities: [{ properties: { state: 'down' } }] });
    }
  });
});

async function changesFrom({ feed }: Graph, token: string) {
  const place = await feed.placeAfter(parseFeedToken(token, 'from'), 'from');
  const window = await feed.window(place);
  return [...window.changes()].map((change) => {
    const { kind, fields, after, before } = change;
    return { id: feed.idOf(change), kind, fields, key: (after ?? before)?.entity?.key };
  });
}
