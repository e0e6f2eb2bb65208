import type { EdgeHeartbeat } from '#load/protocol';
import type { EdgeSession, KnownEdge } from '../../edge/edge-sessions.ts';
import type { Participant } from '../../run/run-event.ts';

const US_PER_MS = 1_000;

/** An edge in the HTTP API. */
export interface EdgeView {
  readonly edge_id: string;
  readonly instance_id: string;
  readonly status: string;
  readonly version: string;
  readonly hostname: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly workers: number;
  readonly cores: number;
  readonly registered_at: string;
  readonly last_heartbeat_at: string | null;
  readonly clock: { readonly offset_ms: number; readonly error_ms: number } | null;
  readonly rpc: { readonly chain_id: number | null; readonly ok: boolean };
  readonly feed: { readonly connected: boolean; readonly last_sequence: number };
  readonly current_run_id: string | null;
  readonly partition: { readonly first: number; readonly count: number } | null;
  /** The edge's counters, summed over their labels. */
  readonly counters: Readonly<Record<string, number>>;
}

export function edgeView(
  { registration, session }: KnownEdge,
  participant: Participant | undefined,
): EdgeView {
  const { edgeId, instanceId, version, hostname, labels, workers, cores, registeredAtUs } = registration;
  const { heartbeat, heardAt } = session;
  return {
    edge_id: edgeId,
    instance_id: instanceId,
    status: session.status,
    version,
    hostname,
    labels,
    workers,
    cores,
    registered_at: new Date(registeredAtUs / US_PER_MS).toISOString(),
    last_heartbeat_at: heardAt === undefined ? null : new Date(heardAt).toISOString(),
    clock: clockView(session),
    ...heartbeatView(heartbeat),
    partition: partitionView(participant),
    counters: sumsOf(heartbeat?.samples ?? []),
  };
}

function clockView({ clockOffset }: EdgeSession): EdgeView['clock'] {
  if (clockOffset === undefined) return null;
  return { offset_ms: clockOffset.offsetUs / US_PER_MS, error_ms: clockOffset.errorUs / US_PER_MS };
}

function heartbeatView(
  heartbeat: EdgeHeartbeat | undefined,
): Pick<EdgeView, 'rpc' | 'feed' | 'current_run_id'> {
  if (heartbeat === undefined) {
    return {
      rpc: { chain_id: null, ok: false },
      feed: { connected: false, last_sequence: 0 },
      current_run_id: null,
    };
  }
  const { rpc, feed, currentRunId } = heartbeat;
  return {
    rpc: { chain_id: rpc.chainId === 0 ? null : rpc.chainId, ok: rpc.isOk },
    feed: { connected: feed.isConnected, last_sequence: feed.lastSequence },
    current_run_id: currentRunId === '' ? null : currentRunId,
  };
}

function partitionView(participant: Participant | undefined): EdgeView['partition'] {
  if (participant === undefined) return null;
  const { first, count } = participant.partition;
  return { first, count };
}

function sumsOf(
  samples: readonly { readonly name: string; readonly value: number }[],
): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { name, value } of samples) {
    if (/^plexus_[a-z_]{1,64}$/.test(name)) sums[name] = (sums[name] ?? 0) + value;
  }
  return sums;
}
