import type { Check, CoverageGap, JsonRpcCall, Verdict } from '#load/oracle';
import type { RunVerdict } from '../verdict/run-verdict.ts';
import type { RunFinding, RunSetup } from './run-record.ts';

/** The result of a run, as returned by `GET /runs/{id}/report`. Names are public JSON. Latencies are ms. */
export interface Report {
  readonly run_id: string;
  readonly name: string;
  readonly status: 'Completed' | 'Failed';
  readonly reason: string | null;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly duration_ms: number;
  /** The verdict with all reasons. */
  readonly verdict: RunVerdict;
  /** The verdict in words. */
  readonly headline: string;
  readonly summary: ReportSummary;
  readonly oracle: Readonly<Partial<Record<Check, ReportCheck>>>;
  /** What a pass of the checks does not prove, each with a code. */
  readonly limits: readonly ReportLimit[];
  readonly thresholds: readonly ReportThreshold[];
  readonly latency: Readonly<Record<LatencyName, LatencyFigures | null>>;
  readonly throughput: readonly ThroughputPoint[];
  readonly errors: readonly ReportError[];
  readonly kinds: readonly ReportKind[];
  /** Reads beside the load. */
  readonly reads: readonly ReportRead[];
  /** By way and type. */
  readonly ways: readonly ReportWay[];
  readonly edges: readonly ReportEdge[];
  readonly feed: ReportedFeed;
  readonly generator: GeneratorHealth;
  readonly findings: readonly RunFinding[];
  /** The contracts of the run, and the calls before its load. */
  readonly setup: readonly RunSetup[];
  readonly stages: readonly ReportStage[];
  /** Changes of the rate while the load went on. */
  readonly rate_changes: readonly ReportRateChange[];
  readonly environment: Readonly<Record<string, unknown>>;
  readonly scenario: unknown;
}

export interface ReportSummary extends OutcomeCounts {
  /** Unexpected failures of execution. */
  readonly reverted: number;
  readonly rejected_unexpected: number;
  /** Acknowledged, but not included in a block. */
  readonly acked_lost: number;
  /** Accepted although the mix expects a failure. */
  readonly expect_unmet: number;
  /** The parts of `not_sent`. */
  readonly not_sent_reasons: readonly { readonly reason: string; readonly count: number }[];
  /** Counts of the stages that are not excluded, the base of thresholds, rates and latencies. */
  readonly measured: OutcomeCounts;
  readonly achieved_rate: number;
  readonly planned_rate: number;
  readonly achieved_rate_ratio: number | null;
  readonly tx_failed_ratio: number | null;
  /** Whether planned = sent + not_sent, and sent = included + rejected + unknown. */
  readonly is_balanced: boolean;
}

/** From sending, or the intended time, to the answer, the feed message or the read of the block. */
export type LatencyName =
  'send_ack' | 'send_feed' | 'intended_feed' | 'send_block' | 'intended_block' | 'send_delay';

export interface LatencyFigures {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
  /** Upper bounds in ms, each with the count between the previous bound and it. */
  readonly histogram: readonly { readonly le: number; readonly count: number }[];
}

export interface ReportCheck {
  /** What a pass does not prove. */
  readonly limits: string;
  readonly verdict: Verdict;
  readonly coverage: { readonly checked: number; readonly total: number };
  readonly violation_count: number;
  readonly gaps: readonly CoverageGap[];
  readonly violations: readonly ReportViolation[];
}

export interface ReportLimit {
  readonly code: string;
  readonly check: Check;
  readonly message: string;
}

export interface ReportViolation {
  readonly check: Check;
  readonly kind: string;
  readonly edge_id: string;
  readonly account: string;
  readonly hash: string | null;
  readonly nonce: number | null;
  readonly block_number: number | null;
  readonly expected: string;
  readonly observed: string;
  readonly receipt: unknown;
  readonly calls: readonly JsonRpcCall[];
  /** How certain the attribution to a transaction is; null if it is certain. */
  readonly note: string | null;
}

