import type { Steps } from '#foundation';
import type { EndPlan } from '../plan/search-plan.ts';
import type { ExecutionContext } from './execution-context.ts';
import { NodeSet } from './node-set.ts';

/** The entities at one end of a search. */
export function* endNodes({ reader, pace }: ExecutionContext, { selection, id }: EndPlan): Steps<NodeSet> {
  const nodes = yield* pace.through(reader.select(selection));
  const byId = id === undefined ? -1 : reader.nodeById(id);
  const all = byId < 0 ? nodes : reader.sort(Uint32Array.of(...nodes, byId));
  return new NodeSet(all, true, reader.nodeBound);
}
