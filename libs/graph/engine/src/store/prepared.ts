import type { BatchWriter } from '#graph/storage';
import type { ChangePlan } from '../plan/change-plan.ts';

/** The complete effect of a request, computed before any change. */
export interface Prepared<Reply> {
  readonly reply: Reply;
  readonly plan?: ChangePlan | undefined;
  /** What is changed, for the audit; undefined for the program's own bookkeeping. */
  readonly target?: string | undefined;
  /** Other records of the same batch. */
  readonly record?: ((batch: BatchWriter) => void) | undefined;
  /** Reverts side effects of `prepare` if the batch is dropped. */
  readonly undo?: (() => void) | undefined;
}

/** Computed at once, or in steps that let other work run. */
export type Preparation<Reply> = Prepared<Reply> | Generator<undefined, Prepared<Reply>>;
