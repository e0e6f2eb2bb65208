import type { DocumentFault } from '#platform/config';
import type { ConfigRule, WrittenNode } from './written-node.ts';

const HTTP_KEYS = [
  'header_timeout',
  'max_header_bytes',
  'request_timeout',
  'body_min_rate',
  'paths',
  'trusted_proxies',
];
const FORWARDING_KEYS = ['timeout', 'stream_timeout', 'strip_prefix', 'websocket', 'request_headers'];
const HTTP_CHECK_KEYS = ['path', 'expected'];
/** Policies without a key; a misspelt policy may have been meant as a ring. */
const POLICIES_WITHOUT_KEY: readonly unknown[] = [undefined, 'round_robin', 'least_request', 'random'];
const CARRIED_KEYS = ['workers', 'listeners', 'clusters', 'routes'];

/** Keys that need each other occur together; keys without effect do not occur. */
export const choicesRule: ConfigRule = (file) => [
  ...engineFaults(file),
  ...file.items('listeners').flatMap(listenerFaults),
  ...file.items('clusters').flatMap(clusterFaults),
  ...file.items('routes').flatMap(routeFaults),
];

function engineFaults(file: WrittenNode): DocumentFault[] {
  const engine = file.get('engine');
  if (engine.get('kind').text === 'haproxy') {
    const missing = engine.get('socket').isPresent
      ? []
      : [engine.fault('socket is missing: haproxy requires it')];
    return [...missing, ...present(file, CARRIED_KEYS, "HAProxy's own configuration has these")];
  }
  const misplaced = present(engine, ['socket', 'config'], 'only for the kind haproxy');
  return hasWork(file) ? misplaced : [...misplaced, file.fault('expected listeners, or an admin_address')];
}

/** Whether the file has anything to serve, valid or not. */
function hasWork(file: WrittenNode): boolean {
  const listeners = file.get('listeners');
  const isEmpty = Array.isArray(listeners.value) && listeners.value.length === 0;
  return !file.isTable || file.get('admin_address').isPresent || (listeners.isPresent && !isEmpty);
}

function listenerFaults(listener: WrittenNode): DocumentFault[] {
  const cluster = listener.get('cluster');
  const { value: protocol = 'http' } = listener.get('protocol');
  if (protocol === 'http')
    return present(listener, ['cluster'], 'only for tcp: on http, routes lead to clusters');
  if (protocol !== 'tcp') return [];
  const missing = cluster.isPresent ? [] : [listener.fault('cluster is missing: a tcp listener requires it')];
  return [...missing, ...present(listener, HTTP_KEYS, 'only for http')];
}

function clusterFaults(cluster: WrittenNode): DocumentFault[] {
  const needsNoKey = POLICIES_WITHOUT_KEY.includes(cluster.get('lb_policy').value);
  const check = cluster.get('health_check');
  return [
    ...(needsNoKey ? present(cluster, ['hash_key'], 'only for the lb_policy ring_hash') : []),
    ...(check.get('type').text === 'tcp' ? present(check, HTTP_CHECK_KEYS, 'only for the type http') : []),
  ];
}

function routeFaults(route: WrittenNode): DocumentFault[] {
  const hasCluster = route.get('cluster').isPresent;
  const hasRedirect = route.get('redirect').isPresent;
  if (!route.isTable) return [];
  if (hasRedirect && !hasCluster) return present(route, FORWARDING_KEYS, 'only for a route to a cluster');
  if (hasCluster !== hasRedirect) return [];
  return [
    route.fault(`expected ${hasCluster ? 'only one of cluster and redirect' : 'a cluster or a redirect'}`),
  ];
}

function present(node: WrittenNode, keys: readonly string[], why: string): DocumentFault[] {
  return keys.map((key) => node.get(key)).flatMap((child) => (child.isPresent ? [child.fault(why)] : []));
}

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
