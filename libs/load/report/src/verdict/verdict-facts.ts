import type { Check, CoverageGap, Verdict } from '#load/oracle';

/** The inputs of the verdict of an ended run. Counts cover the whole run, without loss. */
export interface VerdictFacts {
  readonly status: 'Completed' | 'Failed';
  readonly reason: string | null;
  /** Whether planned = sent + not_sent, and sent = included + rejected + unknown. */
  readonly isBalanced: boolean;
  readonly checks: Readonly<Record<Check, CheckFacts>>;
  /** Null if the run was recorded by a version without these counts. */
  readonly counts: VerdictCounts | null;
  readonly thresholds: readonly ThresholdFacts[];
  readonly findings: readonly { readonly code: string; readonly message: string }[];
  readonly edges: readonly { readonly edge_id: string; readonly end: string | null }[];
}

/** Disabled by the scenario, never run, or the result. */
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
  /** Acknowledged, in no block, and unknown to the target. */
  readonly acked_lost: number;
  /** Acknowledged, and neither found nor determined to be lost; 0 for runs of earlier versions. */
  readonly acked_undecided: number;
  /** Neither answered in time by a starved edge's measure nor found; 0 for runs of earlier versions. */
  readonly edge_starved: number;
  /** Accepted although the mix expects a failure. */
  readonly expect_unmet: number;
  readonly rejected_unexpected: number;
  readonly reverted: number;
  readonly unknown: number;
  /** Answered with an unexpected error, but included. */
  readonly included_after_error: number;
  readonly correlation_misses: number;
  readonly feed_gaps: number;
  readonly feed_duplicates: number;
  readonly feed_reorganisations: number;
  readonly feed_disconnects: number;
  /** Frames that could not be read; 0 for runs of earlier versions. */
  readonly feed_garbage: number;
}

export interface ThresholdFacts {
  readonly metric: string;
  readonly min: number | null;
  readonly max: number | null;
  readonly value: number | null;
  /** Null for a default threshold without measurements. */
  readonly is_met: boolean | null;
}
