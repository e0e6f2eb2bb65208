import { NEVER_MS } from '#graph/memory';
import type { ChangePlan, RelationshipDelete } from '../plan/change-plan.ts';

/** Deleted before all times: no reader sees the records, and no retention keeps them. */
export function expireAtOnce({ entities, relationships }: ChangePlan): void {
  for (const [id, change] of entities) entities.set(id, expiredNow(change));
  for (const [id, change] of relationships) relationships.set(id, expiredNow(change));
}

function expiredNow<T extends { readonly kind: string; readonly stamp: RelationshipDelete['stamp'] }>(
  change: T,
): T {
  return change.kind === 'delete' ? { ...change, stamp: { ...change.stamp, deletedAtMs: NEVER_MS } } : change;
}
