/** Shows anew what a source states beside others, once its priority is another. */
import { entityId } from '#graph/model';
import { connectorsOf } from '../source/owner-marks.ts';
import { linkIdentity } from './deleted-relationship.ts';
import { type DropPlannerParts, ROWS_PER_SLICE } from './drop-planner.ts';

/** Of the records that the plan does not hold; yields now and then. Returns how many show something else. */
export function* rerankEntities(parts: DropPlannerParts): Generator<undefined, number> {
  const { memory, context, plan, entities } = parts;
  let rows = 0;
  let updated = 0;
  for (const node of memory.ownedEntities(context.connectorId)) {
    if (++rows % ROWS_PER_SLICE === 0) yield;
    const state = memory.entityState(node);
    if (connectorsOf(state.owners).length === 1) continue;
    const id = entityId(state.type, state.key);
    if (!plan.entities.has(id) && entities.rerank({ id, node, state }) === 'updated') updated++;
  }
  return updated;
}

export function* rerankRelationships(parts: DropPlannerParts): Generator<undefined, number> {
  const { memory, context, plan, relationships } = parts;
  let rows = 0;
  let updated = 0;
  for (const link of memory.ownedRelationships(context.connectorId)) {
    if (++rows % ROWS_PER_SLICE === 0) yield;
    const state = memory.relationshipState(link);
    if (connectorsOf(state.owners).length === 1) continue;
    const identity = linkIdentity(memory, state);
    if (plan.relationships.has(identity.id)) continue;
    if (relationships.rerank({ identity, link, state }) === 'updated') updated++;
  }
  return updated;
}
