import { join } from 'node:path';
import type { Check, Coverage, CoverageGap, Verdict } from '#load/oracle';
import type { TableName } from '#load/telemetry';
import { type Disk, isMissingFile } from '#platform/disk';
import { DomainError } from '#platform/foundation';

/** The fields of run.json used by the report; docs/formats/run-json.md documents all. Times: microseconds. */
export interface ReportedRun {
  readonly run_id: string;
  readonly name: string;
  readonly status: string;
  readonly reason: string | null;
  readonly started_at_us: number | null;
  readonly ended_at_us: number | null;
  readonly hive: Readonly<Record<string, unknown>>;
  readonly scenario: unknown;
  readonly stages: readonly RunStage[];
  /** Missing in runs of earlier versions. */
  readonly rate_changes?: readonly RunRateChange[];
  readonly findings: readonly RunFinding[];
  readonly edges: readonly RunEdge[];
  readonly tally: RunTally;
  /** Counts of the stages that are not excluded; missing in runs of earlier versions. */
  readonly measured?: RunTally;
  readonly not_sent?: readonly RunNotSent[];
  readonly thresholds: readonly ReportedThreshold[];
  readonly oracle: Readonly<Partial<Record<Check, RunVerdictRecord>>>;
  readonly parts: readonly RunPart[];
  /** Missing in runs of earlier versions. */
  readonly setup?: readonly RunSetup[];
}

/** A change of the rate of all edges together, from a time to the end of the load. */
export interface RunRateChange {
  readonly at_us: number;
  readonly rate: number;
  /** The edges that have applied it, and from when on it holds there. */
  readonly edges: readonly { readonly edge_id: string; readonly at_us: number }[];
}

/** A contract of the run, or a call before its load. */
export interface RunSetup {
  /** `contracts.pool`, or `setup.0 pool.deposit()`. */
  readonly what: string;
  readonly address: string;
  /** Null for an existing contract, and for a call that only reads. */
  readonly hash: string | null;
  readonly block_number: number | null;
  readonly gas_used: number | null;
  /** What the function returned, if the step has a name. */
  readonly result: readonly unknown[] | null;
}

export interface RunStage {
  readonly name: string;
  readonly from_us: number;
  readonly to_us: number;
  readonly start_rate: number;
  readonly end_rate: number;
  readonly is_excluded: boolean;
}

export interface RunEdge {
  readonly edge_id: string;
  readonly instance_id: string;
  readonly version: string;
  readonly hostname: string;
  readonly first_account: number;
  readonly account_count: number;
  readonly end: string | null;
  readonly clock_offset_us: number | null;
  readonly clock_error_us: number | null;
  readonly tally: RunTally;
}

export interface RunTally {
  readonly planned: number;
  readonly sent: number;
  readonly not_sent: number;
  readonly included: number;
  readonly rejected: number;
  readonly unknown: number;
  readonly feed_messages: number;
  readonly correlation_misses: number;
  readonly events_dropped: number;
  readonly failed_unexpected?: number;
  readonly feed_gaps?: number;
  readonly feed_duplicates?: number;
  readonly feed_reorganisations?: number;
  readonly feed_disconnects?: number;
  readonly rejected_unexpected?: number;
  readonly reverted?: number;
  readonly included_after_error?: number;
  readonly expect_unmet?: number;
  readonly acked_lost?: number;
  readonly acked_undecided?: number;
  readonly feed_garbage?: number;
  readonly edge_starved?: number;
}

/** An observation that the report shows next to the verdicts. */
export interface RunFinding {
  readonly code: string;
  readonly edge_id: string | null;
  readonly message: string;
}

/** Why planned transactions were not sent. */
export interface RunNotSent {
  /** `late`, `hive_silent`, `stopped`, how the edge ended, or why the run failed. */
  readonly reason: string;
  readonly count: number;
}

export interface ReportedThreshold {
  readonly metric: string;
  readonly min: number | null;
  readonly max: number | null;
  readonly value: number | null;
  readonly is_met: boolean | null;
  readonly is_default?: boolean;
}

export interface RunVerdictRecord {
  readonly verdict: Verdict;
  readonly coverage: Coverage;
  readonly violation_count: number;
  readonly gaps?: readonly CoverageGap[];
  readonly kinds?: Readonly<Record<string, number>>;
}

export interface RunPart {
  readonly table: TableName;
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
  readonly footer_crc: string;
}

/** Reads a run's own record. Throws NOT_FOUND, REPORT_DATA_UNREADABLE. */
export async function readRunRecord(disk: Disk, directory: string): Promise<ReportedRun> {
  try {
    return JSON.parse(await disk.readText(join(directory, 'run.json'))) as ReportedRun;
  } catch (cause) {
    if (isMissingFile(cause)) throw new DomainError('NOT_FOUND', 'expected a run of this id', { cause });
    if (!(cause instanceof SyntaxError || cause instanceof DomainError)) throw cause;
    throw new DomainError('REPORT_DATA_UNREADABLE', 'expected JSON in run.json', { cause });
  }
}
