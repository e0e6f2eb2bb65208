/**
 * Applies a plan from the log to memory, where readers see it after its sequence number is published.
 */
import type { MemoryGraph } from '#graph/memory';
import type {
  ChangePlan,
  EntityChange,
  PlannedEnd,
  RelationshipChange,
  RelationshipPut,
} from '../plan/change-plan.ts';
import { ROWS_PER_SLICE } from '../plan/drop-planner.ts';
import type { PlanGround } from '../plan/request-planner.ts';

/** Yields regularly. Entities precede relationships, which need their ends. */
export function* applyPlan(ground: PlanGround, plan: ChangePlan, seq: number): Generator<undefined, void> {
  const { memory, sources } = ground;
  const { priority } = plan;
  if (priority !== undefined) sources.setPriority(seq, priority.connectorId, priority.priority);
  let rows = 0;
  for (const change of plan.entities.values()) {
    applyEntity(memory, seq, change);
    if (change.statements !== undefined) sources.set(seq, change.id, change.statements);
    if (++rows % ROWS_PER_SLICE === 0) yield;
  }
  for (const change of plan.relationships.values()) {
    applyRelationship(memory, seq, change);
    if (change.statements !== undefined) sources.set(seq, change.id, change.statements);
    if (++rows % ROWS_PER_SLICE === 0) yield;
  }
}

function applyEntity(memory: MemoryGraph, seq: number, change: EntityChange): void {
  switch (change.kind) {
    case 'put':
      change.node = memory.putEntity(seq, change, change.node);
      break;
    case 'touch':
      memory.touchEntity(seq, change.node, change);
      break;
    case 'delete':
      memory.deleteEntity(seq, change.node, change.stamp);
  }
}

function applyRelationship(memory: MemoryGraph, seq: number, change: RelationshipChange): void {
  switch (change.kind) {
    case 'put':
      putRelationship(memory, seq, change);
      break;
    case 'touch':
      memory.touchRelationship(seq, change.link, change);
      break;
    case 'delete':
      memory.deleteRelationship(seq, change.link, change.stamp);
  }
}

function putRelationship(memory: MemoryGraph, seq: number, change: RelationshipPut): void {
  const { id, verb, key, propertiesJson, stamp, owners } = change;
  const ends = { from: nodeOf(change.from), to: nodeOf(change.to) };
  memory.putRelationship(seq, { id, ...ends, verb, key, propertiesJson, stamp, owners }, change.link);
}

function nodeOf(end: PlannedEnd): number {
  return end.put === undefined ? end.node : end.put.node;
}
