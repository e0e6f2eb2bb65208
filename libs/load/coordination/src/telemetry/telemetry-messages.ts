import type { Check, EdgeWord, SeenTransactions, TipPolicy, Verdicts, Violation } from '#load/oracle';
import type { Compression, EdgeInstance, FindingKind, PartFile, RowOf } from '#load/telemetry';
import { workerUrl } from '#platform/threads';

export const TELEMETRY_WORKER = workerUrl('telemetry-worker', import.meta.url);

/** What a run's telemetry is opened with. */
export interface TelemetryOpening {
  readonly directory: string;
  readonly compression: Compression;
  /** Accounts of the run by edge. */
  readonly accountCounts: readonly (readonly [string, number])[];
  /** Whether edges read the feed. */
  readonly hasFeed: boolean;
  /** What the target does with tips. */
  readonly tips: TipPolicy;
  /** Checks that the scenario wants. */
  readonly checks: readonly Check[];
}

/** The chain that a violated balance is looked up on. */
export interface ChainAddress {
  readonly rpcUrls: readonly string[];
  readonly rpcTimeoutMs: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** The hive's row of one life of an edge. */
export interface EdgeRow {
  readonly edge: EdgeInstance;
  readonly row: RowOf<'edges'>;
}

/** What the thread does. */
export interface TelemetryCalls {
  open(opening: TelemetryOpening): void;
  append(edge: EdgeInstance, seq: number, tables: Uint8Array): void;
  /** Once, when no more batches come. */
  verify(order: VerifyOrder): VerifiedRun;
  /** Completes the files, with the violations and the hive's own rows. */
  seal(edges: readonly EdgeRow[]): SealedRun;
}

export interface TelemetryEvents {
  /** Violations so far, by check; only rise. */
  violations(counts: Readonly<Record<Check, number>>): void;
}

/** The checks that the scenario wants, with what they found. */
export type RunVerdicts = Partial<Verdicts>;

/** How many violations of each kind were found, by check. */
export type ViolationKinds = Readonly<Record<Check, Readonly<Record<string, number>>>>;

export const NO_KINDS: ViolationKinds = { nonce: {}, balance: {}, gas: {} };

export interface VerifyOrder {
  /** With it, what is wrong with a balance is looked up. */
  readonly chain: ChainAddress | null;
  /** The last word on each edge. */
  readonly words: readonly (readonly [string, EdgeWord])[];
}

export interface VerifiedRun {
  readonly verdicts: RunVerdicts;
  /** What the rows tell of transactions, by edge. */
  readonly seen: readonly (readonly [string, SeenTransactions])[];
  readonly kinds: ViolationKinds;
  /** How many of each kind edges found, by edge. */
  readonly found: readonly (readonly [string, ReadonlyMap<FindingKind, number>])[];
}

export interface SealedRun {
  readonly parts: readonly PartFile[];
}

/** A violation with the time at which it was found, microseconds since 1970. */
export interface FoundViolation {
  readonly violation: Violation;
  readonly atUs: number;
}
