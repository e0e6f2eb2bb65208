import { DomainError } from '#platform/foundation';
import type { Cluster } from '../cluster/cluster.ts';
import type { Target } from '../cluster/target/target.ts';
import type { ProxyConfig } from '../config/proxy-config.ts';
import { explainRoutes } from '../route/explain-routes.ts';
import type { ClusterVerdict, Explanation, Question, TargetVerdict } from '../source/explanation.ts';

/** Throws NOT_FOUND when the HTTP listener does not exist. */
export function explainRequest(
  { listeners, routes: configs, workers }: ProxyConfig,
  clusters: ReadonlyMap<string, Cluster>,
  { host, path, listener: wanted }: Question,
): Explanation {
  const http = listeners.filter(({ protocol }) => protocol === 'http');
  const listener = http.find(({ name }) => wanted === undefined || name === wanted)?.name;
  if (listener === undefined) {
    throw new DomainError('NOT_FOUND', `no HTTP listener is named ${wanted ?? 'anything'}`);
  }
  const routes = explainRoutes(configs, { listener, host, path });
  const route = routes.find(({ takes }) => takes);
  const config = route === undefined ? undefined : configs[route.index];
  const cluster = config?.cluster === undefined ? undefined : clusters.get(config.cluster);
  return {
    listener,
    host,
    path,
    routes,
    route,
    redirect: config?.redirect,
    cluster: cluster === undefined ? undefined : verdictOn(cluster, workers),
  };
}

/** Explains without a key, so a ring has no answer; with several workers, the accepting one is unknown. */
function verdictOn(cluster: Cluster, workers: number): ClusterVerdict {
  const verdict = explainCluster(cluster, '');
  const { lbPolicy, hashKey } = cluster.config;
  if (cluster.available.length < 2) return verdict;
  if (lbPolicy === 'round_robin' && workers > 1) {
    return { ...verdict, endpoint: undefined, reason: 'each worker takes them in turn' };
  }
  if (lbPolicy !== 'ring_hash') return verdict;
  const address = "the client's address";
  const key = hashKey.source === 'ip' ? address : `the header ${hashKey.header}, or ${address} without it,`;
  return { ...verdict, endpoint: undefined, reason: `${key} decides` };
}

/** The target that a request with this key would get now, with reasons. Takes no place. */
export function explainCluster(cluster: Cluster, key: string): ClusterVerdict {
  const { name, config, available } = cluster;
  const target = cluster.peek(key);
  return {
    name,
    lbPolicy: config.lbPolicy,
    endpoint: target?.endpoint.text,
    reason: reasonFor(cluster, available.length, target),
    targets: cluster.targets.map(targetVerdict),
  };
}

function reasonFor({ config }: Cluster, available: number, target: Target | undefined): string {
  if (available === 0) return 'no endpoint is available: the answer would be 503';
  if (available === 1) return 'the only available endpoint';
  if (target === undefined) return `one of ${available}, at random`;
  if (config.lbPolicy === 'ring_hash') return 'first on the ring';
  return 'next in turn';
}

function targetVerdict(target: Target): TargetVerdict {
  const { endpoint, address, isAvailable } = target;
  return { endpoint: endpoint.text, address, isAvailable, reason: stateOf(target) };
}

function stateOf(target: Target): string {
  const { isDisabled, isEjected, ejectedUntilMs, isHealthy, lastCheck } = target;
  if (target.weight === 0) return 'weight 0';
  if (isDisabled) return 'disabled by an operator';
  if (isEjected) return `ejected until ${new Date(ejectedUntilMs).toISOString()}`;
  if (isHealthy && target.isPassedOver) return 'passed over for a moment: it has just failed a request';
  if (isHealthy) return lastCheck === undefined ? 'not checked' : `last check: ${lastCheck.reason}`;
  return lastCheck === undefined ? 'waits for its first check' : `unhealthy: ${lastCheck.reason}`;
}
