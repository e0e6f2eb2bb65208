import type { Check, CoverageGap, Verdict } from '#load/oracle';

/** All that a verdict follows from, of a run that has ended. Counts are of the whole run, without loss. */
export interface VerdictFacts {
  readonly status: 'Completed' | 'Failed';
  readonly reason: string | null;
  /** Whether planned = sent + not_sent, and sent = included + rejected + unknown. */
  readonly isBalanced: boolean;
  readonly checks: Readonly<Record<Check, CheckFacts>>;
  /** Null: the run was recorded by a version that did not count them. */
  readonly counts: VerdictCounts | null;
  readonly thresholds: readonly ThresholdFacts[];
  readonly findings: readonly { readonly code: string; readonly message: string }[];
  readonly edges: readonly { readonly edge_id: string; readonly end: string | null }[];
}

/** Switched off by the scenario; or never run; or what it found. */
export type CheckFacts =
  | { readonly state: 'off' }
  | { readonly state: 'not_run' }
  | {
      readonly state: Verdict;
      readonly violations: number;
      readonly checked: number;
      readonly total: number;
      readonly gaps: readonly CoverageGap[];
    };

export interface VerdictCounts {
  /** Acknowledged, and in no block. */
  readonly acked_lost: number;
  /** Accepted, though the mix expects a failure. */
  readonly expect_unmet: number;
  readonly rejected_unexpected: number;
  readonly reverted: number;
  readonly unknown: number;
  /** Answered with an unexpected error, and included all the same. */
  readonly included_after_error: number;
  readonly correlation_misses: number;
  readonly feed_gaps: number;
  readonly feed_duplicates: number;
  readonly feed_reorganisations: number;
  readonly feed_disconnects: number;
}

export interface ThresholdFacts {
  readonly metric: string;
  readonly min: number | null;
  readonly max: number | null;
  readonly value: number | null;
  /** Null: a default of which nothing was measured. */
  readonly is_met: boolean | null;
}
