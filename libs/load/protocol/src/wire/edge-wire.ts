/** Conversion of edge messages between their wire form and their domain form. */
import type { EdgeHeartbeat } from './edge-registration.ts';
import { EDGE_PHASES, type EdgeProgress, ZERO_TALLY } from './edge-progress.ts';
import type { HeartbeatWire, ProgressWire } from '../generated/hive-messages.ts';

const SAMPLES_MAX = 1_000;
const HISTOGRAMS_MAX = 16;
const REASON_LENGTH_MAX = 500;
/** Limit of the changes of the rate of one run. */
export const RATES_MAX = 1_000;

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
    currentRunId: shortened(currentRunId),
    samples: samples.slice(0, SAMPLES_MAX).filter(({ value }) => Number.isFinite(value)),
  };
}

/** Undefined for an unknown phase. */
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
    rates: wire.rates.slice(0, RATES_MAX),
  };
}

/** Limits the length of an edge's texts, which appear in logs and pages. */
export function shortened(text: string): string {
  return text.length > REASON_LENGTH_MAX ? `${text.slice(0, REASON_LENGTH_MAX)}…` : text;
}
