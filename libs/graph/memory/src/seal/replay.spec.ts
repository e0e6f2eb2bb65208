import { describe, expect, it } from '@jest/globals';
import { entityId, relationshipId, type RelationshipInput } from '#graph/model';
import { entity, FIXTURE, putData, putEntity, relationship, STAMP, TEST_OPTIONS } from '#graph/testing';
import { completed } from '#platform/foundation';
import { MemoryGraph } from '../memory-graph.ts';

const DAY_MS = 86_400_000;
const OWNERS = ['test'];

/** Seals, and calls `write` during the build of the next base. */
async function sealedDuring(graph: MemoryGraph, write: () => void): Promise<MemoryGraph> {
  const sealing = graph.seal();
  write();
  await sealing;
  return graph;
}

function touchAll(graph: MemoryGraph): void {
  const snapshot = graph.snapshot();
  for (const node of completed(snapshot.select({ names: '*' }))) {
    for (const link of graph.linksOf(node))
      graph.touchRelationship(2, link, { stamp: STAMP, owners: OWNERS });
    graph.touchEntity(2, node, { stamp: STAMP, owners: OWNERS });
  }
  graph.publish(2);
}

describe('a write during a seal', () => {
  it('is stored without a text if it keeps the sealed content', async () => {
    const [quiet, seen] = [0, 1].map(() => {
      const graph = MemoryGraph.create(TEST_OPTIONS);
      putData(graph, FIXTURE);
      return graph;
    }) as [MemoryGraph, MemoryGraph];

    await quiet.seal();
    await sealedDuring(seen, () => touchAll(seen));

    expect(seen.stats().deltaVersions).toBeGreaterThan(FIXTURE.entities.length);
    expect(seen.stats().bytes).toBe(quiet.stats().bytes);
  });

  it('deletes relationships that the seal has among the live ones', async () => {
    const graph = MemoryGraph.create(TEST_OPTIONS);
    putData(graph, FIXTURE);
    const alice = entityId('user', 'alice');

    await sealedDuring(graph, () => {
      const stamp = { ...STAMP, deletedAtMs: STAMP.syncedAtMs };
      for (const link of graph.linksOf(graph.findEntity(alice))) graph.deleteRelationship(2, link, stamp);
      graph.publish(2);
    });

    const snapshot = graph.snapshot();
    const node = Uint32Array.of(snapshot.nodeById(alice));
    const ends = { count: 0, nodes: new Uint32Array(0), links: new Uint32Array(0) };
    const found = (['out', 'in', 'any'] as const).map((direction) => {
      const adjacency = snapshot.adjacency('*', direction);
      adjacency.read(node[0] ?? -1, ends);
      const links = ends.count;
      adjacency.readEnds(node, ends);
      return [links, ends.count, adjacency.image(node).length];
    });
    expect(found.flat()).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0]);
    expect(snapshot.adjacency('*', 'out').image(completed(snapshot.select({ names: '*' })))).not.toHaveLength(
      0,
    );
  });

  it('keeps its content, also of records that the seal removes and of old tombstones', async () => {
    let nowMs = STAMP.syncedAtMs;
    const graph = MemoryGraph.create({ ...TEST_OPTIONS, retentionMs: DAY_MS, nowMs: () => nowMs });
    const hosts = ['a', 'b', 'c'].map((key) => entity('host', 'Host', key, { note: `of ${key}` }));
    const [a, b, c] = hosts as [(typeof hosts)[0], (typeof hosts)[0], (typeof hosts)[0]];
    const links: readonly RelationshipInput[] = [
      { ...relationship(a, 'USES', b), key: 'first', properties: { n: 1 } },
      { ...relationship(b, 'RUNS', c), properties: { n: 2 } },
    ];
    putData(graph, { entities: hosts, relationships: links });
    const nodes = hosts.map(({ type, key }) => entityId(type, key));
    const ids = links.map(({ from, verb, to, key }) =>
      relationshipId(entityId(from.type, from.key), verb, entityId(to.type, to.key), key),
    );
    const stamp = { ...STAMP, deletedAtMs: nowMs };
    for (const id of ids) graph.deleteRelationship(2, graph.findRelationship(id), stamp);
    for (const id of nodes) graph.deleteEntity(2, graph.findEntity(id), stamp);
    graph.publish(2);
    await graph.seal();
    nowMs += 2 * DAY_MS;
    putEntity(graph, 3, entity('host', 'Host', 'other'));
    graph.publish(3);

    await sealedDuring(graph, () => {
      for (const id of nodes) graph.touchEntity(4, graph.findEntity(id), { stamp, owners: OWNERS });
      for (const id of ids) graph.touchRelationship(4, graph.findRelationship(id), { stamp, owners: OWNERS });
    });

    const states = nodes.map((id) => graph.entityState(graph.findEntity(id)));
    expect(states.map((state) => [state.key, state.properties()['note'], state.isDeleted])).toEqual([
      ['a', 'of a', true],
      ['b', 'of b', true],
      ['c', 'of c', true],
    ]);
    const found = ids.map((id) => graph.relationshipState(graph.findRelationship(id)));
    expect(found.map((state) => [state.verb, state.key, state.properties()['n'], state.isDeleted])).toEqual([
      ['USES', 'first', 1, true],
      ['RUNS', undefined, 2, true],
    ]);
  });
});
