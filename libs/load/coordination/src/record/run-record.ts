import type { LatencySummary } from '../live/run-figures.ts';
import { type Tally, ZERO_TALLY } from '#load/protocol';
import type {
  RunEdge,
  RunFinding,
  RunNotSent,
  RunPart,
  RunRateChange,
  RunSetup,
  RunStage,
  ReportedThreshold,
  RunVerdictRecord,
} from '#load/report';
import { DomainError } from '#platform/foundation';
import type { MemberEnd, HiveRunPhase, RunReason, RunState, RunStatus } from './run-state.ts';

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

/** A tally in JSON: `notSent` is `not_sent`. */
export type TallyRecord = { readonly [Name in keyof Tally as SnakeCase<Name>]: number };

const NAMES = (Object.keys(ZERO_TALLY) as (keyof Tally)[]).map(
  (name) =>
    [name, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as keyof TallyRecord] as const,
);

export function tallyRecord(tally: Tally): TallyRecord {
  const entries = NAMES.map(([name, inJson]) => [inJson, tally[name]] as const);
  return Object.fromEntries(entries) as Record<keyof TallyRecord, number>;
}

/** Counts missing from records of earlier versions are zero. */
export function tallyOf(record: Partial<TallyRecord>): Tally {
  const entries = NAMES.map(([name, inJson]) => [name, record[inJson] ?? 0] as const);
  return Object.fromEntries(entries) as Record<keyof Tally, number>;
}

/** The content of `run.json`; docs/formats/run-json.md describes the fields. Times are in µs since 1970. */
export interface HiveRunRecord {
  readonly format: number;
  readonly run_id: string;
  readonly name: string;
  readonly status: RunStatus;
  readonly phase: HiveRunPhase | null;
  readonly reason: RunReason | null;
  readonly random_seed: number;
  /** The number of its first account; missing in runs of earlier versions: 0. */
  readonly first_account?: number | undefined;
  readonly created_at_us: number;
  readonly started_at_us: number | null;
  readonly ended_at_us: number | null;
  readonly hive: Readonly<Record<string, string | number>>;
  /** The scenario, in the form that `parseScenario` accepts. */
  readonly scenario: unknown;
  readonly stages: readonly RunStage[];
  /** The changes of the rate while the load went on; missing in runs of earlier versions. */
  readonly rate_changes?: readonly RunRateChange[] | undefined;
  readonly findings: readonly RunFinding[];
  readonly edges: readonly EdgeRecord[];
  readonly tally: TallyRecord;
  /** Counts of the stages that are not excluded, the basis of thresholds and rates. */
  readonly measured: TallyRecord;
  /** The counts of `tally.not_sent` by reason. */
  readonly not_sent: readonly RunNotSent[];
  /** Latencies in ms by name, once the run has ended; missing in runs of earlier versions. */
  readonly latencies?: Readonly<Record<string, LatencySummary>> | undefined;
  /** The contracts and calls before the load. */
  readonly setup?: readonly RunSetup[] | undefined;
  readonly thresholds: readonly ThresholdRecord[];
  readonly oracle: Readonly<Record<string, VerdictRecord>>;
  readonly parts: readonly RunPart[];
  /** The state from which the hive resumes an unfinished run. */
  readonly state: RunState;
}

export interface EdgeRecord extends RunEdge {
  readonly workers: number;
  readonly cores: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly end: MemberEnd | null;
  readonly reason: string | null;
  readonly tally: TallyRecord;
  readonly measured: TallyRecord;
  /** Planned transactions that were never started; included in `not_sent` of the tallies. */
  readonly left_out: { readonly count: number; readonly measured: number };
}

export interface ThresholdRecord extends ReportedThreshold {
  /** The scenario does not name the metric. */
  readonly is_default: boolean;
  readonly abort_on_fail: boolean;
  readonly after_ms: number;
}

export type VerdictRecord = Required<RunVerdictRecord>;

export const RUN_RECORD_FORMAT = 1;

/** Throws STORE_CORRUPT for any text but a record of this format. */
export function parseRunRecord(text: string, where: string): HiveRunRecord {
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

/** A shallow check: this program writes records atomically, so only later damage is expected. */
function isRunRecord(value: unknown): value is HiveRunRecord {
  if (typeof value !== 'object' || value === null) return false;
  const {
    format,
    run_id: runId,
    status,
    state,
    parts,
  } = value as Partial<Record<keyof HiveRunRecord, unknown>>;
  const isFramed = format === RUN_RECORD_FORMAT && typeof runId === 'string' && typeof status === 'string';
  return isFramed && typeof state === 'object' && state !== null && Array.isArray(parts);
}

const US_PER_MS = 1_000;

/** Limits of the number and the age of ended runs; 0 is unlimited. */
export interface Retention {
  readonly keptMs: number;
  readonly runsMax: number;
}

/** The ids of the ended runs beyond the limits. */
export function expiredRuns(
  ended: readonly HiveRunRecord[],
  { keptMs, runsMax }: Retention,
  nowUs: number,
): readonly string[] {
  const latestFirst = ended.toSorted((a, b) => b.created_at_us - a.created_at_us);
  const oldestUs = keptMs === 0 ? -Infinity : nowUs - keptMs * US_PER_MS;
  return latestFirst
    .filter((run, at) => {
      const isSurplus = runsMax > 0 && at >= runsMax;
      return isSurplus || (run.ended_at_us ?? run.created_at_us) < oldestUs;
    })
    .map((run) => run.run_id);
}

/** The record of an unfinished run that is given up: Failed. */
export function givenUp(record: HiveRunRecord, nowUs: number): HiveRunRecord {
  const { state } = record;
  const reason = state.ending?.status === 'Failed' ? state.ending.reason : 'hive_restarted';
  const ending = { status: 'Failed', reason } as const;
  return {
    ...record,
    status: 'Failed',
    phase: null,
    reason,
    ended_at_us: record.ended_at_us ?? nowUs,
    state: { ...state, status: 'Failed', phase: null, ending },
  };
}
