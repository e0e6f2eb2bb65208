/** What edges say, as protocol buffers give it. */
import type { EdgeHeartbeat, MetricSample } from '../edge/edge-heartbeat.ts';
import type { EdgeProgress, Tally } from '../edge/edge-progress.ts';
import { EDGE_PHASES, ZERO_TALLY } from '../edge/edge-progress.ts';

export interface HelloWire {
  readonly edgeId: string;
  readonly instanceId: string;
  readonly fence: number;
}

export interface RegisterWire {
  readonly edgeId: string;
  readonly instanceId: string;
  readonly version: string;
  readonly hostname: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly workers: number;
  readonly cores: number;
}

export interface RegisterReplyWire {
  readonly fence: number;
  readonly hiveVersion: string;
  readonly heartbeatIntervalMs: number;
  readonly hiveTimeUs: number;
}

export interface HeartbeatWire {
  readonly rpc: { readonly chainId: number; readonly ok: boolean } | null;
  readonly feed: { readonly connected: boolean; readonly lastSequence: number } | null;
  readonly currentRunId: string;
  readonly samples: readonly MetricSample[];
}

export interface AckWire {
  readonly runId: string;
  readonly instanceId: string;
  readonly revision: number;
}

export interface NackWire extends AckWire {
  readonly code: string;
  readonly reason: string;
}

export interface ProgressWire {
  readonly runId: string;
  readonly phase: string;
  readonly reason: string;
  readonly tally: Tally | null;
  readonly measured: Tally | null;
  readonly histograms: Readonly<Record<string, Uint8Array>>;
  readonly batchesSent: number;
  readonly batchesAcked: number;
}

export interface ClockProbeWire {
  readonly id: number;
  readonly t0Us: number;
  readonly t1Us: number;
  readonly t2Us: number;
}

export interface FinalWire {
  readonly code: string;
  readonly reason: string;
}

/** One field is there; `message` names it in what was received. */
export interface EdgeMessageWire {
  readonly message?: string;
  readonly hello?: HelloWire;
  readonly heartbeat?: HeartbeatWire;
  readonly ack?: AckWire;
  readonly nack?: NackWire;
  readonly progress?: ProgressWire;
  readonly clockProbe?: ClockProbeWire;
  readonly final?: FinalWire;
}

export interface BatchWire {
  readonly runId: string;
  readonly seq: number;
  readonly eventCount: number;
  readonly tables: Uint8Array;
}

export interface TelemetryMessageWire {
  readonly message?: string;
  readonly hello?: HelloWire;
  readonly batch?: BatchWire;
  readonly final?: FinalWire;
}

const SAMPLES_MAX = 1_000;
const HISTOGRAMS_MAX = 16;
const REASON_LENGTH_MAX = 500;

export function heartbeatToWire({ rpc, feed, currentRunId, samples }: EdgeHeartbeat): HeartbeatWire {
  return {
    rpc: { chainId: rpc.chainId, ok: rpc.isOk },
    feed: { connected: feed.isConnected, lastSequence: feed.lastSequence },
    currentRunId,
    samples,
  };
}

export function heartbeatFromWire({ rpc, feed, currentRunId, samples }: HeartbeatWire): EdgeHeartbeat {
  return {
    rpc: { chainId: rpc?.chainId ?? 0, isOk: rpc?.ok ?? false },
    feed: { isConnected: feed?.connected ?? false, lastSequence: feed?.lastSequence ?? 0 },
    currentRunId,
    samples: samples.slice(0, SAMPLES_MAX).filter(({ value }) => Number.isFinite(value)),
  };
}

/** Undefined for a phase that we do not know. */
export function progressFromWire(wire: ProgressWire): EdgeProgress | undefined {
  const phase = EDGE_PHASES.find((name) => name === wire.phase);
  if (phase === undefined) return undefined;
  return {
    runId: wire.runId,
    phase,
    reason: shortened(wire.reason),
    tally: wire.tally ?? ZERO_TALLY,
    measured: wire.measured ?? wire.tally ?? ZERO_TALLY,
    histograms: Object.fromEntries(Object.entries(wire.histograms).slice(0, HISTOGRAMS_MAX)),
  };
}

/** What an edge says for people goes into logs and pages: it is no place for a novel. */
export function shortened(text: string): string {
  return text.length > REASON_LENGTH_MAX ? `${text.slice(0, REASON_LENGTH_MAX)}…` : text;
}
