import type { ChangePlan } from './change-plan.ts';
import type { UpsertOutcome } from './entity-planner.ts';

/** How many upserts came to what. Folded ones count for nothing. */
export class Tally {
  created = 0;
  updated = 0;
  unchanged = 0;

  add(outcome: UpsertOutcome): void {
    if (outcome !== 'folded') this[outcome]++;
  }

  get written(): number {
    return this.created + this.updated + this.unchanged;
  }
}

/** What a plan came to; deletes are counted in the plan itself, since some follow from others. */
export interface PlanCounts {
  readonly entities: Tally;
  readonly relationships: Tally;
  readonly entitiesDeleted: number;
  readonly relationshipsDeleted: number;
}

export function planCounts(plan: ChangePlan, entities: Tally, relationships: Tally): PlanCounts {
  return {
    entities,
    relationships,
    entitiesDeleted: countDeletes(plan.entities.values()),
    relationshipsDeleted: countDeletes(plan.relationships.values()),
  };
}

function countDeletes(changes: Iterable<{ readonly kind: string }>): number {
  let count = 0;
  for (const change of changes) if (change.kind === 'delete') count++;
  return count;
}
