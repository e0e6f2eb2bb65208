import type { ClusterConfig } from '../config/proxy-config.ts';
import type { CheckSnapshot, ClusterSnapshot, EndpointSnapshot, TargetSnapshot } from '../source/snapshot.ts';
import type { Durations } from './target/durations.ts';
import type { Endpoint } from './endpoint.ts';
import type { Target } from './target/target.ts';

/** The parts of a snapshot, apart from the endpoints. */
export type ClusterFacts = Pick<
  ClusterSnapshot,
  'breaker' | 'retries' | 'noHealthyEndpoint' | 'upstreamFailures'
> & {
  /** Time of the monotonic clock. */
  readonly nowMs: number;
  /** Shared by the endpoints without their own. */
  readonly sharedDurations: Durations | undefined;
};

export interface ConfiguredCluster {
  readonly config: ClusterConfig;
  readonly endpoints: readonly Endpoint[];
}

export function snapshotCluster(
  { config, endpoints }: ConfiguredCluster,
  facts: ClusterFacts,
): ClusterSnapshot {
  const { breaker, retries, noHealthyEndpoint, upstreamFailures, sharedDurations, nowMs } = facts;
  return {
    name: config.name,
    lbPolicy: config.lbPolicy,
    endpoints: endpoints.map((endpoint) => snapshotEndpoint(endpoint, facts)),
    breaker,
    retries,
    noHealthyEndpoint,
    upstreamFailures,
    durations: sharedDurations?.snapshot(nowMs),
  };
}

function snapshotEndpoint(endpoint: Endpoint, { nowMs }: ClusterFacts): EndpointSnapshot {
  const { address, weight, targets, isDisabled, resolveFault, counters } = endpoint;
  const { requestsTotal, connectFailures, resets, timeouts, clientAborts } = counters;
  const { connectionsTotal, connectionsActive, connectionsIdle, connectionsReused } = counters;
  const { ejections, checksPassed, checksFailed, durations, hasOwnDurations } = counters;
  const ejectedUntilMs = Math.max(0, ...targets.map((target) => target.ejectedUntilMs));
  return {
    address: address.text,
    weight,
    healthy: targets.some((target) => target.isAvailable),
    activeRequests: counters.activeRequests,
    isDisabled,
    isEjected: targets.some((target) => target.isEjected),
    ejectedUntilMs: ejectedUntilMs === 0 ? undefined : ejectedUntilMs,
    ejections,
    lastCheck: latestCheck(targets),
    requestsTotal,
    requestsByClass: counters.requestsByClass(),
    connectFailures,
    resets,
    timeouts,
    clientAborts,
    checksPassed,
    checksFailed,
    connectionsTotal,
    connectionsActive,
    connectionsIdle,
    connectionsReused,
    durations: hasOwnDurations ? durations.snapshot(nowMs) : undefined,
    targets: targets.map(snapshotTarget),
    resolveFault,
  };
}

function snapshotTarget(target: Target): TargetSnapshot {
  const { address, isAvailable, activeRequests, isEjected, ejectedUntilMs } = target;
  const { consecutive5xx, consecutiveConnectFailures, lastCheck } = target;
  return {
    address,
    healthy: isAvailable,
    activeRequests,
    isEjected,
    ejectedUntilMs: isEjected ? ejectedUntilMs : undefined,
    consecutive5xx,
    consecutiveConnectFailures,
    lastCheck,
  };
}

function latestCheck(targets: readonly Target[]): CheckSnapshot | undefined {
  const checks = targets.flatMap(({ lastCheck }) => (lastCheck === undefined ? [] : [lastCheck]));
  return checks.reduce<CheckSnapshot | undefined>(
    (latest, check) => (latest === undefined || check.at > latest.at ? check : latest),
    undefined,
  );
}
