import type {
  Check,
  EdgeOutcome,
  FoundKind,
  SeenTransactions,
  TipPolicy,
  Verdicts,
  Violation,
} from '#load/oracle';
import type { Compression, EdgeInstance, FindingKind, PartFile, RowOf } from '#load/telemetry';
import { workerUrl } from '#platform/threads';

export const TELEMETRY_WORKER = workerUrl('telemetry-worker', import.meta.url);

/** The options of a run's telemetry. */
export interface TelemetryOpening {
  readonly directory: string;
  readonly compression: Compression;
  /** Numbers of accounts by edge. */
  readonly accountCounts: readonly (readonly [string, number])[];
  /** Whether edges read the feed. */
  readonly hasFeed: boolean;
  /** Whether called contracts may send ether to accounts. */
  readonly mayBePaid: boolean;
  /** How the target treats tips. */
  readonly tips: TipPolicy;
  /** The checks that the scenario enables. */
  readonly checks: readonly Check[];
}

/** The chain on which balance violations are looked up. */
export interface ChainAddress {
  readonly rpcUrls: readonly string[];
  readonly rpcTimeoutMs: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** The hive's row of one edge instance. */
export interface EdgeRow {
  readonly edge: EdgeInstance;
  readonly row: RowOf<'edges'>;
}

/** The calls of the telemetry thread. */
export interface TelemetryCalls {
  open(opening: TelemetryOpening): void;
  append(edge: EdgeInstance, seq: number, tables: Uint8Array): void;
  /** Called once, after the last batch. */
  verify(order: VerifyOrder): VerifiedRun;
  /** Completes the files, with the violations and the hive's own rows. */
  seal(edges: readonly EdgeRow[]): SealedRun;
}

export interface TelemetryEvents {
  /** Violations so far, by check; never decrease. */
  violations(counts: Readonly<Record<Check, number>>): void;
}

/** The verdicts of the checks that the scenario enables. */
export type RunVerdicts = Partial<Verdicts>;

/** Numbers of violations by check and kind. */
export type ViolationKinds = Readonly<Record<Check, Readonly<Record<string, number>>>>;

export const NO_KINDS: ViolationKinds = { nonce: {}, balance: {}, gas: {} };

export interface VerifyOrder {
  /** Where balance violations are looked up; null to skip the lookup. */
  readonly chain: ChainAddress | null;
  /** The outcome of each edge. */
  readonly outcomes: readonly (readonly [string, EdgeOutcome])[];
}

export interface VerifiedRun {
  readonly verdicts: RunVerdicts;
  /** Transaction counts according to the rows, by edge. */
  readonly seen: readonly (readonly [string, SeenTransactions])[];
  readonly kinds: ViolationKinds;
  /** Kinds of the transactions according to the rows. */
  readonly drawn: ReadonlySet<string>;
  /** Findings by edge and kind. */
  readonly found: readonly (readonly [string, ReadonlyMap<FindingKind, FoundKind>])[];
}

export interface SealedRun {
  readonly parts: readonly PartFile[];
}

/** A violation with the time of its detection, in µs since 1970. */
export interface FoundViolation {
  readonly violation: Violation;
  readonly atUs: number;
}
