import type { CheckSnapshot, EndpointSnapshot, TargetSnapshot } from '#proxy/engine';
import { type ReadTotal, responseTotals } from './running-totals.ts';
import type { HaproxyServerState } from './server-states.ts';
import type { CheckRow, ServerRow } from './stat-report.ts';

export interface ServerContext {
  readonly state: HaproxyServerState | undefined;
  /** Time of the report, in milliseconds since the Unix epoch. */
  readonly atMs: number;
  /** Running totals of this server. */
  readonly total: ReadTotal;
}

/** A server of HAProxy as an endpoint. HAProxy resolves names itself, and shows one address at a time. */
export function serverSnapshot(row: ServerRow, { state, atMs, total }: ServerContext): EndpointSnapshot {
  const address = serverAddress(row, state);
  const target = targetSnapshot(row, address, atMs);
  return {
    address,
    weight: row.weight,
    healthy: target.healthy,
    activeRequests: target.activeRequests,
    isDisabled: state?.isSwitchedOff ?? false,
    isEjected: undefined,
    ejectedUntilMs: undefined,
    ejections: undefined,
    lastCheck: target.lastCheck,
    requestsTotal: total('requests', row.requestsTotal),
    requestsByClass: responseTotals(total, row.responses),
    connectFailures: total('connect failures', row.connectFailures),
    resets: total('response errors', row.responseErrors),
    timeouts: undefined,
    clientAborts: total('client aborts', row.clientAborts),
    checksPassed: undefined,
    checksFailed: total('failed checks', row.check?.failures ?? 0),
    connectionsTotal: undefined,
    connectionsActive: undefined,
    connectionsIdle: row.connectionsIdle,
    connectionsReused: total('connections reused', row.connectionsReused),
    durations: undefined,
    targets: [target],
    resolveFault: row.status === 'MAINT (resolution)' ? 'HAProxy cannot resolve the name' : undefined,
  };
}

/** The server's label: its address, or its name where HAProxy does not show the address. */
export function serverAddress({ address, name }: ServerRow, state: HaproxyServerState | undefined): string {
  if (address !== '' && address !== 'unix') return address;
  return state?.fqdn === undefined ? name : `${state.fqdn}:${state.port}`;
}

function targetSnapshot(row: ServerRow, address: string, atMs: number): TargetSnapshot {
  return {
    address,
    healthy: isHealthyStatus(row.status),
    activeRequests: row.requestsNow,
    isEjected: undefined,
    ejectedUntilMs: undefined,
    consecutive5xx: undefined,
    consecutiveConnectFailures: undefined,
    lastCheck: row.check && checkSnapshot(row.check, atMs),
  };
}

/** HAProxy reports neither the time of a check nor the number of equal results in a row. */
function checkSnapshot({ result, description, durationMs }: CheckRow, atMs: number): CheckSnapshot {
  return {
    at: atMs,
    result: /^L\d(?:OK|OKC)$/.test(result) ? 'passed' : 'failed',
    latencyMs: durationMs,
    reason: description === '' ? result : `${result}: ${description}`,
    streak: undefined,
  };
}

/**
 * Interprets HAProxy's server status: up, or not checked. `UP 1/3` is going down and `DOWN 1/2` is coming up;
 * DRAIN, MAINT and NOLB accept no new requests, whatever their checks report.
 */
export function isHealthyStatus(status: string): boolean {
  return status === 'no check' || /^UP(?: |$)/.test(status);
}
