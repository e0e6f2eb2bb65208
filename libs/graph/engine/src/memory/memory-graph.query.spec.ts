import { queryConformance } from '#graph/testing';
import { putData, TEST_OPTIONS } from '../../test/graph-of.ts';
import { MemoryGraph } from './memory-graph.ts';

queryConformance('a delta', (data) => {
  const graph = MemoryGraph.create(TEST_OPTIONS);
  putData(graph, data);
  return graph.snapshot();
});

queryConformance('a sealed base', async (data) => {
  const graph = MemoryGraph.create(TEST_OPTIONS);
  putData(graph, data);
  await graph.seal();
  return graph.snapshot();
});
