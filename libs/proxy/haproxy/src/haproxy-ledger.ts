import type { ClusterSnapshot, ListenerSnapshot, ProxySnapshot } from '#proxy/engine';
import type { HaproxyReport } from './haproxy-reader.ts';
import { isSameProcess, type ProcessInfo } from './process-info.ts';
import { type ReadTotal, responseTotals, RunningTotals } from './running-totals.ts';
import { serverSnapshot } from './server-snapshot.ts';
import { stateKey } from './server-states.ts';
import type { BackendRow, FrontendRow } from './stat-report.ts';

/** The part of a snapshot that comes from HAProxy's reports. */
export type HaproxyFacts = Pick<
  ProxySnapshot,
  'uptimeMs' | 'downstreamCxTotal' | 'downstreamCxActive' | 'listeners' | 'clusters'
>;

/** HAProxy does not report rejections by its limits, and they are not those of a circuit breaker. */
const NO_LIMIT = { used: undefined, limit: undefined, rejected: undefined };
const NO_BREAKER = { max_connections: NO_LIMIT, max_pending_requests: NO_LIMIT, max_requests: NO_LIMIT };

/**
 * Accumulates counters across HAProxy processes, and converts the latest report to the shapes of a snapshot.
 */
export class HaproxyLedger {
  readonly #totals = new RunningTotals();
  #process: ProcessInfo | undefined;
  #facts: HaproxyFacts = {
    uptimeMs: 0,
    downstreamCxTotal: 0,
    downstreamCxActive: 0,
    listeners: [],
    clusters: [],
  };

  get facts(): HaproxyFacts {
    return this.#facts;
  }

  /** Returns whether a new process has taken over since the previous report. */
  take(report: HaproxyReport, atMs: number): { readonly isNewProcess: boolean } {
    const before = this.#process;
    const isNewProcess = before !== undefined && !isSameProcess(before, report.process);
    this.#process = report.process;
    this.#totals.begin(!isNewProcess);
    const listeners = report.frontends.map((row) => this.#listener(row));
    const clusters = report.backends.map((row) => this.#cluster(row, report, atMs));
    this.#facts = {
      uptimeMs: report.process.uptimeSec * 1_000,
      downstreamCxTotal: this.#totals.sum('frontend connections'),
      downstreamCxActive: listeners.reduce((sum, { cxActive }) => sum + cxActive, 0),
      listeners,
      clusters,
    };
    return { isNewProcess };
  }

  /** HAProxy is unreachable: its clusters are kept, but nothing is healthy or open. */
  lose(): void {
    const { listeners, clusters } = this.#facts;
    this.#facts = {
      ...this.#facts,
      uptimeMs: 0,
      downstreamCxActive: 0,
      listeners: listeners.map((listener) => ({ ...listener, cxActive: 0 })),
      clusters: clusters.map(lostCluster),
    };
  }

  #listener(row: FrontendRow): ListenerSnapshot {
    const total: ReadTotal = (kind, value) => this.#totals.read(`frontend ${kind}`, row.name, value);
    return {
      name: row.name,
      address: '',
      protocol: row.mode === 'tcp' ? 'tcp' : 'http',
      cxTotal: total('connections', row.connectionsTotal),
      cxActive: row.connectionsNow,
      cxRefused: total('denied', row.connectionsDenied),
      cxRefusedForDescriptors: undefined,
      requestsActive: undefined,
      requestsByClass: responseTotals(total, row.responses),
      parseErrors: total('request errors', row.requestErrors),
      headerTimeouts: undefined,
      idleTimeouts: undefined,
      requestTimeouts: undefined,
      unrouted: undefined,
      clientAborts: undefined,
      tlsErrors: undefined,
      bytesReceived: total('bytes received', row.bytesReceived),
      bytesSent: total('bytes sent', row.bytesSent),
    };
  }

  #cluster({ name, algorithm, retries }: BackendRow, report: HaproxyReport, atMs: number): ClusterSnapshot {
    const servers = report.servers.filter(({ backend }) => backend === name);
    const endpoints = servers.map((server) => {
      const key = stateKey(name, server.name);
      const total: ReadTotal = (kind, value) => this.#totals.read(`server ${kind}`, key, value);
      return serverSnapshot(server, { state: report.serverStates.get(key), atMs, total });
    });
    const made = this.#totals.read('backend retries', name, retries);
    return {
      name,
      lbPolicy: algorithm,
      endpoints,
      breaker: NO_BREAKER,
      retries: { active: undefined, limit: undefined, made, overLimit: undefined, overBudget: undefined },
      noHealthyEndpoint: undefined,
      upstreamFailures: undefined,
      durations: undefined,
    };
  }
}

function lostCluster(cluster: ClusterSnapshot): ClusterSnapshot {
  const lost = { healthy: false, activeRequests: 0 };
  const endpoints = cluster.endpoints.map((endpoint) => ({
    ...endpoint,
    ...lost,
    targets: endpoint.targets.map((target) => ({ ...target, ...lost })),
  }));
  return { ...cluster, endpoints };
}
