import {
  buildBase,
  encodeEntityHead,
  encodeProperties,
  type GraphWriter,
  type MemoryGraph,
  type MemoryGraphOptions,
  type RunSeal,
  type Stamp,
} from '#graph/memory';
import { entityId, type EntityInput, relationshipId, type RelationshipInput } from '#graph/model';
import { type GraphData, TEST_STAMP } from './graph-data.ts';

/** Builds on this thread, from a copy of the input as received by a worker. */
export const sealHere: RunSeal = async (input) => {
  const copy = structuredClone(input);
  await Promise.resolve();
  return buildBase(copy);
};

export const TEST_OPTIONS: MemoryGraphOptions = {
  sealIdleMs: 0,
  runSeal: sealHere,
  nowMs: () => TEST_STAMP.atMs,
};

export const STAMP: Stamp = {
  connectorId: TEST_STAMP.connectorId,
  syncId: TEST_STAMP.syncId,
  syncedAtMs: TEST_STAMP.atMs,
  createdAtMs: TEST_STAMP.atMs,
  updatedAtMs: TEST_STAMP.atMs,
  lastSeenAtMs: TEST_STAMP.atMs,
  deletedAtMs: null,
  version: TEST_STAMP.version,
};

export function putEntity(graph: GraphWriter, seq: number, input: EntityInput, stamp = STAMP): number {
  const owners = ['test'];
  const id = entityId(input.type, input.key);
  return graph.putEntity(seq, { id, head: encodeEntityHead(id, input), input, stamp, owners });
}

export function putRelationship(
  graph: GraphWriter,
  seq: number,
  input: RelationshipInput,
  stamp = STAMP,
): number {
  const owners = ['test'];
  const fromId = entityId(input.from.type, input.from.key);
  const toId = entityId(input.to.type, input.to.key);
  return graph.putRelationship(seq, {
    id: relationshipId(fromId, input.verb, toId, input.key),
    from: graph.findEntity(fromId),
    to: graph.findEntity(toId),
    verb: input.verb,
    key: input.key,
    propertiesJson: encodeProperties(input.properties, '', input.kinds),
    stamp,
    owners,
  });
}

export function putData(graph: MemoryGraph, data: GraphData): void {
  for (const item of data.entities) putEntity(graph, 1, item);
  for (const item of data.relationships) putRelationship(graph, 1, item);
  graph.publish(1);
}
