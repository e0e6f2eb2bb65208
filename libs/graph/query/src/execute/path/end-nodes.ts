import type { Warning } from '#graph/model';
import { nearestNames, type Steps } from '#platform/foundation';
import type { EndPlan } from '../../plan/search-plan.ts';
import { type ExecutionContext, NodeSet } from '#graph/execution';

const NEAREST_MAX = 3;
/** Maximum number of keys compared for a hint: a hint must not cost more than a query. */
const COMPARED_MAX = 200_000;
const PORTION = 1_024;

/** The entities at one end of a search. */
export function* endNodes({ reader, pace }: ExecutionContext, { selection, id }: EndPlan): Steps<NodeSet> {
  const nodes = yield* pace.through(reader.select(selection));
  const byId = id === undefined ? -1 : reader.nodeById(id);
  const all = byId < 0 ? nodes : reader.sort(Uint32Array.of(...nodes, byId));
  return new NodeSet(all, true, reader.nodeBound);
}

/** Warns of an end without a match, so that an empty result is not mistaken for a safe one. */
export function* unknownKey(context: ExecutionContext, end: EndPlan): Generator<void, Warning> {
  const nearest = yield* nearestKeys(context, end);
  const asked = end.keys.map((key) => `\`${key}\``).join(', ');
  const what =
    asked === ''
      ? 'nothing matches this end of the search'
      : `nothing with the key ${asked} matches this end of the search`;
  const [first] = nearest;
  const hint = first === undefined ? '' : `; did you mean \`${first}\`?`;
  return { code: 'UNKNOWN_KEY', message: what + hint, position: end.span.start, nearest };
}

function* nearestKeys(
  { reader, pace }: ExecutionContext,
  { selection, keys }: EndPlan,
): Generator<void, readonly string[]> {
  if (keys.length === 0) return [];
  const all = yield* pace.through(reader.select({ names: selection.names }));
  const nodes = all.subarray(0, COMPARED_MAX);
  const found = new Map<string, readonly string[]>(keys.map((key) => [key, []]));
  for (let start = 0; start < nodes.length; start += PORTION) {
    const portion = Array.from(nodes.subarray(start, start + PORTION), (node) =>
      String(reader.nodeField(node, '_key')),
    );
    for (const [key, nearest] of found)
      found.set(key, nearestNames(key, [...nearest, ...portion], NEAREST_MAX));
    if (pace.isDue(PORTION * 16 * keys.length)) yield;
  }
  return [...new Set([...found.values()].flat())].slice(0, NEAREST_MAX);
}
