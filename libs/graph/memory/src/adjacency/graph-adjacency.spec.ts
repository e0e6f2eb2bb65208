import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { arbitraryGraph, arbitraryVerbs, FIXTURE, putData, TEST_OPTIONS } from '#graph/testing';
import { completed } from '#platform/foundation';
import { MemoryGraph } from '../memory-graph.ts';

describe('the adjacency of a sealed graph', () => {
  it('estimates the cost of a hop as the number of nodes and their links', async () => {
    const law = fc.asyncProperty(
      fc.oneof(fc.constant(FIXTURE), arbitraryGraph),
      arbitraryVerbs,
      fc.constantFrom('out' as const, 'in' as const, 'any' as const),
      fc.func(fc.boolean()),
      async (data, verbs, direction, isChosen) => {
        const graph = MemoryGraph.create(TEST_OPTIONS);
        putData(graph, data);
        await graph.seal();
        const snapshot = graph.snapshot();
        const adjacency = snapshot.adjacency(verbs, direction);
        const nodes = completed(snapshot.select({ names: '*' })).filter((node) => isChosen(node));
        const ends = { count: 0, nodes: new Uint32Array(0) };

        adjacency.readEnds(nodes, ends);

        expect(adjacency.estimate(nodes)).toBe(nodes.length + ends.count);
      },
    );
    await fc.assert(law);
  });
});
