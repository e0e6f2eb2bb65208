import type { Graph } from './graph.ts';
import type { GraphSnapshot } from '#graph/memory';
import type { Entity, Relationship } from '#graph/model';
import { completed } from '#platform/foundation';

/** Entities in result order, relationships ordered by id. */
export interface GraphRecords {
  readonly entities: readonly Entity[];
  readonly relationships: readonly Relationship[];
}

/** All records of a graph, including deleted ones. */
export function recordsOf(graph: Graph): GraphRecords {
  return recordsIn(graph.snapshot({ includeDeleted: true }));
}

/** All records of a snapshot, which is released. */
export function recordsIn(snapshot: GraphSnapshot): GraphRecords {
  const entities: Entity[] = [];
  const relationships: Relationship[] = [];
  const outgoing = snapshot.adjacency('*', 'out');
  const links = { count: 0, nodes: new Uint32Array(8), links: new Uint32Array(8) };
  for (const node of completed(snapshot.select({ names: '*' }))) {
    entities.push(snapshot.entity(node));
    outgoing.read(node, links);
    for (const link of links.links.subarray(0, links.count)) relationships.push(snapshot.relationship(link));
  }
  snapshot.release();
  return { entities, relationships: relationships.sort((a, b) => (a.id < b.id ? -1 : 1)) };
}
