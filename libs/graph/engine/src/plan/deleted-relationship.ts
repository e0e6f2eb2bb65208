import type { MemoryGraph, RelationshipState } from '#graph/memory';
import { entityId, relationshipId } from '#graph/model';
import type { PlannedEnd, RelationshipDelete } from './change-plan.ts';
import type { SourcePlanner } from './source-planner.ts';
import type { Stamper } from './stamper.ts';

/** The identity of a relationship, as in its record's key. */
export interface LinkIdentity {
  readonly id: string;
  readonly from: PlannedEnd;
  readonly to: PlannedEnd;
}

export function linkIdentity(memory: MemoryGraph, state: RelationshipState): LinkIdentity {
  const from = nodeEnd(memory, state.from);
  const to = nodeEnd(memory, state.to);
  return { id: relationshipId(from.id, state.verb, to.id, state.key), from, to };
}

/** The deletion of a live relationship, with its last content. */
export function deletedRelationship(
  parts: { readonly memory: MemoryGraph; readonly stamper: Stamper; readonly sources: SourcePlanner },
  link: number,
): RelationshipDelete {
  const state = parts.memory.relationshipState(link);
  const identity = linkIdentity(parts.memory, state);
  return {
    kind: 'delete',
    ...identity,
    link,
    verb: state.verb,
    key: state.key,
    propertiesJson: state.propertiesJson(),
    stamp: parts.stamper.deleted(state.stamp),
    owners: state.owners,
    statements: parts.sources.ended(identity.id),
  };
}

function nodeEnd(memory: MemoryGraph, node: number): PlannedEnd {
  const { type, key } = memory.entityState(node);
  return { id: entityId(type, key), type, key, node, put: undefined };
}
