import type { DocumentFault } from '#platform/config';
import type { ConfigRule, WrittenNode } from './written-node.ts';

/** A limit is never exceeded when it is divided: it must be at least 1 for each worker. */
export const workersRule: ConfigRule = (file) => {
  const { value: workers } = file.get('workers');
  if (typeof workers !== 'number') return [];
  const limits = [
    ...file.items('listeners').map((listener) => listener.get('max_connections')),
    ...file.items('clusters').flatMap(breakerLimits),
  ];
  return limits.flatMap((limit) => tooSmall(limit, workers));
};

function breakerLimits(cluster: WrittenNode): WrittenNode[] {
  const breaker = cluster.get('circuit_breaker');
  return [breaker.get('max_connections'), breaker.get('max_requests')];
}

function tooSmall(limit: WrittenNode, workers: number): DocumentFault[] {
  if (typeof limit.value !== 'number' || limit.value >= workers) return [];
  return [limit.fault(`expected at least one for each of the ${workers} workers, which divide it`)];
}
