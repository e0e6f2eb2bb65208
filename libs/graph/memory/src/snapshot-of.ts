import { entityId, type EntityInput, relationshipId, type RelationshipInput } from '#graph/model';
import { encodeEntityHead, encodeProperties } from './head/item-head.ts';
import { MemoryGraph } from './memory-graph.ts';
import type { GraphSnapshot } from './snapshot/graph-snapshot.ts';
import type { Stamp } from './stamp/version.ts';

const SEQ = 1;
const NO_OWNERS: readonly string[] = [];

export interface GraphContent {
  readonly entities: readonly EntityInput[];
  /** Ends refer to entities of this content. */
  readonly relationships: readonly RelationshipInput[];
}

/** A snapshot of a small unstored graph, with all records last seen at `atMs`. */
export function snapshotOf({ entities, relationships }: GraphContent, atMs: number): GraphSnapshot {
  const graph = MemoryGraph.create({ sealIdleMs: 0 });
  const stamp = stampAt(atMs);
  for (const input of entities) {
    const id = entityId(input.type, input.key);
    graph.putEntity(SEQ, { id, head: encodeEntityHead(id, input), input, stamp, owners: NO_OWNERS });
  }
  for (const { from, verb, to, key, properties, kinds } of relationships) {
    const fromId = entityId(from.type, from.key);
    const toId = entityId(to.type, to.key);
    graph.putRelationship(SEQ, {
      id: relationshipId(fromId, verb, toId, key),
      from: nodeOf(graph, fromId),
      to: nodeOf(graph, toId),
      verb,
      key,
      propertiesJson: encodeProperties(properties, '', kinds),
      stamp,
      owners: NO_OWNERS,
    });
  }
  graph.publish(SEQ);
  return graph.snapshot();
}

function nodeOf(graph: MemoryGraph, id: string): number {
  const node = graph.findEntity(id);
  if (node < 0) throw new RangeError('an end of a relationship is not among the entities');
  return node;
}

function stampAt(atMs: number): Stamp {
  const times = {
    syncedAtMs: atMs,
    createdAtMs: atMs,
    updatedAtMs: atMs,
    lastSeenAtMs: atMs,
    deletedAtMs: null,
  };
  return { connectorId: '', syncId: '', ...times, version: 1 };
}
