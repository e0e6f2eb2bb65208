import type { Cluster, Endpoint } from '../feed/proxy-state.ts';

/** The state of an endpoint. One that was never checked is unknown, not healthy. */
export type EndpointState = 'healthy' | 'failing' | 'ejected' | 'disabled' | 'not resolved' | 'not checked';

/** Ordered by urgency for an operator. */
export const STATE_ORDER: readonly EndpointState[] = [
  'failing',
  'not resolved',
  'ejected',
  'disabled',
  'not checked',
  'healthy',
];

export function stateOf(
  endpoint: Pick<
    Endpoint,
    'healthy' | 'is_disabled' | 'is_ejected' | 'last_check' | 'resolve_fault' | 'targets'
  >,
): EndpointState {
  if (endpoint.is_disabled) return 'disabled';
  if (endpoint.resolve_fault !== null && endpoint.targets.length === 0) return 'not resolved';
  if (endpoint.is_ejected === true) return 'ejected';
  if (endpoint.last_check === null) return 'not checked';
  return endpoint.healthy ? 'healthy' : 'failing';
}

export type StateCounts = ReadonlyMap<EndpointState, number>;

export function countStates(clusters: readonly Cluster[]): StateCounts {
  const counts = new Map<EndpointState, number>();
  for (const endpoint of clusters.flatMap(({ endpoints }) => endpoints)) {
    const state = stateOf(endpoint);
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  return counts;
}

/** `2 of 3 healthy, 1 not checked`. */
export function statesText(counts: StateCounts): string {
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const unknown = counts.get('not checked') ?? 0;
  if (all === 0) return 'no endpoint';
  if (unknown === all) return `${all} not checked`;
  const known = `${counts.get('healthy') ?? 0} of ${all} healthy`;
  return unknown === 0 ? known : `${known}, ${unknown} not checked`;
}

/** Good only when all are known to be healthy. */
export function kindOf(counts: StateCounts): 'good' | 'warn' | 'bad' | 'none' {
  const [working, unknown] = [counts.get('healthy') ?? 0, counts.get('not checked') ?? 0];
  const rest = [...counts.values()].reduce((sum, count) => sum + count, 0) - working - unknown;
  if (rest > 0) return working + unknown === 0 ? 'bad' : 'warn';
  return unknown > 0 || working === 0 ? 'none' : 'good';
}
