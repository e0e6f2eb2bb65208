import type { ClusterVerdict, TargetVerdict } from '../source/explanation.ts';
import type { Cluster } from './cluster.ts';
import type { Target } from './target/target.ts';

/** The target that a request with this key would get now, with reasons. Takes no place. */
export function explainCluster(cluster: Cluster, key: string): ClusterVerdict {
  const { name, config, available } = cluster;
  const target = cluster.peek(key);
  return {
    name,
    lbPolicy: config.lbPolicy,
    endpoint: target?.endpoint.text,
    reason: reasonFor(cluster, available.length, target),
    targets: cluster.targets.map(verdictOn),
  };
}

function reasonFor({ config }: Cluster, available: number, target: Target | undefined): string {
  if (available === 0) return 'no endpoint is available: the answer would be 503';
  if (available === 1) return 'the only available endpoint';
  if (target === undefined) return `one of ${available}, at random`;
  if (config.lbPolicy === 'ring_hash') return 'first on the ring';
  return 'next in turn';
}

function verdictOn(target: Target): TargetVerdict {
  const { endpoint, address, isAvailable } = target;
  return { endpoint: endpoint.text, address, isAvailable, reason: stateOf(target) };
}

function stateOf({ isDisabled, isEjected, ejectedUntilMs, isHealthy, lastCheck }: Target): string {
  if (isDisabled) return 'disabled by an operator';
  if (isEjected) return `ejected until ${new Date(ejectedUntilMs).toISOString()}`;
  if (isHealthy) return lastCheck === undefined ? 'not checked' : `last check: ${lastCheck.reason}`;
  return lastCheck === undefined ? 'waits for its first check' : `unhealthy: ${lastCheck.reason}`;
}
