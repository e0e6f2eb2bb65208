import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { WithSources } from '#graph/engine';
import { DomainError } from '#platform/foundation';
import { arbitraryPolicy, arbitrarySync, arbitraryWrite } from '#graph/testing';
import { effort } from '#testing';
import { Cluster, type ClusterNode, shown } from './cluster-harness.ts';
import { recordsOf } from '#graph/engine';

const NODES = 3;
const STEPS_MAX = 30;

const onNode = fc.nat({ max: NODES - 1 });
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      at: onNode,
      request: arbitraryWrite,
      onDangling: arbitraryPolicy,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('sync' as const),
      at: onNode,
      request: arbitrarySync,
      onDangling: arbitraryPolicy,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const), at: onNode }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

describe('nodes over one database', () => {
  let cluster: Cluster;
  let schemas = 0;

  beforeAll(async () => {
    cluster = await Cluster.start();
  });
  afterAll(() => cluster.stop());

  it('end with equal contents, whichever node took each write and whenever a node joined', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: STEPS_MAX }), async (steps) => {
        const schema = `p${String(schemas++)}`;
        const open = (at: number): Promise<ClusterNode> => cluster.open({ name: `n${String(at)}`, schema });
        const nodes = await Promise.all(Array.from({ length: NODES }, (_, at) => open(at)));
        // Concurrent writes.
        for (let at = 0; at < steps.length; at += NODES) {
          await Promise.all(steps.slice(at, at + NODES).map((each) => run(each, nodes)));
          for (const { kind, at: index } of steps.slice(at, at + NODES)) {
            const node = nodes[index];
            if (kind !== 'reopen' || node === undefined) continue;
            await cluster.close(node);
            nodes[index] = await open(index);
          }
        }
        const last = Math.max(...nodes.map(({ graph }) => graph.durableVersion));
        for (const node of nodes) await shown(node, last);
        const states = [...nodes, await cluster.open({ schema })].map(stateOf);

        for (const state of states) expect(state).toEqual(states[0]);
      }),
      { numRuns: effort(60, 15), plugins: [fc.afterEach(() => cluster.closeAll())] },
    );
  });
});

/** A request that one node rejects is rejected by every node. */
async function run(each: Step, nodes: readonly ClusterNode[]): Promise<void> {
  const graph = nodes[each.at]?.graph;
  try {
    if (each.kind === 'write') await graph?.write(each.request, { onDangling: each.onDangling });
    if (each.kind === 'sync') await graph?.sync(each.request, { onDangling: each.onDangling });
  } catch (error) {
    if (!(error instanceof DomainError) || error.code === 'STORE_UNAVAILABLE') throw error;
  }
}

function stateOf({ graph }: ClusterNode): object {
  const { entities, relationships } = recordsOf(graph);
  const live = entities.filter(({ deleted_at }) => deleted_at === null);
  const sources = live.map(({ id }): WithSources => graph.entityWithSources(id));
  const stats = { ...graph.stats(), storage: undefined };
  return { entities, relationships, sources, stats, syncs: [...graph.lastSyncs()].sort(byConnector) };
}

function byConnector(a: { readonly connector_id: string }, b: { readonly connector_id: string }): number {
  return a.connector_id < b.connector_id ? -1 : 1;
}
