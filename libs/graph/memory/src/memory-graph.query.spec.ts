import { putData, queryConformance, TEST_OPTIONS } from '#graph/testing';
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
