/** Made from proto/hive.proto by `npm run proto-types`; not to be edited. */

export interface AckWire {
  readonly runId: string;
  readonly instanceId: string;
  readonly revision: number;
}

export interface BatchWire {
  readonly runId: string;
  readonly seq: number;
  readonly eventCount: number;
  readonly tables: Uint8Array;
}

export interface BatchAckWire {
  readonly runId: string;
  readonly seq: number;
  readonly refused: string;
}

export interface ChangeRateWire {
  readonly runId: string;
  readonly number: number;
  readonly atMs: number;
  readonly rate: number;
}

export interface ClockProbeWire {
  readonly id: number;
  readonly t0Us: number;
  readonly t1Us: number;
  readonly t2Us: number;
}

export interface CreditWire {
  readonly batches: number;
}

export interface DeregisterRequestWire {
  readonly edgeId: string;
  readonly instanceId: string;
  readonly fence: number;
}

export interface EdgeMessageWire {
  readonly hello?: HelloWire;
  readonly heartbeat?: HeartbeatWire;
  readonly ack?: AckWire;
  readonly nack?: NackWire;
  readonly progress?: ProgressWire;
  readonly clockProbe?: ClockProbeWire;
  readonly final?: FinalWire;
  readonly message?: 'hello' | 'heartbeat' | 'ack' | 'nack' | 'progress' | 'clockProbe' | 'final';
}

export interface EvictWire {
  readonly reason: string;
}

export interface FeedHealthWire {
  readonly connected: boolean;
  readonly lastSequence: number;
}

export interface FinalWire {
  readonly code: string;
  readonly reason: string;
}

export interface HeartbeatWire {
  readonly rpc: RpcHealthWire | null;
  readonly feed: FeedHealthWire | null;
  readonly currentRunId: string;
  readonly samples: readonly SampleWire[];
}

export interface HelloWire {
  readonly edgeId: string;
  readonly instanceId: string;
  readonly fence: number;
}

export interface HiveMessageWire {
  readonly prepare?: PrepareWire;
  readonly start?: StartWire;
  readonly stop?: StopWire;
  readonly evict?: EvictWire;
  readonly clockProbe?: ClockProbeWire;
  readonly final?: FinalWire;
  readonly makeReady?: MakeReadyWire;
  readonly changeRate?: ChangeRateWire;
  readonly message?:
    'prepare' | 'start' | 'stop' | 'evict' | 'clockProbe' | 'final' | 'makeReady' | 'changeRate';
}

export interface MakeReadyWire {
  readonly runId: string;
  readonly setupJson: string;
}

export interface NackWire {
  readonly runId: string;
  readonly instanceId: string;
  readonly code: string;
  readonly reason: string;
  readonly revision: number;
}

export interface PrepareWire {
  readonly runId: string;
  readonly planJson: string;
  readonly revision: number;
  readonly traceparent: string;
}

export interface ProgressWire {
  readonly runId: string;
  readonly phase: string;
  readonly reason: string;
  readonly tally: TallyWire | null;
  readonly histograms: Readonly<Record<string, Uint8Array>>;
  readonly batchesSent: number;
  readonly batchesAcked: number;
  readonly measured: TallyWire | null;
  readonly rates: readonly RateAppliedWire[];
}

export interface RateAppliedWire {
  readonly number: number;
  readonly atMs: number;
}

export interface RegisterReplyWire {
  readonly fence: number;
  readonly hiveVersion: string;
  readonly heartbeatIntervalMs: number;
  readonly hiveTimeUs: number;
}

export interface RegisterRequestWire {
  readonly edgeId: string;
  readonly instanceId: string;
  readonly version: string;
  readonly hostname: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly workers: number;
  readonly cores: number;
}

export interface RpcHealthWire {
  readonly chainId: number;
  readonly ok: boolean;
}

export interface SampleWire {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface StartWire {
  readonly runId: string;
  readonly startAtUs: number;
}

export interface StopWire {
  readonly runId: string;
  readonly abort: boolean;
  readonly reason: string;
}

export interface TallyWire {
  readonly planned: number;
  readonly sent: number;
  readonly notSent: number;
  readonly acked: number;
  readonly included: number;
  readonly rejected: number;
  readonly unknown: number;
  readonly inFlight: number;
  readonly failedUnexpected: number;
  readonly feedMessages: number;
  readonly correlationMisses: number;
  readonly eventsDropped: number;
  readonly feedGaps: number;
  readonly feedDuplicates: number;
  readonly feedReorganisations: number;
  readonly feedDisconnects: number;
  readonly rejectedUnexpected: number;
  readonly reverted: number;
  readonly includedAfterError: number;
  readonly expectUnmet: number;
  readonly ackedLost: number;
  readonly ackedUndecided: number;
  readonly feedGarbage: number;
  readonly edgeStarved: number;
}

export interface TelemetryMessageWire {
  readonly hello?: HelloWire;
  readonly batch?: BatchWire;
  readonly final?: FinalWire;
  readonly message?: 'hello' | 'batch' | 'final';
}

export interface TelemetryReplyWire {
  readonly ack?: BatchAckWire;
  readonly credit?: CreditWire;
  readonly final?: FinalWire;
  readonly message?: 'ack' | 'credit' | 'final';
}
