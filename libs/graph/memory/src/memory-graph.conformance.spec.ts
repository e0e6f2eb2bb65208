import { graphReaderConformance, putData, putEntity, putRelationship, TEST_OPTIONS } from '#graph/testing';
import { MemoryGraph } from './memory-graph.ts';
import { GraphSnapshot } from './snapshot/graph-snapshot.ts';

graphReaderConformance('a snapshot of the delta alone', (data) => {
  const graph = MemoryGraph.create(TEST_OPTIONS);
  putData(graph, data);
  return graph.snapshot();
});

graphReaderConformance('a snapshot of a sealed base', async (data) => {
  const graph = MemoryGraph.create(TEST_OPTIONS);
  putData(graph, data);
  await graph.seal();
  return graph.snapshot();
});

graphReaderConformance('a snapshot of an image', async (data) => {
  const graph = MemoryGraph.create(TEST_OPTIONS);
  putData(graph, data);
  await graph.seal();
  const { seq, parts } = graph.exportImage();
  return MemoryGraph.fromImage(
    seq,
    parts.map(({ bytes }) => Uint8Array.from(bytes)),
    TEST_OPTIONS,
  ).snapshot();
});

graphReaderConformance('a snapshot of a base and a delta', async (data) => {
  const graph = MemoryGraph.create(TEST_OPTIONS);
  const half = data.entities.length >> 1;
  for (const item of data.entities.slice(0, half)) putEntity(graph, 1, item);
  const isOld = ({ type, key }: { type: string; key: string }) =>
    data.entities.slice(0, half).some((item) => item.type === type && item.key === key);
  const old = data.relationships.filter(({ from, to }) => isOld(from) && isOld(to));
  for (const item of old) putRelationship(graph, 1, item);
  graph.publish(1);
  await graph.seal();
  for (const item of data.entities.slice(half)) putEntity(graph, 2, item);
  for (const item of data.relationships) if (!old.includes(item)) putRelationship(graph, 2, item);
  graph.publish(2);
  return graph.snapshot();
});

graphReaderConformance('a snapshot on another thread of a base and a delta', async (data) => {
  const graph = MemoryGraph.create(TEST_OPTIONS);
  const half = data.entities.length >> 1;
  for (const item of data.entities.slice(0, half)) putEntity(graph, 1, item);
  graph.publish(1);
  await graph.seal();
  for (const item of data.entities.slice(half)) putEntity(graph, 2, item);
  for (const item of data.relationships) putRelationship(graph, 2, item);
  graph.publish(2);
  return GraphSnapshot.attach(structuredClone(graph.snapshot().share()));
});