export interface ReportThreshold {
  readonly metric: string;
  readonly min: number | null;
  readonly max: number | null;
  readonly value: number | null;
  /** Null for a default threshold without measurements. */
  readonly is_met: boolean | null;
  /** Whether the scenario does not set the metric. */
  readonly is_default: boolean;
}

/** One second of all edges, by the hive's clock. */
export interface ThroughputPoint {
  readonly at: string;
  /** Its length: the last one of the load is 0.5 to 1.5 s, to leave no remainder. */
  readonly seconds: number;
  /** Transactions planned by the load curve; in the closed model, those started by users. */
  readonly planned: number;
  readonly sent: number;
  readonly included: number;
  readonly rejected: number;
  /** Up to the feed message; without a feed, up to the block. */
  readonly intended_feed_p99: number | null;
}

/** The rate of all edges together from a time on, in transactions per second. */
export interface ReportRateChange {
  readonly at: string;
  readonly rate: number;
  /** The edges that applied it, and when. */
  readonly edges: readonly { readonly edge_id: string; readonly at: string }[];
}

export interface ReportError {
  readonly class: string;
  readonly expected: boolean;
  readonly count: number;
  readonly message: string;
  readonly sample_hash: string | null;
}

export interface ReportKind extends OutcomeCounts {
  readonly kind: string;
}

/** The reads of one name, outside of excluded stages. No check judges them. */
export interface ReportRead {
  readonly name: string;
  readonly method: string;
  /** planned = answered + failed + not_sent */
  readonly planned: number;
  readonly answered: number;
  readonly failed: number;
  readonly not_sent: number;
  /** Answers per second. */
  readonly rate: number;
  /** From the time at which a read was due to its answer; null without answers. */
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly p99_ms: number | null;
  readonly max_ms: number | null;
  /** Failures by class. */
  readonly errors: readonly { readonly class: string; readonly count: number }[];
}

/** The transactions of one way and type, outside of excluded stages. */
export interface ReportWay {
  /** `raw`, `sync`, `conditional` or `express_lane`. */
  readonly way: string;
  readonly type: number;
  readonly sent: number;
  readonly included: number;
  readonly rejected: number;
  readonly unknown: number;
  /** By the metadata of the feed; neither where they are not stated. */
  readonly timeboosted: number;
  readonly not_timeboosted: number;
  /** In its block, from 0 (first) to 1 (last); null if all blocks have one transaction. */
  readonly place_p50: number | null;
  readonly place_mean: number | null;
  readonly send_ack: WaySpan | null;
  readonly send_feed: WaySpan | null;
  readonly intended_feed: WaySpan | null;
}

/** Percentiles of included transactions, in ms. */
export interface WaySpan {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** planned = sent + not_sent; sent = included + rejected + unknown. */
export interface OutcomeCounts {
  readonly planned: number;
  readonly sent: number;
  readonly not_sent: number;
  readonly included: number;
  readonly rejected: number;
  readonly unknown: number;
}

export interface ReportEdge extends OutcomeCounts {
  readonly edge_id: string;
  readonly instance_id: string;
  readonly version: string;
  readonly hostname: string;
  readonly end: string | null;
  readonly first_account: number;
  readonly account_count: number;
  readonly clock_offset_ms: number | null;
  readonly clock_error_ms: number | null;
  readonly events_dropped: number;
  readonly feed: ReportedFeed;
  readonly cpu_share: number | null;
  readonly loop_delay_p99_ms: number | null;
}

/** Counts of feed events; every edge reads the whole feed. */
export interface ReportedFeed {
  /** Includes duplicates and messages repeated after a reconnect. */
  readonly messages: number;
  /** Skipped sequence numbers. */
  readonly gaps: number;
  readonly duplicates: number;
  readonly reorganisations: number;
  /** Lost connections. */
  readonly disconnects: number;
  /** Frames that could not be read. */
  readonly garbage: number;
  readonly correlation_misses: number;
}

export interface GeneratorHealth {
  readonly is_limited: boolean;
  readonly events_dropped: number;
  readonly send_delay_p99_ms: number | null;
}

export interface ReportStage {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly start_rate: number;
  readonly end_rate: number;
  readonly is_excluded: boolean;
}
