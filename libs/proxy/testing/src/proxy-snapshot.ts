import type {
  ClusterSnapshot,
  EndpointSnapshot,
  ListenerSnapshot,
  ProxySnapshot,
  StatusClassCounts,
} from '#proxy/engine';

const NO_RESPONSES: StatusClassCounts = { '1xx': 0, '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0 };

/** A snapshot of an idle LIVE proxy, with these changes. */
export function proxySnapshot(parts: Partial<ProxySnapshot> = {}): ProxySnapshot {
  return {
    state: 'LIVE',
    uptimeMs: 0,
    downstreamCxTotal: 0,
    downstreamCxActive: 0,
    circuitBreakerRejected: 0,
    listeners: [],
    removedListeners: [],
    clusters: [],
    routeCount: 0,
    configReloads: { applied: 0, rejected: 0, unchanged: 0 },
    drain: { cutConnections: 0, cutRequests: 0 },
    breakerRejections: [],
    workers: undefined,
    ...parts,
  };
}

export function listenerSnapshot(name: string, parts: Partial<ListenerSnapshot> = {}): ListenerSnapshot {
  return {
    name,
    address: '127.0.0.1:8080',
    protocol: 'http',
    cxTotal: 0,
    cxActive: 0,
    cxRefused: 0,
    cxRefusedForDescriptors: 0,
    requestsActive: 0,
    requestsByClass: NO_RESPONSES,
    parseErrors: 0,
    headerTimeouts: 0,
    idleTimeouts: 0,
    requestTimeouts: 0,
    unrouted: 0,
    clientAborts: 0,
    tlsErrors: 0,
    bytesReceived: 0,
    bytesSent: 0,
    ...parts,
  };
}

export function clusterSnapshot(name: string, parts: Partial<ClusterSnapshot> = {}): ClusterSnapshot {
  const limit = { used: 0, limit: 1_024, rejected: 0 };
  return {
    name,
    lbPolicy: 'round_robin',
    endpoints: [],
    breaker: { max_connections: limit, max_pending_requests: limit, max_requests: limit },
    retries: { active: 0, limit: 3, made: 0, overLimit: 0, overBudget: 0 },
    noHealthyEndpoint: 0,
    upstreamFailures: undefined,
    durations: undefined,
    ...parts,
  };
}

export function endpointSnapshot(address: string, parts: Partial<EndpointSnapshot> = {}): EndpointSnapshot {
  return {
    address,
    weight: 1,
    healthy: true,
    activeRequests: 0,
    isDisabled: false,
    isEjected: false,
    ejectedUntilMs: undefined,
    ejections: 0,
    lastCheck: undefined,
    requestsTotal: 0,
    requestsByClass: NO_RESPONSES,
    connectFailures: 0,
    resets: 0,
    timeouts: 0,
    clientAborts: 0,
    checksPassed: 0,
    checksFailed: 0,
    connectionsTotal: 0,
    connectionsActive: 0,
    connectionsIdle: 0,
    connectionsReused: 0,
    durations: undefined,
    targets: [],
    resolveFault: undefined,
    ...parts,
  };
}
