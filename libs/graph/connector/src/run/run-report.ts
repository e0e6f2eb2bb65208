/** `disabled`: disabled, or dependent on a disabled step. `skipped`: dependent on a failed step. */
export type StepStatus = 'waiting' | 'running' | 'done' | 'failed' | 'skipped' | 'disabled';

/** The result of a step, in the form of REST. */
export interface StepReport {
  readonly id: string;
  readonly description?: string;
  /** Number of the wave, from 1. */
  readonly wave: number;
  readonly status: StepStatus;
  readonly attempts: number;
  readonly entities: number;
  readonly relationships: number;
  readonly duration_ms: number;
  /** While it runs, if it says so: units of its source that it has read, of how many. */
  readonly done?: number;
  readonly total?: number;
  /** An estimate. */
  readonly remaining_ms?: number;
  /** Why it failed, or the failed step it depends on. Never a secret or a path. */
  readonly reason?: string;
}

/**
 * `partial`: steps failed or read types in part, of which nothing was deleted, or references could not be
 * resolved. `failed`: nothing synced.
 */
export type CollectionStatus = 'complete' | 'partial' | 'failed' | 'aborted';

export interface CollectionReport {
  readonly status: CollectionStatus;
  readonly steps: readonly StepReport[];
  readonly entities: number;
  readonly relationships: number;
  /** Types and verbs that are incomplete. */
  readonly partial_types: readonly string[];
  /** References that could not be resolved: the relationships of their owners were kept. */
  readonly unresolved_count: number;
  /** References to something outside the source. */
  readonly external_count: number;
  /** Content that the connector does not read, by kind. */
  readonly ignored: Readonly<Record<string, number>>;
  /** The first 100. */
  readonly warnings: readonly string[];
  readonly warning_count: number;
}
