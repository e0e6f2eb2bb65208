import { DomainError } from '#platform/foundation';
import type { MemberEnd, RunPhase, RunReason, RunState, RunStatus } from './run-state.ts';

/** What `run.json` holds; docs/formats/run-json.md tells of each field. Times are microseconds. */
export interface RunRecord {
  readonly format: number;
  readonly run_id: string;
  readonly name: string;
  readonly status: RunStatus;
  readonly phase: RunPhase | null;
  readonly reason: RunReason | null;
  readonly random_seed: number;
  readonly created_at_us: number;
  readonly started_at_us: number | null;
  readonly ended_at_us: number | null;
  readonly hive: Readonly<Record<string, string | number>>;
  /** As a parser of scenarios reads it. */
  readonly scenario: unknown;
  readonly stages: readonly StageRecord[];
  readonly findings: readonly Finding[];
  readonly edges: readonly EdgeRecord[];
  readonly tally: TallyRecord;
  /** Of the stages that are not excluded: what thresholds and rates are of. */
  readonly measured: TallyRecord;
  /** What makes up `tally.not_sent`. */
  readonly not_sent: readonly NotSentRecord[];
  readonly thresholds: readonly ThresholdRecord[];
  readonly oracle: Readonly<Record<string, VerdictRecord>>;
  readonly parts: readonly PartRecord[];
  /** For the hive itself: where a run that has not ended goes on. */
  readonly state: RunState;
}

export interface StageRecord {
  readonly name: string;
  readonly from_us: number;
  readonly to_us: number;
  readonly start_rate: number;
  readonly end_rate: number;
  readonly is_excluded: boolean;
}

/** Something that a reader of a report has to know beside the verdicts. */
export interface Finding {
  readonly code: string;
  readonly edge_id: string | null;
  readonly message: string;
}

export interface EdgeRecord {
  readonly edge_id: string;
  readonly instance_id: string;
  readonly version: string;
  readonly hostname: string;
  readonly workers: number;
  readonly cores: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly first_account: number;
  readonly account_count: number;
  readonly end: MemberEnd | null;
  readonly reason: string | null;
  readonly clock_offset_us: number | null;
  readonly clock_error_us: number | null;
  readonly tally: TallyRecord;
  readonly measured: TallyRecord;
  /** Planned, and begun by nobody; in `not_sent` of the tallies. */
  readonly left_out: { readonly count: number; readonly measured: number };
}

/** Why planned transactions were not sent. */
export interface NotSentRecord {
  /** `late`, `hive_silent`, `stopped`, how the edge ended, or why the run failed. */
  readonly reason: string;
  readonly count: number;
}

export interface TallyRecord {
  readonly planned: number;
  readonly sent: number;
  readonly not_sent: number;
  readonly acked: number;
  readonly included: number;
  readonly rejected: number;
  readonly unknown: number;
  readonly in_flight: number;
  readonly failed_unexpected: number;
  readonly feed_messages: number;
  readonly correlation_misses: number;
  readonly events_dropped: number;
  readonly feed_gaps: number;
  readonly feed_duplicates: number;
  readonly feed_reorganisations: number;
  readonly feed_disconnects: number;
  readonly rejected_unexpected: number;
  readonly reverted: number;
  readonly included_after_error: number;
  readonly expect_unmet: number;
  readonly acked_lost: number;
}

export interface ThresholdRecord {
  readonly metric: string;
  readonly min: number | null;
  readonly max: number | null;
  readonly value: number | null;
  /** Null: not measured. */
  readonly is_met: boolean | null;
  /** The scenario does not name the metric. */
  readonly is_default: boolean;
  readonly abort_on_fail: boolean;
  readonly after_ms: number;
}

export interface VerdictRecord {
  readonly verdict: 'pass' | 'fail' | 'inconclusive';
  readonly coverage: { readonly checked: number; readonly total: number };
  readonly violation_count: number;
  readonly gaps: readonly { readonly reason: string; readonly count: number }[];
  /** Violations by kind. */
  readonly kinds: Readonly<Record<string, number>>;
}

export interface PartRecord {
  readonly table: string;
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
  readonly footer_crc: string;
}

export const RUN_RECORD_FORMAT = 1;

/** Throws STORE_CORRUPT when the text is no record of this format. */
export function parseRunRecord(text: string, where: string): RunRecord {
  const value = jsonOf(text, where);
  if (isRunRecord(value)) return value;
  throw new DomainError('STORE_CORRUPT', `${where}: expected a run of format ${RUN_RECORD_FORMAT}`);
}

function jsonOf(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new DomainError('STORE_CORRUPT', `${where}: expected JSON`, { cause });
  }
}

/** Written by this program, whole or not at all: what was damaged since is found by its frame. */
function isRunRecord(value: unknown): value is RunRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { format, run_id: runId, status, state, parts } = value as Partial<Record<keyof RunRecord, unknown>>;
  const isFramed = format === RUN_RECORD_FORMAT && typeof runId === 'string' && typeof status === 'string';
  return isFramed && typeof state === 'object' && state !== null && Array.isArray(parts);
}
