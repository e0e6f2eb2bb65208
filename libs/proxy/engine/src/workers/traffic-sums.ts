/**
 * Adds the snapshots of several processes. A counter is the sum over all, including ended processes; a gauge
 * the sum over running ones; a histogram the sum of its buckets, from which quantiles are computed. Health
 * and ejections, which are determined in one place, come from the first snapshot.
 */
import { mergeDurations } from '../cluster/target/durations.ts';
import type { TrafficSnapshot } from '../plane/data-plane.port.ts';
import type {
  ClusterSnapshot,
  DurationSnapshot,
  EndpointSnapshot,
  ListenerSnapshot,
  TargetSnapshot,
} from '../source/snapshot.ts';

const LISTENER_SUMS = [
  'cxTotal',
  'cxActive',
  'cxRefused',
  'cxRefusedForDescriptors',
  'requestsActive',
  'requestsByClass',
  'parseErrors',
  'headerTimeouts',
  'idleTimeouts',
  'requestTimeouts',
  'unrouted',
  'clientAborts',
  'tlsErrors',
  'bytesReceived',
  'bytesSent',
] as const satisfies readonly (keyof ListenerSnapshot)[];

const ENDPOINT_SUMS = [
  'activeRequests',
  'ejections',
  'requestsTotal',
  'requestsByClass',
  'connectFailures',
  'resets',
  'timeouts',
  'clientAborts',
  'checksPassed',
  'checksFailed',
  'connectionsTotal',
  'connectionsActive',
  'connectionsIdle',
  'connectionsReused',
] as const satisfies readonly (keyof EndpointSnapshot)[];

const CLUSTER_SUMS = [
  'breaker',
  'retries',
  'noHealthyEndpoint',
  'upstreamFailures',
] as const satisfies readonly (keyof ClusterSnapshot)[];

/** Names of numbers that apply to a running process only. */
const GAUGES: ReadonlySet<string> = new Set([
  'downstreamCxActive',
  'cxActive',
  'requestsActive',
  'activeRequests',
  'connectionsActive',
  'connectionsIdle',
  'used',
  'limit',
  'active',
]);

/** Whether the sum contains the entries of all snapshots, or only those of the first. */
export type SumScope = 'all' | 'first';

/** `first` precedes the others; removed clusters keep their rejections in either scope. */
export function sumTraffic(
  all: readonly [TrafficSnapshot, ...TrafficSnapshot[]],
  scope: SumScope,
): TrafficSnapshot {
  const [first] = all;
  // What is removed in one process may be configured in the last report of another, and the reverse.
  const listeners = joined(
    all.map((traffic) => [...traffic.listeners, ...traffic.removedListeners]),
    {
      keyOf: ({ name }) => name,
      sum: (same) => withSums(same, LISTENER_SUMS),
      scope: 'all',
    },
  );
  const configured = scope === 'all' ? listeners.length : first.listeners.length;
  return {
    ...withSums(all, ['downstreamCxTotal', 'downstreamCxActive', 'drain']),
    listeners: listeners.slice(0, configured),
    removedListeners: listeners.slice(configured),
    clusters: joined(
      all.map(({ clusters }) => clusters),
      {
        keyOf: ({ name }) => name,
        sum: (same) => sumCluster(same, scope),
        scope,
      },
    ),
    breakerRejections: joined(
      all.map(({ breakerRejections }) => breakerRejections),
      {
        keyOf: ({ cluster }) => cluster,
        sum: (same) => withSums(same, ['rejected']),
        scope: 'all',
      },
    ),
    workers: first.workers,
  };
}

/** The counts that remain of a process that has ended, or carries no traffic. */
export function withoutGauges(traffic: TrafficSnapshot): TrafficSnapshot {
  return zeroed(traffic) as TrafficSnapshot;
}

type Same<Value> = readonly [Value, ...Value[]];

interface Joining<Value> {
  readonly keyOf: (value: Value) => string;
  readonly sum: (same: Same<Value>) => Value;
  readonly scope: SumScope;
}

/** Merges lists by key, in order of first occurrence. */
function joined<Value>(
  lists: readonly (readonly Value[])[],
  { keyOf, sum, scope }: Joining<Value>,
): readonly Value[] {
  const byKey = new Map<string, [Value, ...Value[]]>();
  for (const value of lists.flat()) {
    const same = byKey.get(keyOf(value));
    if (same === undefined) byKey.set(keyOf(value), [value]);
    else same.push(value);
  }
  const sums = Array.from(byKey.values(), sum);
  return scope === 'all' ? sums : sums.slice(0, lists[0]?.length);
}

function sumCluster(same: Same<ClusterSnapshot>, scope: SumScope): ClusterSnapshot {
  return {
    ...withSums(same, CLUSTER_SUMS),
    endpoints: joined(
      same.map(({ endpoints }) => endpoints),
      {
        keyOf: ({ address }) => address,
        sum: (endpoints) => sumEndpoint(endpoints, scope),
        scope,
      },
    ),
    durations: sumDurations(same),
  };
}

function sumEndpoint(same: Same<EndpointSnapshot>, scope: SumScope): EndpointSnapshot {
  return {
    ...withSums(same, ENDPOINT_SUMS),
    durations: sumDurations(same),
    targets: joined(
      same.map(({ targets }) => targets),
      {
        keyOf: ({ address }) => address,
        sum: sumTarget,
        scope,
      },
    ),
  };
}

/** Failures in a row are counted per process: a process does not see the successes of others. */
function sumTarget(same: Same<TargetSnapshot>): TargetSnapshot {
  return {
    ...withSums(same, ['activeRequests']),
    consecutive5xx: Math.max(...same.map(({ consecutive5xx = 0 }) => consecutive5xx)),
    consecutiveConnectFailures: Math.max(
      ...same.map(({ consecutiveConnectFailures = 0 }) => consecutiveConnectFailures),
    ),
  };
}

function sumDurations(
  same: readonly { readonly durations: DurationSnapshot | undefined }[],
): DurationSnapshot | undefined {
  return mergeDurations(same.flatMap(({ durations }) => durations ?? []));
}

/** The first value, with the sums of these fields. */
function withSums<Value extends object>(same: Same<Value>, keys: readonly (keyof Value)[]): Value {
  const sums = keys.map((key) => [key, sumOf(same.map((each) => each[key]))] as const);
  return { ...same[0], ...(Object.fromEntries(sums) as Partial<Value>) };
}

/** The sum of numbers, or of records of numbers. Undefined values are skipped. */
function sumOf(values: readonly unknown[]): unknown {
  const known: readonly unknown[] = values.filter((value) => value !== undefined);
  const [first] = known;
  if (typeof first !== 'object' || first === null) {
    return known.length === 0 ? undefined : known.reduce<number>((sum, value) => sum + Number(value), 0);
  }
  const records = known as readonly Readonly<Record<string, unknown>>[];
  return Object.fromEntries(Object.keys(first).map((key) => [key, sumOf(records.map((each) => each[key]))]));
}

function zeroed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(zeroed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      if (key === 'recent') return [key, []];
      return [key, GAUGES.has(key) && part !== undefined ? 0 : zeroed(part)];
    }),
  );
}
